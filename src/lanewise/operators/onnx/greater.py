"""Greater, ONNX opsets 1 to 13."""

import math

from lanewise.language.operator import operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import f32, i8, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import FLOATS, LEGACY, NUMBERS, NUMBERS_13, Examples, onnx, to_bool

REAL: Examples = [
    ((f32, f32), {}, (1.5, -2.5), True),
    ((f32, f32), {}, (-2.5, 1.5), False),
    ((f32, f32), {}, (0.0, -0.0), False),
    ((f32, f32), {}, (math.nan, 1.0), False),  # a NaN has no order
]
ALL: Examples = [
    *REAL,
    ((i8, i8), {}, (1, -1), True),
    ((u8, u8), {}, (1, 255), False),
]


@operator("Greater", onnx(13, "Greater"), rows=to_bool(NUMBERS_13, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Greater", onnx(9, "Greater"), rows=to_bool(NUMBERS, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Greater", onnx(7, "Greater"), rows=to_bool(FLOATS, 2), shape=numpy_broadcast, output="C", examples=REAL)
@operator(
    "Greater", onnx(1, "Greater"), rows=to_bool(FLOATS, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="C", examples=REAL,
)  # fmt: skip
def greater(A: Value, B: Value) -> Value:
    """True where A is above B."""
    return A > B
