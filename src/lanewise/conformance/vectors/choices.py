"""What a graph fixes beside its elements: attributes, scalars, tables; every choice that reaches another branch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lanewise.conformance.vectors.elements import Generator, boundaries
from lanewise.language.attributes import REQUIRED
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import AnySort, ArraySort, Sort, from_pattern, to_pattern

MOST = 10  # choices of what is fixed, for one row and its attributes


@dataclass(frozen=True)
class Choice:
    """Attributes as a graph states them, and patterns of the arguments that it fixes; None: an argument left out."""

    attributes: Mapping[str, Any]
    fixed: Mapping[str, Any]


def choices(operator: Operator, row: Row) -> Iterator[Choice]:
    """Every choice for a row; some may be forbidden for it, which the definition says."""
    for attributes in _attributes(operator, row):
        late = {
            name: _late(name, operator, sort, attributes)
            for name, sort in zip(operator.arguments, row.inputs, strict=False)
            if _is_fixed(operator, name, attributes)
        }
        count = min(MOST, max([1, *(len(values) for values in late.values())]))
        for turn in range(count):
            yield Choice(attributes, {name: values[turn % len(values)] for name, values in late.items()})


def _is_fixed(operator: Operator, name: str, attributes: Mapping[str, Any]) -> bool:
    """Whether an argument is one value for all elements, and not an operand that goes from element to element."""
    argument = operator.arguments[name]
    if argument.use == "channel":
        return not attributes.get("per_channel", False)
    return argument.use in ("scalar", "table") or (argument.use == "elements" and argument.ranks == (0, 0))


def _attributes(operator: Operator, row: Row) -> Iterator[dict[str, Any]]:
    """All choices of those that the definition takes; the rest, which steer shapes only, as they are by default."""
    first = row.inputs[0] if row.inputs else row.output
    pairs = _bounds(operator, first)
    listed: dict[str, tuple[Any, ...]] = {}
    for name, attribute in operator.attributes.items():
        if name == operator.output_attribute:
            listed[name] = (row.output,)
        elif attribute.choices and (name in operator.own_attributes or name == "per_channel"):
            listed[name] = attribute.choices
        elif name not in operator.own_attributes and attribute.default is REQUIRED:
            listed[name] = ((0,),)  # a list of axes: the first
    for values in itertools.product(*listed.values()):
        for bounds in pairs:
            yield {**dict(zip(listed, values, strict=True)), **bounds}


def _bounds(operator: Operator, sort: AnySort) -> list[dict[str, Any]]:
    """Attributes that are numbers go in pairs: bounds of a range, or zero points."""
    names = [
        name
        for name, attribute in operator.attributes.items()
        if name in operator.own_attributes and not attribute.choices and name != operator.output_attribute
    ]
    if not names:
        return [{}]
    if all(name.endswith("_zp") for name in names):
        pairs: list[tuple[Any, ...]] = [(0, 0), (-128, 127), (1, -1), (0, -128), (255, 0), (128, 128)]
    elif isinstance(sort, Sort) and sort.kind == "float":
        pairs = [(-1.0, 1.0), (0.0, 6.0), (0.5, 0.5)]
    else:
        assert isinstance(sort, Sort)
        pairs = [(sort.lowest, sort.highest), (-10, 20), (0, 6), (5, 5)]
    return [dict(zip(names, pair, strict=False)) for pair in pairs]


def _late(name: str, operator: Operator, sort: AnySort, attributes: Mapping[str, Any]) -> list[Any]:
    """Values for an argument of a graph: patterns, tuples of them for tables, None for absent."""
    argument = operator.arguments[name]
    if isinstance(sort, ArraySort):
        return tables(sort)
    if argument.use == "channel":
        return _scale(name, sort, attributes)
    if argument.optional:
        return [*boundaries(sort)[:5], None]
    if name.endswith("zp"):
        return [to_pattern(value, sort) for value in (0, sort.lowest, sort.highest, 1) if value <= sort.highest]
    numbers = [0, 1, 2, 31, 62, 63, 30, 32, 64, -1]
    return [to_pattern(value, sort) for value in numbers if sort.lowest <= value <= sort.highest]


def _scale(name: str, sort: Sort, attributes: Mapping[str, Any]) -> list[int]:
    """Multipliers and the shifts that belong to them: usual ones, both ends of each, and one beyond."""
    width = 32 if attributes.get("scale32", True) else 16
    half, top = 1 << (width - 2), (1 << (width - 1)) - 1
    pairs = [(half, width - 2), (top, width - 1), (half, width + 6), (1, 2), (top, 62), (0, 30), (-1, 30), (half, 1)]
    values = [pair[1] if name == "shift" else pair[0] for pair in pairs]
    return [to_pattern(value, sort) for value in values]


def tables(sort: ArraySort) -> list[tuple[int, ...]]:
    """Tables: the identity, a falling one, the steepest, one with random entries, and the flattest."""
    element, length = sort.element, sort.length
    mask = (1 << element.width) - 1
    step = (1 << element.width) // (length - 1 if length % 2 else length)
    rising = [min(element.lowest + index * step, element.highest) & mask for index in range(length)]
    steep = [(element.lowest if index % 2 else element.highest) & mask for index in range(length)]
    generator = Generator(f"table of {sort.name}")
    wild = [generator.word() & mask for _ in range(length)]
    # Steps just within, and just beyond, what an element's type holds.
    near = [(element.highest - 1 if index % 4 < 2 else -1) & mask for index in range(length)]
    near[length // 2] = element.lowest & mask
    return [tuple(rising), tuple(reversed(rising)), tuple(steep), tuple(wild), tuple(near), (0,) * length]


def shown(value: Any, sort: AnySort) -> str:
    """A fixed value as text."""
    if value is None:
        return "absent"
    if isinstance(sort, ArraySort):
        return f"table of {len(value)}"
    return str(from_pattern(value, sort)) if sort.kind != "float" else f"{value:#x}"
