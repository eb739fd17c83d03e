"""Not, ONNX opset 1."""

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import boolean
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import onnx, same


@operator(
    "Not",
    onnx(1, "Not"),
    rows=same([boolean], 1),
    shape=numpy_broadcast,
    output="Y",
    examples=[((boolean,), {}, (False,), True), ((boolean,), {}, (True,), False)],
)
def not_(X: Value) -> Value:
    """True where X is false."""
    return ~X
