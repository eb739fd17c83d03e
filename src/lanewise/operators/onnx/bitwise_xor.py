"""BitwiseXor, ONNX opset 18."""

from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import INTEGERS, i8, i64, u8
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import onnx, same


@operator(
    "BitwiseXor",
    onnx(18, "BitwiseXor"),
    rows=same(INTEGERS, 2),
    shape=numpy_broadcast,
    output="C",
    examples=[
        ((i8, i8), {}, (-8, 7), -1),
        ((u8, u8), {}, (240, 60), 204),
        ((i64, i64), {}, (-1, -9223372036854775808), 9223372036854775807),
    ],
)
def bitwise_xor(A: Value, B: Value) -> Value:
    """Each bit: set if it is set in exactly one of A and B."""
    return A ^ B
