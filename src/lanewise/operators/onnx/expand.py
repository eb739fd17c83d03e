"""Expand, ONNX opsets 8 and 13."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.errors import InvalidError
from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import Shape, Shapes, bounded, numpy_broadcast
from lanewise.language.sorts import f32
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, Examples, beside_numbers, onnx

OPERANDS = {"input": Argument(), "shape": Argument("numbers", ranks=(1, 1))}
EXAMPLES: Examples = [((f32, None), {}, (1.5, None), 1.5)]


def _rule(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    wanted = attributes["shape"]
    if any(size < 0 for size in wanted):
        raise InvalidError(f"shape {list(wanted)} has a negative size")  # O13
    result = numpy_broadcast(names, (shapes[0], wanted), attributes).result
    return Shapes(bounded(result), (shapes[0], None))


@operator(
    "Expand", onnx(13, "Expand"), rows=beside_numbers(EVERYTHING_13), arguments=OPERANDS, shape=_rule, examples=EXAMPLES
)
@operator(
    "Expand", onnx(8, "Expand"), rows=beside_numbers(EVERYTHING), arguments=OPERANDS, shape=_rule, examples=EXAMPLES
)
def expand(input: Value, shape: None) -> Value:
    """The input, repeated along axes of size 1 until it broadcasts with the shape."""
    return input
