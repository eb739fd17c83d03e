"""Clip, ONNX opsets 1 to 13."""

from __future__ import annotations

import math

from lanewise.language import floats
from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import Sort, f16, f32, f64, i8, u8
from lanewise.language.words import Value, literal
from lanewise.operators.onnx.helpers import larger, smaller
from lanewise.operators.onnx.rows import CONSUMED, FLOATS, NUMBERS, NUMBERS_13, Examples, onnx, same, single

HIGHEST = floats.decode(floats.infinity(f32) - 1, f32)  # what the bounds are, as attributes, if they are not given
BOUND = Argument(optional=True, ranks=(0, 0))
BOUNDS = {"input": Argument(), "min": BOUND, "max": BOUND}
REAL: Examples = [
    ((f32, f32, f32), {}, (5.0, -1.0, 1.0), 1.0),
    ((f32, f32, f32), {}, (0.5, -1.0, 1.0), 0.5),
    ((f32, f32, f32), {}, (0.5, 3.0, 2.0), 2.0),  # O7: min is above max
    ((f32, f32, f32), {}, (math.nan, -1.0, 1.0), math.nan),
    ((f64, f64, None), {}, (-5.0, -1.0, None), -1.0),
    ((f16, None, None), {}, (math.inf, None, None), 65504.0),  # O7: the highest finite number
]
ALL: Examples = [
    *REAL,
    ((i8, i8, i8), {}, (-128, -10, 10), -10),
    ((u8, None, u8), {}, (200, None, 100), 100),
    ((i8, None, None), {}, (-128, None, None), -128),
]


@operator("Clip", onnx(13, "Clip"), rows=same(NUMBERS_13, 3), arguments=BOUNDS, shape=numpy_broadcast, examples=ALL)
@operator("Clip", onnx(12, "Clip"), rows=same(NUMBERS, 3), arguments=BOUNDS, shape=numpy_broadcast, examples=ALL)
@operator("Clip", onnx(11, "Clip"), rows=same(FLOATS, 3), arguments=BOUNDS, shape=numpy_broadcast, examples=REAL)
def clip(input: Value, min: Value | None, max: Value | None) -> Value:
    """The input, but at least min and at most max; max where min is above it; NaN with a NaN."""
    low, high = _finite(input.element)
    return smaller(high if max is None else max, larger(input, low if min is None else min))


def _finite(sort: Sort) -> tuple[Value, Value]:
    """The lowest and the highest number of a sort."""
    if sort.kind != "float":
        return literal(sort.lowest, sort), literal(sort.highest, sort)
    highest = floats.decode(floats.infinity(sort) - 1, sort)
    return literal(-highest, sort), literal(highest, sort)


@operator(
    "Clip",
    onnx(6, "Clip"),
    rows=same(FLOATS, 1),
    attributes={"min": single(default=-HIGHEST), "max": single(default=HIGHEST)},
    shape=numpy_broadcast,
    examples=[
        ((f32,), {"min": -1.0, "max": 1.0}, (5.0,), 1.0),
        ((f32,), {"min": 3.0, "max": 2.0}, (0.5,), 2.0),
        ((f64,), {}, (1e300,), HIGHEST),  # O7: the attribute is a float32
        ((f16,), {}, (math.inf,), math.inf),
    ],
)
@operator(
    "Clip",
    onnx(1, "Clip"),
    rows=same(FLOATS, 1),
    attributes={"min": single(default=None), "max": single(default=None), **CONSUMED},
    shape=numpy_broadcast,
    examples=[
        ((f32,), {"min": -1.0, "max": 1.0}, (5.0,), 1.0),
        ((f32,), {"max": 1.0}, (-math.inf,), -HIGHEST),
    ],
)
def clip_by_attributes(input: Value, *, min: float | None, max: float | None) -> Value:
    """As Clip-13, with bounds that are attributes: float32 numbers, rounded to the input's type."""
    low, high = -HIGHEST if min is None else min, HIGHEST if max is None else max
    return smaller(literal(high, input.element), larger(input, literal(low, input.element)))
