"""Squeeze, ONNX opsets 1 to 25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import wholes
from lanewise.language.errors import InvalidError
from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import Shape, Shapes, text
from lanewise.language.sorts import f32
from lanewise.language.words import Value
from lanewise.operators.onnx.helpers import axes_from_front
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, Examples, beside_numbers, onnx, same, versions

AXES = {"axes": wholes(default=None)}
OPERANDS = {"data": Argument(), "axes": Argument("numbers", optional=True, ranks=(1, 1))}
EXAMPLES: Examples = [((f32, None), {}, (1.5, None), 1.5)]
FIRST: Examples = [((f32,), {}, (1.5,), 1.5)]


def _rule(
    names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any], negative: bool = True
) -> Shapes:
    data, axes = shapes[0], attributes.get("axes")
    assert data is not None
    if axes is None:  # O12: an empty list is a list
        gone = {axis for axis, size in enumerate(data) if size == 1}
    else:
        gone = set(axes_from_front(axes, len(data), "data", negative=negative))
        for axis in sorted(gone):
            if data[axis] != 1:
                raise InvalidError(
                    f"axes {list(axes)}: data has shape {text(data)}; axis {axis} has {data[axis]}, not 1"
                )
    result = tuple(size for axis, size in enumerate(data) if axis not in gone)
    return Shapes(result, (result, *(None for _ in shapes[1:])))


def _first_rule(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    return _rule(names, shapes, attributes, negative=False)


@versions(
    (25, 24, 23, 21, 13), "Squeeze", rows=beside_numbers(EVERYTHING_13), arguments=OPERANDS,
    shape=_rule, output="squeezed", examples=EXAMPLES,
)  # fmt: skip
def squeeze(data: Value, axes: None) -> Value:
    """Data without some axes of size 1: the given ones, or all."""
    return data


@operator(
    "Squeeze", onnx(11, "Squeeze"), rows=same(EVERYTHING, 1), attributes=AXES,
    shape=_rule, output="squeezed", examples=FIRST,
)  # fmt: skip
@operator(
    "Squeeze", onnx(1, "Squeeze"), rows=same(EVERYTHING, 1), attributes=AXES,
    shape=_first_rule, output="squeezed", examples=FIRST,
)  # fmt: skip
def squeeze_by_attribute(data: Value) -> Value:
    """As Squeeze-13, with axes that are an attribute; they are not negative before opset 11."""
    return data
