"""What ONNX records have in common: the release, element types by number and name, rows, old attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lanewise.language import floats
from lanewise.language.attributes import REQUIRED, Attribute, element_type, flag, real, whole, wholes
from lanewise.language.errors import InvalidError, UnsupportedError, brief
from lanewise.language.operator import Meaning, Release, Row, operator
from lanewise.language.sorts import (
    INTEGERS,
    UNSIGNED,
    Sort,
    bf16,
    boolean,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
)

# The highest operator set that lanewise knows completely; a later one may change a meaning.
NEWEST_OPSET = 28

# A name that ends in 13 has bfloat16 as well, which most operators list from opset 13 on.
FLOATS = (f16, f32, f64)
FLOATS_13 = (*FLOATS, bf16)
NUMBERS = INTEGERS + FLOATS
NUMBERS_13 = INTEGERS + FLOATS_13
WIDE_NUMBERS = (i32, i64, u32, u64, *FLOATS)  # what arithmetic had before opset 14
WIDE_NUMBERS_13 = (*WIDE_NUMBERS, bf16)
EVERYTHING = (*NUMBERS, boolean)
EVERYTHING_13 = (*NUMBERS_13, boolean)

# TensorProto.DataType, as the file format numbers them.
TYPE_NUMBERS: dict[int, Sort] = {
    1: f32, 2: u8, 3: i8, 4: u16, 5: i16, 6: i32, 7: i64, 9: boolean,
    10: f16, 11: f64, 12: u32, 13: u64, 16: bf16,
}  # fmt: skip
# ... and those that lanewise has not (O15).
OTHER_TYPES: dict[int, str] = {
    0: "undefined", 8: "string", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz",
    19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0",
    25: "uint2", 26: "int2", 27: "float6e2m3", 28: "float6e3m2",
}  # fmt: skip
# Where the file format's names differ from the element types' own: Cast-1 spells its target so.
TYPE_NAMES: dict[str, Sort] = {"float": f32, "double": f64}

Examples = list[tuple[Any, ...]]  # see `operator`

# Attributes of old versions that steer the shape only, or nothing at all (O10).
LEGACY: dict[str, Attribute] = {"broadcast": flag(default=False), "axis": whole(0, 63, default=None)}
CONSUMED: dict[str, Attribute] = {"consumed_inputs": wholes(default=None)}


def onnx(since: int, section: str) -> Release:
    return Release("onnx", since, section)


def versions(numbers: Sequence[int], name: str, **record: Any) -> Callable[[Meaning], Meaning]:
    """Records of versions that differ only in types that lanewise has not (O15), or in their text."""

    def apply(meaning: Meaning) -> Meaning:
        for number in numbers:
            operator(name, onnx(number, name), **record)(meaning)
        return meaning

    return apply


def same(types: Iterable[Sort], operands: int) -> list[Row]:
    """Rows in which all operands and the result have one type."""
    return [Row((sort,) * operands, sort) for sort in types]


def to_bool(types: Iterable[Sort], operands: int) -> list[Row]:
    """Rows that compare operands of one type."""
    return [Row((sort,) * operands, boolean) for sort in types]


def beside_numbers(types: Iterable[Sort]) -> list[Row]:
    """Rows of one tensor and a list of int64: a shape, or axes."""
    return [Row((sort, i64), sort) for sort in types]


def onnx_type(default: Any = REQUIRED) -> Attribute:
    """An element type by its number or name in the file format, or by its own name."""
    known = element_type(numbers=TYPE_NUMBERS)
    allowed = "the number or the name of an element type, such as 3 or 'int8'"

    def read(value: Any) -> Sort:
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        name = value.lower() if isinstance(value, str) else OTHER_TYPES.get(value) if isinstance(value, int) else None
        if name in OTHER_TYPES.values():
            raise UnsupportedError(f"is {brief(value)}: element type {name} is not one of lanewise's")
        sort = TYPE_NAMES.get(name or "")
        try:
            return known.read(value) if sort is None else sort
        except InvalidError:
            raise InvalidError(f"is {brief(value)}; allowed: {allowed}") from None

    return Attribute(allowed, read, default)


def single(default: Any = REQUIRED) -> Attribute:
    """A number that the file format stores as float32."""
    number = real()

    def read(value: Any) -> float | None:
        given = number.read(value)
        if given is None:
            return None
        rounded = floats.decode(floats.encode(given, f32), f32)
        if math.isinf(rounded) and abs(given) != math.inf:
            raise InvalidError(f"is {brief(value)}, which float32 does not reach")
        return rounded

    return Attribute("numbers", read, default)


__all__ = ["INTEGERS", "UNSIGNED", "bf16", "boolean", "onnx", "same", "to_bool"]
