"""Add, ONNX opsets 1 to 14."""

from lanewise.language.operator import operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import f16, f32, i8, i32, u8, u64
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import (
    CONSUMED,
    FLOATS,
    LEGACY,
    NUMBERS_13,
    WIDE_NUMBERS,
    WIDE_NUMBERS_13,
    Examples,
    onnx,
    same,
)

REAL: Examples = [
    ((f32, f32), {}, (1.5, 2.25), 3.75),
    ((f16, f16), {}, (2048.0, 1.0), 2048.0),  # a tie: to the even neighbour
]
WIDE: Examples = [
    *REAL,
    ((i32, i32), {}, (2147483647, 1), -2147483648),  # O2
    ((u64, u64), {}, (18446744073709551615, 2), 1),
]
ALL: Examples = [
    *WIDE,
    ((i8, i8), {}, (127, 1), -128),  # O2: wraps
    ((u8, u8), {}, (200, 100), 44),
]
FIRST = {**LEGACY, **CONSUMED}


@operator("Add", onnx(14, "Add"), rows=same(NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Add", onnx(13, "Add"), rows=same(WIDE_NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator("Add", onnx(7, "Add"), rows=same(WIDE_NUMBERS, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator(
    "Add", onnx(6, "Add"), rows=same(WIDE_NUMBERS, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="C", examples=WIDE,
)  # fmt: skip
@operator(
    "Add", onnx(1, "Add"), rows=same(FLOATS, 2),
    attributes=FIRST, shape=legacy_broadcast, output="C", examples=REAL,
)  # fmt: skip
def add(A: Value, B: Value) -> Value:
    """A + B; integers wrap."""
    return A + B
