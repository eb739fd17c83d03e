"""What a definition demands and offers, read off its record: requirements by types, rows, values of attributes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator, Row


def row_text(row: Row) -> str:
    """A row with its profiles, where it has some."""
    return f"{row}  {', '.join(sorted(row.profiles))}" if row.profiles else str(row)


def requirements(record: Operator) -> dict[str, list[str]]:
    """Every requirement that the definition records, with the input types for which it does."""
    found: dict[str, list[str]] = {}
    for row in () if record.constant else record.rows:
        first = row.inputs[0].name if row.inputs else "-"
        for attributes in settings(record, row):
            try:
                function = record.function(row.inputs, row.output, attributes)
            except LanewiseError:
                continue  # these attributes are forbidden for this row
            for requirement in function.requirements:
                sorts = found.setdefault(requirement.reason, [])
                if first not in sorts:
                    sorts.append(first)
    return found


def settings(record: Operator, row: Row) -> Iterator[dict[str, Any]]:
    """Attribute values that reach every branch of a definition: all choices, else the default."""
    names = list(record.attributes)
    values: list[tuple[Any, ...]] = []
    for name in names:
        attribute = record.attributes[name]
        if name == record.output_attribute:
            values.append((row.output,))
        elif attribute.choices:
            values.append(attribute.choices)
        else:
            values.append((0 if attribute.default is REQUIRED else attribute.default,))
    for combination in itertools.product(*values):
        yield dict(zip(names, combination, strict=True))
