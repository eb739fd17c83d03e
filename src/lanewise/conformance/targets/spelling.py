"""A library's spelling of a case, by the operator's Python name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lanewise.conformance.targets.case import Case, NotThere
from lanewise.graph.signature import python_name


def spelt(classes: Mapping[str, type], case: Case, operands: list[Any]) -> Any:
    """The result of the method that is named as the operator; NotThere if the library has no such thing."""
    written = getattr(classes[case.specification](case.output), python_name(case.operator), None)
    result = NotImplemented if written is None else written(*operands, **case.attributes)
    if result is NotImplemented:
        raise NotThere(f"{case.operator} has no spelling of its own there")
    return result
