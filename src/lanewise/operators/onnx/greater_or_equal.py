"""GreaterOrEqual, ONNX opsets 12 and 16."""

import math

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import f32, i8, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import NUMBERS, NUMBERS_13, Examples, onnx, to_bool

EXAMPLES: Examples = [
    ((f32, f32), {}, (1.5, -2.5), True),
    ((f32, f32), {}, (0.0, -0.0), True),
    ((f32, f32), {}, (math.nan, math.nan), False),  # a NaN has no order
    ((i8, i8), {}, (-1, -1), True),
    ((i8, i8), {}, (1, -1), True),
    ((u8, u8), {}, (1, 255), False),
]


@operator(
    "GreaterOrEqual", onnx(16, "GreaterOrEqual"), rows=to_bool(NUMBERS_13, 2),
    shape=numpy_broadcast, output="C", examples=EXAMPLES,
)  # fmt: skip
@operator(
    "GreaterOrEqual", onnx(12, "GreaterOrEqual"), rows=to_bool(NUMBERS, 2),
    shape=numpy_broadcast, output="C", examples=EXAMPLES,
)  # fmt: skip
def greater_or_equal(A: Value, B: Value) -> Value:
    """True where A is B or above it."""
    return A >= B
