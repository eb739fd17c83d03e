"""Neg, ONNX opsets 1, 6 and 13."""

import math

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import SIGNED, f32, f64, i8
from lanewise.language.words import Value, negative
from lanewise.operators.onnx.rows import CONSUMED, FLOATS, FLOATS_13, Examples, onnx, same

REAL: Examples = [
    ((f32,), {}, (-1.5,), 1.5),
    ((f32,), {}, (-0.0,), 0.0),
    ((f64,), {}, (-math.inf,), math.inf),
]
ALL: Examples = [
    *REAL,
    ((i8,), {}, (-128,), -128),  # O2: wraps
    ((i8,), {}, (5,), -5),
]


@operator("Neg", onnx(13, "Neg"), rows=same((*SIGNED, *FLOATS_13), 1), shape=numpy_broadcast, output="Y", examples=ALL)
@operator("Neg", onnx(6, "Neg"), rows=same((*SIGNED, *FLOATS), 1), shape=numpy_broadcast, output="Y", examples=ALL)
@operator(
    "Neg", onnx(1, "Neg"), rows=same(FLOATS, 1),
    attributes=CONSUMED, shape=numpy_broadcast, output="Y", examples=REAL,
)  # fmt: skip
def neg(X: Value) -> Value:
    """X with the other sign; the lowest integer stays as it is."""
    return negative(X)
