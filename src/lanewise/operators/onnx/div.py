"""Div, ONNX opsets 1 to 14."""

import math

from lanewise.language.operator import operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import f16, f32, i8, i32, u8, u64
from lanewise.language.words import Value, quotient_towards_zero, select
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
    ((f32, f32), {}, (1.0, -0.0), -math.inf),
    ((f16, f16), {}, (1.0, 3.0), 0.333251953125),
]
WIDE: Examples = [
    *REAL,
    ((i32, i32), {}, (-7, 2), -3),  # towards zero
    ((i32, i32), {}, (7, 0), 0),  # O3
    ((u64, u64), {}, (18446744073709551615, 10), 1844674407370955161),
]
ALL: Examples = [
    *WIDE,
    ((i8, i8), {}, (-128, -1), -128),  # O3: wraps
    ((u8, u8), {}, (255, 2), 127),
]
FIRST = {**LEGACY, **CONSUMED}


@operator("Div", onnx(14, "Div"), rows=same(NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Div", onnx(13, "Div"), rows=same(WIDE_NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator("Div", onnx(7, "Div"), rows=same(WIDE_NUMBERS, 2), shape=numpy_broadcast, output="C", examples=WIDE)
@operator(
    "Div", onnx(6, "Div"), rows=same(WIDE_NUMBERS, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="C", examples=WIDE,
)  # fmt: skip
@operator(
    "Div", onnx(1, "Div"), rows=same(FLOATS, 2),
    attributes=FIRST, shape=legacy_broadcast, output="C", examples=REAL,
)  # fmt: skip
def div(A: Value, B: Value) -> Value:
    """A / B; integers towards zero, and 0 where B is 0."""
    if A.element.kind == "float":
        return A / B
    return select(B == 0, 0, quotient_towards_zero(A, B))
