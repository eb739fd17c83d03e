"""Where, ONNX opsets 9 and 16."""

import math
from collections.abc import Iterable

from lanewise.language.operator import Row, operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import Sort, boolean, f32, i8
from lanewise.language.words import Value, select
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, Examples, onnx

EXAMPLES: Examples = [
    ((boolean, i8, i8), {}, (True, 1, -2), 1),
    ((boolean, i8, i8), {}, (False, 1, -2), -2),
    ((boolean, f32, f32), {}, (True, 1.0, math.nan), 1.0),
    ((boolean, f32, f32), {}, (True, -0.0, 1.0), -0.0),  # O9
    ((boolean, boolean, boolean), {}, (False, True, False), False),
]


def _rows(types: Iterable[Sort]) -> list[Row]:
    return [Row((boolean, sort, sort), sort) for sort in types]


@operator("Where", onnx(16, "Where"), rows=_rows(EVERYTHING_13), shape=numpy_broadcast, examples=EXAMPLES)
@operator("Where", onnx(9, "Where"), rows=_rows(EVERYTHING), shape=numpy_broadcast, examples=EXAMPLES)
def where(condition: Value, X: Value, Y: Value) -> Value:
    """X where the condition is true, else Y."""
    return select(condition, X, Y)
