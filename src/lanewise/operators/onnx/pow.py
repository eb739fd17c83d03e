"""Pow, ONNX opsets 1 to 15."""

import math
from collections.abc import Iterable
from itertools import product

from lanewise.language.operator import Row, operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import INTEGERS, Sort, f16, f32, f64, i8, i32, i64, u8, u64
from lanewise.language.words import Value, literal, power, select, shift_right
from lanewise.operators.onnx.rows import FLOATS, FLOATS_13, LEGACY, Examples, onnx, same

REAL: Examples = [
    ((f32, f32), {}, (2.0, 10.0), 1024.0),
    ((f32, f32), {}, (-2.0, 3.0), -8.0),
    ((f16, f16), {}, (4.0, -0.5), 0.5),
    ((f64, f64), {}, (-0.0, -3.0), -math.inf),
    ((f32, f32), {}, (-8.0, 0.5), math.nan),
    ((f32, f32), {}, (1.0, math.nan), 1.0),  # O16
    ((f32, f32), {}, (math.nan, 0.0), 1.0),
]
ALL: Examples = [
    *REAL,
    ((i32, i32), {}, (-3, 3), -27),
    ((i32, u8), {}, (2, 31), -2147483648),  # O2: wraps
    ((i32, i64), {}, (3, 4294967296), 1),  # O2: 3 ** 2 ** 32 is 1 more than a multiple of 2 ** 32
    ((i64, u64), {}, (0, 0), 1),
    ((i64, i8), {}, (2, -1), 0),  # O16: without its fraction
    ((i32, i8), {}, (-1, -3), -1),
    ((i32, i8), {}, (0, -1), 0),
]


def _rows(floats: Iterable[Sort]) -> list[Row]:
    """Two floats of one type, or two integers (O16)."""
    return [*same(floats, 2), *(Row((base, exponent), base) for base, exponent in product((i32, i64), INTEGERS))]


def _lacking(floats: Iterable[Sort]) -> list[tuple[Sort, Sort]]:
    """Two types of which one is a float: nobody says in which type to compute (O16)."""
    had = {row.inputs for row in _rows(floats)}
    bases, exponents = (i32, i64, *floats), (*INTEGERS, *floats)
    return [types for types in product(bases, exponents) if types not in had]


@operator(
    "Pow", onnx(15, "Pow"), rows=_rows(FLOATS_13), lacking=_lacking(FLOATS_13),
    shape=numpy_broadcast, output="Z", examples=ALL,
)  # fmt: skip
@operator(
    "Pow", onnx(13, "Pow"), rows=_rows(FLOATS), lacking=_lacking(FLOATS),
    shape=numpy_broadcast, output="Z", examples=ALL,
)  # fmt: skip
@operator(
    "Pow", onnx(12, "Pow"), rows=_rows(FLOATS), lacking=_lacking(FLOATS),
    shape=numpy_broadcast, output="Z", examples=ALL,
)  # fmt: skip
@operator("Pow", onnx(7, "Pow"), rows=same(FLOATS, 2), shape=numpy_broadcast, output="Z", examples=REAL)
@operator(
    "Pow", onnx(1, "Pow"), rows=same(FLOATS, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="Z", examples=REAL,
)  # fmt: skip
def pow(X: Value, Y: Value) -> Value:
    """X ** Y. Floats: with the special cases of IEEE 754's pow. Integers wrap; what is below 1 is 0."""
    return power(X, Y) if X.element.kind == "float" else _whole(X, Y)


def _whole(x: Value, y: Value) -> Value:
    """The power of an integer, by squaring: one factor for every bit of the exponent."""
    width = x.element.width
    one, zero = literal(1, x.element), literal(0, x.element)
    bits = y.element.width - y.element.signed
    result, square = one, x
    for bit in range(min(bits, width - 2)):
        result = select((shift_right(y, bit) & 1) == 1, result * square, result)
        square = square * square
    odd = (x & 1) == 1
    if bits > width - 2:  # such a square is 1 for an odd x and 0 for an even one
        result = select(odd | (shift_right(y, width - 2) == 0), result, zero)
    if not y.element.signed:
        return result
    unit = select(x == -1, select((y & 1) == 1, x, one), zero)
    return select(y < 0, select(x == 1, one, unit), result)
