"""Or, ONNX opsets 1 and 7."""

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
    ((boolean, boolean), {}, (True, True), True),
]


@operator("Or", onnx(7, "Or"), rows=ROWS, shape=numpy_broadcast, output="C", examples=TRUTH)
@operator("Or", onnx(1, "Or"), rows=ROWS, attributes=LEGACY, shape=legacy_broadcast, output="C", examples=TRUTH)
def or_(A: Value, B: Value) -> Value:
    """True where A or B is true, or both."""
    return A | B
