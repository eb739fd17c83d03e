"""An operator inside a definition: applied to traced values instead of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.errors import InvalidError, LanewiseError, brief
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, Sort
from lanewise.language.words import Value, literal
from lanewise.operators import catalogue


def apply_traced(
    operator: Operator, given: Sequence[Any], attributes: Mapping[str, Any], profile: str | None = None
) -> Value:
    """The operator's meaning for values of a definition under way; its requirements become the definition's.

    Numbers take the type that the row has in their place. What only moves elements gives its operand.
    """
    names = operator.argument_names(len(given))
    types: list[AnySort | None] = [operand.sort if isinstance(operand, Value) else None for operand in given]
    if operator.variadic:  # all of one type
        types = [next(sort for sort in types if sort is not None) if sort is None else sort for sort in types]
    attributes = operator.read_attributes(attributes)
    row = catalogue.row_of(operator, types, attributes, profile)
    operands: list[Value | None] = []
    for k, (name, operand) in enumerate(zip(names, given, strict=True)):
        if operand is None or isinstance(operand, Value) or operator.argument(k).use == "numbers":
            operands.append(operand if isinstance(operand, Value) else None)
            continue
        sort = row.inputs[0 if operator.variadic else k]
        if not isinstance(operand, int | float) or not isinstance(sort, Sort):
            raise InvalidError(
                f"{operator.label}: {name} is {brief(operand)}; beside traced values it is a traced value or a number"
            )
        try:
            operands.append(literal(operand, sort))
        except LanewiseError as error:
            raise type(error)(f"{operator.label}: {name}: {error}") from None
    own = {name: value for name, value in attributes.items() if name in operator.own_attributes}
    try:
        result: Value = operator.meaning(*operands, **own)
    except LanewiseError as error:
        raise type(error)(f"{operator.label}: {error}") from None
    return result
