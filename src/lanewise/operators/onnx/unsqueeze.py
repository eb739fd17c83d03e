"""Unsqueeze, ONNX opsets 1 to 25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import wholes
from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import Shape, Shapes, bounded
from lanewise.language.sorts import f32
from lanewise.language.words import Value
from lanewise.operators.onnx.helpers import axes_from_front
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, Examples, beside_numbers, onnx, same, versions

AXES = {"axes": wholes()}
OPERANDS = {"data": Argument(), "axes": Argument("numbers", ranks=(1, 1))}
ONE_AXIS = {"data": Argument(), "axes": Argument("numbers", ranks=(0, 1))}  # O12
EXAMPLES: Examples = [((f32, None), {}, (1.5, None), 1.5)]
FIRST: Examples = [((f32,), {"axes": [0]}, (1.5,), 1.5)]


def _rule(
    names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any], negative: bool = True
) -> Shapes:
    data, axes = shapes[0], attributes["axes"]
    assert data is not None
    rank = len(data) + len(axes)
    new = axes_from_front(axes, rank, "the result", negative=negative)
    sizes = iter(data)
    result = bounded(tuple(1 if axis in new else next(sizes) for axis in range(rank)))
    return Shapes(result, (result, *(None for _ in shapes[1:])))


def _first_rule(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    return _rule(names, shapes, attributes, negative=False)


@versions(
    (25, 24, 23), "Unsqueeze", rows=beside_numbers(EVERYTHING_13), arguments=OPERANDS,
    shape=_rule, output="expanded", examples=EXAMPLES,
)  # fmt: skip
@versions(
    (21, 13), "Unsqueeze", rows=beside_numbers(EVERYTHING_13), arguments=ONE_AXIS,
    shape=_rule, output="expanded", examples=EXAMPLES,
)  # fmt: skip
def unsqueeze(data: Value, axes: None) -> Value:
    """Data with axes of size 1 more, at the given places of the result."""
    return data


@operator(
    "Unsqueeze", onnx(11, "Unsqueeze"), rows=same(EVERYTHING, 1), attributes=AXES,
    shape=_rule, output="expanded", examples=FIRST,
)  # fmt: skip
@operator(
    "Unsqueeze", onnx(1, "Unsqueeze"), rows=same(EVERYTHING, 1), attributes=AXES,
    shape=_first_rule, output="expanded", examples=FIRST,
)  # fmt: skip
def unsqueeze_by_attribute(data: Value) -> Value:
    """As Unsqueeze-13, with axes that are an attribute; they are not negative before opset 11."""
    return data
