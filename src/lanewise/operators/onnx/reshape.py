"""Reshape, ONNX opsets 1 to 25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import flag, wholes
from lanewise.language.errors import InvalidError
from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import Shape, Shapes, reshaped
from lanewise.language.sorts import f32
from lanewise.language.words import Value
from lanewise.operators.onnx.rows import (
    CONSUMED,
    EVERYTHING,
    EVERYTHING_13,
    FLOATS,
    Examples,
    beside_numbers,
    onnx,
    same,
    versions,
)

OPERANDS = {"data": Argument(), "shape": Argument("numbers", ranks=(1, 1))}
ALLOWZERO = {"allowzero": flag(default=False)}
EXAMPLES: Examples = [((f32, None), {}, (1.5, None), 1.5)]


def _rule(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    data, wanted = shapes[0], attributes["shape"]
    assert data is not None
    if wanted is None:
        raise InvalidError("attribute shape is missing")  # O11
    zero = attributes.get("allowzero", False)
    if zero and 0 in wanted and -1 in wanted:
        raise InvalidError(f"shape {list(wanted)} has 0 and -1, which allowzero forbids: any size would do for -1")
    result = reshaped(data, wanted, copy_zero=not zero, infer=True)
    return Shapes(result, (result, *(None for _ in shapes[1:])))


@versions(
    (25, 24, 23, 21, 19, 14), "Reshape", rows=beside_numbers(EVERYTHING_13), arguments=OPERANDS,
    attributes=ALLOWZERO, shape=_rule, output="reshaped", examples=EXAMPLES,
)  # fmt: skip
@operator(
    "Reshape", onnx(13, "Reshape"), rows=beside_numbers(EVERYTHING_13), arguments=OPERANDS,
    shape=_rule, output="reshaped", examples=EXAMPLES,
)  # fmt: skip
@operator(
    "Reshape", onnx(5, "Reshape"), rows=beside_numbers(EVERYTHING), arguments=OPERANDS,
    shape=_rule, output="reshaped", examples=EXAMPLES,
)  # fmt: skip
def reshape(data: Value, shape: None) -> Value:
    """The elements of data, in row-major order, in another shape.

    A size of -1 is what is left over; 0 is the size that data has there, or with allowzero itself.
    """
    return data


@operator(
    "Reshape", onnx(1, "Reshape"), rows=same(FLOATS, 1), attributes={"shape": wholes(default=None), **CONSUMED},
    shape=_rule, output="reshaped", examples=[((f32,), {"shape": ()}, (1.5,), 1.5)],
)  # fmt: skip
def reshape_by_attribute(data: Value) -> Value:
    """As Reshape-5, with a shape that is an attribute."""
    return data
