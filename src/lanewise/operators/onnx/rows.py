"""What ONNX records have in common: the release, element types by number, rows of one type."""

from __future__ import annotations

from collections.abc import Iterable

from lanewise.language.operator import Release, Row
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

FLOATS = (f16, f32, f64)
NUMBERS = INTEGERS + FLOATS  # the twelve without bfloat16: eleven
WIDE_INTEGERS = (i32, i64, u32, u64)  # what arithmetic had before opset 14
EVERYTHING = (*NUMBERS, boolean)

# TensorProto.DataType, as the file format numbers them.
TYPE_NUMBERS: dict[int, Sort] = {
    1: f32, 2: u8, 3: i8, 4: u16, 5: i16, 6: i32, 7: i64, 9: boolean,
    10: f16, 11: f64, 12: u32, 13: u64, 16: bf16,
}  # fmt: skip


def onnx(since: int, section: str) -> Release:
    return Release("onnx", since, section)


def same(types: Iterable[Sort], operands: int) -> list[Row]:
    """Rows in which all operands and the result have one type."""
    return [Row((sort,) * operands, sort) for sort in types]


def to_bool(types: Iterable[Sort], operands: int) -> list[Row]:
    """Rows that compare operands of one type."""
    return [Row((sort,) * operands, boolean) for sort in types]


__all__ = ["INTEGERS", "UNSIGNED", "bf16", "boolean", "onnx", "same", "to_bool"]
