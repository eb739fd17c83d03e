"""A call's arguments as operands: arrays of one element type each, known scalars, attributes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, sort_of
from lanewise.graph import arrays
from lanewise.graph.arrays import Array
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import InvalidError, brief
from lanewise.language.operator import Operator, profiles_of
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.language.words import Value, literal


def bind(operator: Operator, operands: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Operands in the record's order (None where an optional one is absent) and attributes."""
    names = list(operator.arguments)
    if operator.variadic:
        if not operands:
            raise InvalidError(f"{operator.label}: needs at least one operand")
        return list(operands), keywords
    if len(operands) > len(names):
        raise InvalidError(f"{operator.label}: takes {len(names)} operands ({', '.join(names)}), not {len(operands)}")
    given: list[Any] = []
    for position, name in enumerate(names):
        argument = operator.arguments[name]
        if position < len(operands):
            if name in keywords:
                raise InvalidError(f"{operator.label}: {name} is given twice")
            value = operands[position]
        else:
            value = keywords.pop(name, argument.default)
        if value is REQUIRED or (value is None and not argument.optional):
            if argument.optional:
                value = None
            else:
                raise InvalidError(f"{operator.label}: {name} is missing; it takes {', '.join(names)}")
        given.append(value)
    return given, keywords


def typed(
    operator: Operator, names: list[str], given: list[Any], attributes: Mapping[str, Any], profile: str | None
) -> list[Any]:
    """Operands as arrays, or as known `Value`s for scalars that are attributes."""
    values: list[Any] = list(given)
    first: Sort | None = None
    found: list[Sort | None] = [None] * len(given)
    for k, value in enumerate(given):
        if operator.argument(k).use == "elements" and value is not None and not arrays.is_number(value):
            values[k] = arrays.as_array(value, f"{operator.label}: {names[k]}")
            found[k] = arrays.sort_for(values[k], f"{operator.label}: {names[k]}")
            first = first or found[k]
    for k, value in enumerate(given):
        argument, who = operator.argument(k), f"{operator.label}: {names[k]}"
        if value is None:
            continue
        if argument.use == "elements":
            if arrays.is_number(value):
                sort = first if operator.variadic else _sort_beside(operator, k, tuple(found), first)
                if sort is None:
                    raise InvalidError(
                        f"{who} is {brief(value)}: give an array or a NumPy scalar, which have an element type"
                    )
                values[k] = arrays.number_as(value, sort, who)
        elif argument.use == "numbers":
            values[k] = _numbers(operator, k, value, who)
        else:
            values[k] = _late(operator, k, value, first, attributes, who, profile)
        if isinstance(values[k], np.ndarray) and argument.use != "scalar":  # those are one element by now
            operator.check_shape(k, names[k], values[k].shape)
    return values


@lru_cache(maxsize=1000)
def _sort_beside(operator: Operator, k: int, found: tuple[Sort | None, ...], first: Sort | None) -> Sort | None:
    """The type that a plain number takes beside operands of these types; None if several would do."""
    listed = {
        row.inputs[k]
        for row in operator.rows
        if all(sort is None or sort == have for sort, have in zip(found, row.inputs, strict=False))
    }
    if not listed:
        return first  # no row fits: the message about that comes later, and is the better one
    (only,) = listed if len(listed) == 1 else (None,)
    return only if isinstance(only, Sort) else None


def _numbers(operator: Operator, k: int, value: Any, who: str) -> Array:
    """A shape or axes: an array as it is, or a list (or one number) of the type in the rows."""
    if not isinstance(value, np.ndarray):
        value = arrays.list_as([value] if arrays.is_number(value) else value, operator.rows[0].inputs[k], who)
    array: Array = value
    return array


def _late(
    operator: Operator,
    k: int,
    value: Any,
    first: Sort | None,
    attributes: Mapping[str, Any],
    who: str,
    profile: str | None,
) -> Any:
    """An argument that is an attribute in some profiles: a number or list, or an array as an input."""
    argument = operator.argument(k)
    rows = [row for row in operator.rows if row.inputs[0] == first]
    rows = rows or [row for row in operator.rows if _stored(row.inputs[0]) == first] or list(operator.rows)  # int48
    sort: AnySort = rows[0].inputs[k]
    if argument.sort is not None:
        sort = _own_sort(operator, k, value) or argument.sort(operator.read_attributes(attributes))
    if argument.use == "scalar":
        if isinstance(value, np.ndarray):
            if profile is not None and set(profiles_of(profile)) <= set(argument.attribute_in):
                raise InvalidError(f"{who} is an array; in profile {profile} it is an attribute, a plain number")
            if value.size != 1:
                raise InvalidError(f"{who} has shape {value.shape}; it is one number")
            return arrays.list_as(value.reshape(()), sort, who)
        assert isinstance(sort, Sort)
        if isinstance(value, np.generic):
            value = value.item()
        if not arrays.is_number(value):
            raise InvalidError(f"{who} is {brief(value)}; it is one number")
        try:
            return literal(value, sort)
        except InvalidError:
            raise InvalidError(f"{who} is {brief(value)}; allowed: {sort.lowest} to {sort.highest}") from None
    return arrays.list_as([value] if arrays.is_number(value) else value, sort, who)


def _own_sort(operator: Operator, k: int, value: Any) -> AnySort | None:
    """The type of an array that some row has there: the definition, not a conversion, decides whether it is right."""
    listed = {row.inputs[k] for row in operator.rows} if isinstance(value, np.ndarray) else ()
    return next((sort for sort in listed if sort_of(value.dtype) == _stored(sort)), None)


def operand_sort(operator: Operator, k: int, value: Any, name: str) -> AnySort | None:
    if value is None:
        return None
    if isinstance(value, Value):
        return value.sort
    rows = operator.rows
    use = operator.argument(k).use
    if use == "table":
        # The record's array sorts say how long a table is for which input; the row decides.
        lengths = {sort.length for row in rows if isinstance(sort := row.inputs[k], ArraySort)}
        element = sort_of(value.dtype)
        if value.ndim != 1 or element is None:
            raise InvalidError(f"{operator.label}: {name} has shape {value.shape}; it is a list of {sorted(lengths)}")
        return ArraySort(element, value.shape[0])
    if use in ("scalar", "channel"):
        return next(s for s in {row.inputs[k] for row in rows} if sort_of(value.dtype) == _stored(s))
    found = arrays.sort_for(value, f"{operator.label}: {name}")
    if use == "elements" and not operator.variadic:
        # int48 lies in int64: where no row has int64, a row's narrower integer is meant.
        listed = {row.inputs[k] for row in rows}
        if found not in listed:
            return next((s for s in listed if isinstance(s, Sort) and _stored(s) == found), found)
    return found


def _stored(sort: AnySort) -> Sort | None:
    return sort_of(dtype_of(sort))
