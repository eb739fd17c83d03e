"""Operators whose definitions never leave their type, in exact arithmetic: wider words, as the specification puts it.

Nothing computes with these. Proofs hold them against the definitions that everything computes with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lanewise.language.sorts import Sort, i8, i16, i32, i64
from lanewise.language.words import Value, literal, require, select, shift_left, shift_right, when, widen, within, wrap


def _wide(value: Value) -> Value:
    """The number in a word of one more bit, which holds every sum and difference of two such."""
    width = value.element.width + 1  # 65 for int64, which is no type of tensors
    return widen(value, Sort("int", width, f"int{width}", True))


def _exactly(exact: Value, sort: Sort) -> Value:
    require(within(exact, sort.lowest, sort.highest), f"the exact result fits {sort.name}")
    return wrap(exact, sort)


def _sum(a: Value, b: Value) -> Value:
    return _exactly(_wide(a) + _wide(b), a.element)


def _difference(a: Value, b: Value) -> Value:
    return _exactly(_wide(a) - _wide(b), a.element)


def _scaled(number: Value, count: Value) -> Value:
    """number / 2**count to the nearest, halves up: half of the divisor is added first, and the rest is dropped."""
    half = select(count > 0, shift_left(literal(1, number.element), count - 1), 0)
    return shift_right(number + half, count)


def _rounded(x: Value, count: Value) -> Value:
    require(within(count, 0, x.element.width - 1), "the count is below the width")
    return _exactly(_scaled(_wide(x), _wide(count)), x.element)


def _product(a: Value, b: Value) -> Value:
    return widen(a, i64) * widen(b, i64)


def _scaled_product(a: Value, b: Value, shift: Value) -> Value:
    """The product goes down by the shift and must fit; without a shift its low bits remain."""
    require(within(shift, 0, 63), "0 <= shift <= 63")
    product = _wide(_product(a, b))
    scaled = _scaled(product, widen(shift, product.element))
    with when(shift > 0):
        require(within(scaled, i32.lowest, i32.highest), "the exact result fits int32")
    return wrap(scaled, i32)


def _scaled_product_0_23(a: Value, b: Value, shift: Value) -> Value:
    """The same, but a shift is 2 to 62, and wants an input2 that is not negative."""
    with when(shift > 0):
        require(within(shift, 2, 62), "2 <= shift <= 62")
        require(b >= 0, "input2 >= 0")
    return _scaled_product(a, b, shift)


# Operator, version, element type, attributes, and the meaning.
EXACT: tuple[tuple[str, str, Sort, Mapping[str, Any], Callable[..., Value]], ...] = (
    *(("ADD", "1.1", sort, {}, _sum) for sort in (i32, i64)),
    *(("SUB", "1.1", sort, {}, _difference) for sort in (i32, i64)),
    *(("ARITHMETIC_RIGHT_SHIFT", "1.1", sort, {"round": True}, _rounded) for sort in (i8, i16, i32, i64)),
    ("MUL", "0.23.0", i32, {}, _scaled_product_0_23),
    ("MUL", "1.1", i32, {}, _scaled_product),
)
