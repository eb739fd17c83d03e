"""Identity, ONNX opsets 1 to 25."""

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import boolean, f32, i64
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, Examples, onnx, same, versions

EXAMPLES: Examples = [
    ((i64,), {}, (-9223372036854775808,), -9223372036854775808),
    ((f32,), {}, (-0.0,), -0.0),
    ((boolean,), {}, (True,), True),
]


@versions(
    (25, 24, 23, 21, 19, 16, 14, 13), "Identity", rows=same(EVERYTHING_13, 1), shape=numpy_broadcast, examples=EXAMPLES
)
@operator("Identity", onnx(1, "Identity"), rows=same(EVERYTHING, 1), shape=numpy_broadcast, examples=EXAMPLES)
def identity(input: Value) -> Value:
    """The input."""
    return input
