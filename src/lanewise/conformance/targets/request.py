"""The question for a target: an operator with its attributes and operands, as the protocol has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.conformance.targets.protocol import Array, Message, tensor
from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort


def request(
    operator: Operator,
    output: Sort,
    attributes: Mapping[str, Any],
    operands: Sequence[Array | None],
    layout: str = "contiguous",
) -> Message:
    """The message; an operand that is absent is None. A lone number has the rank that its argument asks for."""
    return {
        "do": "run",
        "specification": operator.release.specification,
        "operator": operator.name,
        "version": operator.release.since,
        "attributes": {
            name: getattr(value, "name", value)
            for name, value in attributes.items()
            if name in operator.own_attributes or name == operator.output_attribute
        },
        "output": output.name,
        "inputs": [None if one is None else tensor(_ranked(operator, k, one)) for k, one in enumerate(operands)],
        "layout": layout,
    }


def _ranked(operator: Operator, k: int, array: Array) -> Array:
    if operator.release.specification == "onnx" and operator.argument(k).ranks == (0, 0):
        return array.reshape(())
    return array if array.ndim else array.reshape(1)
