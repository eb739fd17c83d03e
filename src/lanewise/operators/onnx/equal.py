"""Equal, ONNX opsets 1 to 19."""

import math

from lanewise.language.operator import operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import boolean, f32, i32, i64
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, LEGACY, Examples, onnx, to_bool, versions

FIRST_TYPES = (boolean, i32, i64)
FIRST: Examples = [
    ((boolean, boolean), {}, (True, False), False),
    ((boolean, boolean), {}, (False, False), True),
    ((i32, i32), {}, (-1, -1), True),
    ((i64, i64), {}, (1, 4294967297), False),
]
ALL: Examples = [
    *FIRST,
    ((f32, f32), {}, (0.0, -0.0), True),
    ((f32, f32), {}, (math.nan, math.nan), False),  # a NaN equals nothing, not even itself
]


@versions((19, 13), "Equal", rows=to_bool(EVERYTHING_13, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Equal", onnx(11, "Equal"), rows=to_bool(EVERYTHING, 2), shape=numpy_broadcast, output="C", examples=ALL)
@operator("Equal", onnx(7, "Equal"), rows=to_bool(FIRST_TYPES, 2), shape=numpy_broadcast, output="C", examples=FIRST)
@operator(
    "Equal", onnx(1, "Equal"), rows=to_bool(FIRST_TYPES, 2),
    attributes=LEGACY, shape=legacy_broadcast, output="C", examples=FIRST,
)  # fmt: skip
def equal(A: Value, B: Value) -> Value:
    """True where A and B are the same number."""
    return A == B
