"""BitwiseNot, ONNX opset 18."""

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import INTEGERS, i8, i64, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import onnx, same


@operator(
    "BitwiseNot",
    onnx(18, "BitwiseNot"),
    rows=same(INTEGERS, 1),
    shape=numpy_broadcast,
    output="Y",
    examples=[
        ((i8,), {}, (0,), -1),
        ((u8,), {}, (0xF0,), 0x0F),
        ((i64,), {}, (-9223372036854775808,), 9223372036854775807),
    ],
)
def bitwise_not(X: Value) -> Value:
    """Every bit of X turned over."""
    return ~X
