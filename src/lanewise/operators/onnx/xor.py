"""Xor, ONNX opsets 1 and 7."""

from lanewise.language.operator import operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import boolean
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import LEGACY, Examples, onnx, same

ROWS = same([boolean], 2)
TRUTH: Examples = [
    ((boolean, boolean), {}, (False, False), False),
    ((boolean, boolean), {}, (False, True), True),
    ((boolean, boolean), {}, (True, False), True),
    ((boolean, boolean), {}, (True, True), False),
]


@operator("Xor", onnx(7, "Xor"), rows=ROWS, shape=numpy_broadcast, output="C", examples=TRUTH)
@operator("Xor", onnx(1, "Xor"), rows=ROWS, attributes=LEGACY, shape=legacy_broadcast, output="C", examples=TRUTH)
def xor(A: Value, B: Value) -> Value:
    """True where exactly one of A and B is true."""
    return A ^ B
