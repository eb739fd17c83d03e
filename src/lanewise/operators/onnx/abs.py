"""Abs, ONNX opsets 1, 6 and 13."""

import math

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import f32, f64, i8, u8
from lanewise.language.words import Value, absolute
from lanewise.operators.onnx.rows import CONSUMED, FLOATS, NUMBERS, NUMBERS_13, Examples, onnx, same

REAL: Examples = [
    ((f32,), {}, (-1.5,), 1.5),
    ((f32,), {}, (-0.0,), 0.0),
    ((f64,), {}, (-math.inf,), math.inf),
]
ALL: Examples = [
    *REAL,
    ((i8,), {}, (-128,), -128),  # O2: wraps
    ((i8,), {}, (-5,), 5),
    ((u8,), {}, (255,), 255),
]


@operator("Abs", onnx(13, "Abs"), rows=same(NUMBERS_13, 1), shape=numpy_broadcast, output="Y", examples=ALL)
@operator("Abs", onnx(6, "Abs"), rows=same(NUMBERS, 1), shape=numpy_broadcast, output="Y", examples=ALL)
@operator(
    "Abs", onnx(1, "Abs"), rows=same(FLOATS, 1),
    attributes=CONSUMED, shape=numpy_broadcast, output="Y", examples=REAL,
)  # fmt: skip
def abs(X: Value) -> Value:
    """X without its sign; the lowest signed integer stays as it is."""
    return absolute(X)
