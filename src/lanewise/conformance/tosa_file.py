"""What a TOSA file says before anybody asks whether its graph is right: that it is one, and what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lanewise.formats.flatbuffer import Reader
from lanewise.formats.tosa_schema import (
    IDENTIFIER,
    OPERATORS_0_23,
    OPERATORS_1,
    SCHEMA_0_23,
    SCHEMA_1,
    TYPES_0_23,
    TYPES_1,
    UNIONS_0_23,
    UNIONS_1,
)
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.operators import catalogue
from lanewise.operators.tosa.rows import VERSIONS

_PLACEHOLDERS = ("UNKNOWN", "RESERVED", "SHAPE")  # numbers of the schema that stand for no operator or element type


def missing(content: bytes, name: str) -> list[str]:
    """The operators and element types in a file that lanewise has not.

    InvalidError if the bytes are no whole TOSA file, or one of a version that lanewise has not: then
    there is no graph that could be refused, and nothing that could be skipped.
    """
    new = content[4:8] == IDENTIFIER
    schema, unions = (SCHEMA_1, UNIONS_1) if new else (SCHEMA_0_23, UNIONS_0_23)
    operators, types = (OPERATORS_1, TYPES_1) if new else (OPERATORS_0_23, TYPES_0_23)
    graph = Reader(content, schema, unions, name).root("Graph")
    version = _version(graph, name)
    if new == version.startswith("0."):
        raise InvalidError(f"{name}: says TOSA {version}, but has {'a' if new else 'no'} file identifier (from 1.0 on)")
    found: dict[str, None] = {}
    for block in _blocks(graph):
        for entry in block["operators"] or []:
            if entry["op"] < len(operators) and not _has(operators[entry["op"]], version):
                found.setdefault(operators[entry["op"]])
        for entry in block["tensors"] or []:
            sort = types[entry["type"]] if entry["type"] < len(types) else None
            if isinstance(sort, str):
                found.setdefault(sort)
    return [item for item in found if item not in _PLACEHOLDERS]


def _version(graph: Mapping[str, Any], name: str) -> str:
    """The version as lanewise names it: two numbers from 1.0 on."""
    stated = graph["version"]
    if stated is None:
        raise InvalidError(f"{name}: states no TOSA version")
    numbers = [stated[part] for part in ("major", "minor", "patch")]
    version = ".".join(map(str, numbers[: 2 if numbers[0] >= 1 else 3]))
    if version not in VERSIONS:
        raise InvalidError(f"{name}: TOSA version {'.'.join(map(str, numbers))}; lanewise has {', '.join(VERSIONS)}")
    return version


def _blocks(graph: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from graph.get("blocks") or []
    for region in graph.get("regions") or []:
        yield from region["blocks"] or []


def _has(operator: str, version: str) -> bool:
    if operator == "CONST_SHAPE":  # for lanewise a constant of the graph, no operator
        return True
    try:
        catalogue.find("tosa", operator, version)
    except UnsupportedError:
        return False
    return True
