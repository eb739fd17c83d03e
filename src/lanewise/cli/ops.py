"""`lanewise ops`: the catalogue for readers."""

from __future__ import annotations

import inspect
import json
from typing import Any

from lanewise.graph.requirements import requirements, row_text
from lanewise.language.attributes import REQUIRED
from lanewise.language.operator import Example, Operator
from lanewise.language.sorts import Sort
from lanewise.operators.catalogue import SPECIFICATIONS, specification_of, versions_of


def ops_command(name: str | None, as_json: bool) -> None:
    """Prints all operators, or one."""
    if name is None:
        _print_all(as_json)
        return
    records = versions_of(specification_of(name))[name]
    if as_json:
        print(json.dumps([describe(record) for record in records], indent=2))
        return
    for record in reversed(records):
        _print_one(record)


def _print_all(as_json: bool) -> None:
    if as_json:
        listing = {
            specification: {
                name: [r.release.since for r in records] for name, records in versions_of(specification).items()
            }
            for specification in SPECIFICATIONS
        }
        print(json.dumps(listing, indent=2))
        return
    for specification in SPECIFICATIONS:
        print(f"{specification.upper()}")
        operators = versions_of(specification)
        width = max(map(len, operators))
        for name, records in operators.items():
            since = ", ".join(str(record.release.since) for record in records)
            print(f"  {name:{width}}  {since}")


def _print_one(record: Operator) -> None:
    print(f"{record.label} ({record.release.title}, {record.release.section})")
    for line in (inspect.getdoc(record.meaning) or "").splitlines():
        print(f"  {line}".rstrip())
    print("  rows:")
    for line in map(row_text, record.rows):
        print(f"    {line}")
    for name, attribute in record.attributes.items():
        default = "required" if attribute.default is REQUIRED else f"default {_value(attribute.default)}"
        print(f"  attribute {name}: {attribute.allowed}; {default}")
    for name, argument in record.arguments.items():
        if argument.attribute_in:
            print(f"  {name}: an attribute in profiles {', '.join(argument.attribute_in)}, else an input")
    for reason, sorts in requirements(record).items():
        print(f"  requires {reason}  [{', '.join(sorts)}]")
    for example in record.examples:
        operands, settings, result = example_text(example)
        print(f"  example {operands}{f' {{{settings}}}' if settings else ''} → {result}")
    print()


def describe(record: Operator) -> dict[str, Any]:
    """A record as JSON."""
    return {
        "name": record.name,
        "specification": record.release.specification,
        "since": record.release.since,
        "section": record.release.section,
        "meaning": inspect.getdoc(record.meaning) or "",
        "rows": [
            {
                "inputs": [sort.name for sort in row.inputs],
                "output": row.output.name,
                **({"profiles": sorted(row.profiles)} if row.profiles else {}),
            }
            for row in record.rows
        ],
        "attributes": {name: attribute.allowed for name, attribute in record.attributes.items()},
        "requirements": requirements(record),
        "examples": [
            {
                "types": [sort and sort.name for sort in example.types],
                "attributes": {key: _value(value) for key, value in example.attributes.items()},
                "operands": [_operand(value) for value in example.operands],
                "result": _value(example.result),
            }
            for example in record.examples
        ],
    }


def example_text(example: Example) -> tuple[str, str, str]:
    """Operands with their types, attributes, and result, as text."""
    operands = ", ".join(
        "absent" if sort is None else f"{sort.name} {_operand(value)}"
        for sort, value in zip(example.types, example.operands, strict=True)
    )
    settings = ", ".join(f"{key}={_value(value)}" for key, value in example.attributes.items())
    return operands, settings, _value(example.result)


def _value(value: Any) -> str:
    return value.name if isinstance(value, Sort) else str(value)


def _operand(value: Any) -> str:
    return f"[{len(value)} entries]" if isinstance(value, list | tuple) else str(value)
