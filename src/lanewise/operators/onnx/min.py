"""Min, ONNX opsets 1 to 13."""

import math
from functools import reduce

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast, same_shape
from lanewise.language.sorts import f32, f64, i8, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.helpers import smaller
from lanewise.operators.onnx.rows import CONSUMED, FLOATS, NUMBERS, NUMBERS_13, Examples, onnx, same

REAL: Examples = [
    ((f32, f32), {}, (-1.5, 2.5), -1.5),
    ((f32, f32, f32), {}, (1.0, math.nan, 2.0), math.nan),
    ((f64,), {}, (-0.5,), -0.5),
    ((f32, f32), {}, (-0.0, 0.0), 0.0),  # O6: the last of equals
]
ALL: Examples = [
    *REAL,
    ((i8, i8, i8), {}, (-128, 127, 0), -128),
    ((u8, u8), {}, (255, 1), 1),
]


@operator("Min", onnx(13, "Min"), rows=same(NUMBERS_13, 1), shape=numpy_broadcast, output="min", examples=ALL)
@operator("Min", onnx(12, "Min"), rows=same(NUMBERS, 1), shape=numpy_broadcast, output="min", examples=ALL)
@operator("Min", onnx(8, "Min"), rows=same(FLOATS, 1), shape=numpy_broadcast, output="min", examples=REAL)
@operator("Min", onnx(6, "Min"), rows=same(FLOATS, 1), shape=same_shape, output="min", examples=REAL)
@operator(
    "Min", onnx(1, "Min"), rows=same(FLOATS, 1),
    attributes=CONSUMED, shape=same_shape, output="min", examples=REAL,
)  # fmt: skip
def min(*data_0: Value) -> Value:
    """The smallest of the operands; NaN if one is NaN."""
    return reduce(smaller, data_0)
