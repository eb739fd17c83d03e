"""Max, ONNX opsets 1 to 13."""

import math
from functools import reduce

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast, same_shape
from lanewise.language.sorts import f32, f64, i8, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.helpers import larger
from lanewise.operators.onnx.rows import CONSUMED, FLOATS, NUMBERS, NUMBERS_13, Examples, onnx, same

REAL: Examples = [
    ((f32, f32), {}, (-1.5, 2.5), 2.5),
    ((f32, f32, f32), {}, (1.0, math.nan, 2.0), math.nan),
    ((f64,), {}, (-0.5,), -0.5),
    ((f32, f32), {}, (0.0, -0.0), -0.0),  # O6: the last of equals
]
ALL: Examples = [
    *REAL,
    ((i8, i8, i8), {}, (-128, 127, 0), 127),
    ((u8, u8), {}, (255, 1), 255),
]


@operator("Max", onnx(13, "Max"), rows=same(NUMBERS_13, 1), shape=numpy_broadcast, output="max", examples=ALL)
@operator("Max", onnx(12, "Max"), rows=same(NUMBERS, 1), shape=numpy_broadcast, output="max", examples=ALL)
@operator("Max", onnx(8, "Max"), rows=same(FLOATS, 1), shape=numpy_broadcast, output="max", examples=REAL)
@operator("Max", onnx(6, "Max"), rows=same(FLOATS, 1), shape=same_shape, output="max", examples=REAL)
@operator(
    "Max", onnx(1, "Max"), rows=same(FLOATS, 1),
    attributes=CONSUMED, shape=same_shape, output="max", examples=REAL,
)  # fmt: skip
def max(*data_0: Value) -> Value:
    """The largest of the operands; NaN if one is NaN."""
    return reduce(larger, data_0)
