"""Sub, ONNX opsets 1 to 14."""

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
    ((f32, f32), {}, (1.5, 2.25), -0.75),
    ((f16, f16), {}, (2049.0, 0.5), 2048.0),
]
WIDE: Examples = [
    *REAL,
    ((i32, i32), {}, (-2147483648, 1), 2147483647),  # O2
    ((u64, u64), {}, (0, 1), 18446744073709551615),
]
ALL: Examples = [
    *WIDE,
    ((i8, i8), {}, (-128, 1), 127),  # O2: wraps
    ((u8, u8), {}, (1, 2), 255),
]
FIRST = {**LEGACY, **CONSUMED}


@operator("Sub", onnx(14, "Sub"), rows=same(NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Sub", onnx(13, "Sub"), rows=same(WIDE_NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator("Sub", onnx(7, "Sub"), rows=same(WIDE_NUMBERS, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator(
    "Sub", onnx(6, "Sub"), rows=same(WIDE_NUMBERS, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="C", examples=WIDE,
)  # fmt: skip
@operator(
    "Sub", onnx(1, "Sub"), rows=same(FLOATS, 2),
    attributes=FIRST, shape=legacy_broadcast, output="C", examples=REAL,
)  # fmt: skip
def sub(A: Value, B: Value) -> Value:
    """A - B; integers wrap."""
    return A - B
