"""Every node that ONNX to TOSA has a rule for, once for each definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import AnySort
from lanewise.lowering.rule import Source
from lanewise.operators import catalogue

OPERANDS = (1, 2, 3)  # of a variadic operator; more are more of the same
CHOICES: dict[str, Sequence[Any]] = {"direction": ("LEFT", "RIGHT"), "fmod": (False, True)}
# Bounds as attributes: none, in order, out of order, zeros of both signs.
BOUNDS: Sequence[Mapping[str, Any]] = (
    {},
    {"min": -1.0, "max": 1.0},
    {"min": 3.0, "max": 2.0},
    {"min": 0.0, "max": -0.0},
)


def sources(names: Sequence[str]) -> Iterator[Source]:
    """The nodes of these operators, the newest record first; older ones where they differ."""
    for name in names:
        seen = set()
        for record in reversed(catalogue.versions_of("onnx")[name]):
            for source in _of_record(record):
                own = tuple((k, repr(v)) for k, v in source.attributes.items() if k in record.own_attributes)
                key = (record.meaning, source.types, source.output, own)
                if key not in seen:
                    seen.add(key)
                    yield source


def _of_record(record: Operator) -> Iterator[Source]:
    for row in record.rows:
        for given in _attributes(record, row):
            attributes = record.read_attributes(given)
            for types in _types(record, row):
                yield Source(record, types, row.output, attributes)


def _attributes(record: Operator, row: Row) -> Iterator[Mapping[str, Any]]:
    if record.output_attribute is not None:
        yield {record.output_attribute: row.output.name}
    elif {"min", "max"} <= record.own_attributes:
        yield from BOUNDS
    else:
        names = sorted(record.own_attributes & set(CHOICES))
        for values in product(*(CHOICES[name] for name in names)):
            given = dict(zip(names, values, strict=True))
            if not _forbidden(record, row, given):
                yield given


def _forbidden(record: Operator, row: Row, given: Mapping[str, Any]) -> bool:
    """Floats have one remainder only before opset 28."""
    real = any(getattr(sort, "kind", "") == "float" for sort in row.inputs)
    return real and given.get("fmod") is False and record.release.since != 28


def _types(record: Operator, row: Row) -> Iterator[tuple[AnySort | None, ...]]:
    if record.variadic:
        yield from (row.inputs * count for count in OPERANDS)
        return
    optional = [argument.optional for argument in record.arguments.values()]
    for absent in product(*((False, True) if may else (False,) for may in optional)):
        yield tuple(None if gone else sort for gone, sort in zip(absent, row.inputs, strict=True))
