"""BitwiseOr, ONNX opset 18."""

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import INTEGERS, i8, i64, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import onnx, same


@operator(
    "BitwiseOr",
    onnx(18, "BitwiseOr"),
    rows=same(INTEGERS, 2),
    shape=numpy_broadcast,
    output="C",
    examples=[
        ((i8, i8), {}, (-8, 7), -1),
        ((u8, u8), {}, (240, 60), 252),
        ((i64, i64), {}, (1, -9223372036854775808), -9223372036854775807),
    ],
)
def bitwise_or(A: Value, B: Value) -> Value:
    """Each bit: set if it is set in A, in B or in both."""
    return A | B
