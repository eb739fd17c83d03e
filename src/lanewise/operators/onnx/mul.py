"""Mul, ONNX opsets 1 to 14."""

import math

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
    ((f32, f32), {}, (1.5, -2.0), -3.0),
    ((f16, f16), {}, (256.0, 256.0), math.inf),
]
WIDE: Examples = [
    *REAL,
    ((i32, i32), {}, (65536, 65536), 0),  # O2
    ((u64, u64), {}, (4294967296, 4294967297), 4294967296),
]
ALL: Examples = [
    *WIDE,
    ((i8, i8), {}, (-128, -1), -128),  # O2: wraps
    ((u8, u8), {}, (16, 17), 16),
]
FIRST = {**LEGACY, **CONSUMED}


@operator("Mul", onnx(14, "Mul"), rows=same(NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Mul", onnx(13, "Mul"), rows=same(WIDE_NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator("Mul", onnx(7, "Mul"), rows=same(WIDE_NUMBERS, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator(
    "Mul", onnx(6, "Mul"), rows=same(WIDE_NUMBERS, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="C", examples=WIDE,
)  # fmt: skip
@operator(
    "Mul", onnx(1, "Mul"), rows=same(FLOATS, 2),
    attributes=FIRST, shape=legacy_broadcast, output="C", examples=REAL,
)  # fmt: skip
def mul(A: Value, B: Value) -> Value:
    """A * B; integers wrap."""
    return A * B
