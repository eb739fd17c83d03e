"""BitwiseAnd, ONNX opset 18."""

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import INTEGERS, i8, i64, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import onnx, same


@operator(
    "BitwiseAnd",
    onnx(18, "BitwiseAnd"),
    rows=same(INTEGERS, 2),
    shape=numpy_broadcast,
    output="C",
    examples=[
        ((i8, i8), {}, (-8, 7), 0),
        ((u8, u8), {}, (240, 60), 48),
        ((i64, i64), {}, (-1, -9223372036854775808), -9223372036854775808),
    ],
)
def bitwise_and(A: Value, B: Value) -> Value:
    """Each bit: set if it is set in A and in B."""
    return A & B
