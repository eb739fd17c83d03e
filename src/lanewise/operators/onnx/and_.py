"""And, ONNX opsets 1 and 7."""

from lanewise.language.operator import operator
from lanewise.language.shapes import legacy_broadcast, numpy_broadcast
from lanewise.language.sorts import boolean
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import LEGACY, Examples, onnx, same

ROWS = same([boolean], 2)
TRUTH: Examples = [
    ((boolean, boolean), {}, (False, False), False),
    ((boolean, boolean), {}, (False, True), False),
    ((boolean, boolean), {}, (True, False), False),
    ((boolean, boolean), {}, (True, True), True),
]


@operator("And", onnx(7, "And"), rows=ROWS, shape=numpy_broadcast, output="C", examples=TRUTH)
@operator("And", onnx(1, "And"), rows=ROWS, attributes=LEGACY, shape=legacy_broadcast, output="C", examples=TRUTH)
def and_(A: Value, B: Value) -> Value:
    """True where A and B are true."""
    return A & B
