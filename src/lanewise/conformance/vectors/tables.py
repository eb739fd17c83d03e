"""A set as tables of numbers: .npz for Python, .csv for anything, .json with everything that is known of it."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lanewise.conformance.vectors.corpus import Column, VectorSet, attributes_shown
from lanewise.conformance.vectors.graphs import Array
from lanewise.conformance.vectors.tosa_folders import npy
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import from_patterns
from lanewise.language.sorts import AnySort, ArraySort, Sort, bf16, integer


def npz_files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """One archive: every operand, what is fixed, `result`, and `unpredictable` (there the result is 0).

    NumPy has no bfloat16 and would load bytes without a meaning, so these are bit patterns in uint16.
    """
    members: dict[str, Array] = {column.name: _stored(column.patterns, column.sort) for column in vectors.columns}
    for name, value, sort in fixed(vectors):
        patterns = value if isinstance(sort, ArraySort) else [value]
        members[name] = _stored(patterns, sort.element if isinstance(sort, ArraySort) else sort)
    members["result"] = _stored(vectors.results, vectors.row.output)
    members["unpredictable"] = np.array([bool(reason) for reason in vectors.broken])
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), npy(array))
    yield f"{vectors.name}.npz", stream.getvalue()


def _stored(patterns: Sequence[int], sort: Sort) -> Array:
    return from_patterns(patterns, integer(sort.width, False) if sort == bf16 else sort)


def stored_as(vectors: VectorSet) -> dict[str, str]:
    """The arrays of an archive that hold bit patterns, and how; what they stand for is in the summary's types."""
    return {name: "uint16 bit patterns" for name, sort in types(vectors).items() if sort == bf16}


def csv_files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """A line an element: each operand as a number and in two's complement hexadecimal, the result, the broken rule.

    A table is a file of its own, NAME_table.csv: a line an entry.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    result = Column("result", vectors.row.output, vectors.results)
    columns = [*vectors.columns, result]
    single = [(name, value, sort) for name, value, sort in fixed(vectors) if isinstance(sort, Sort)]
    heads = [head for column in columns[:-1] for head in (column.name, f"{column.name}_hex")]
    writer.writerow([*heads, *(name for name, *_ in single), "result", "result_hex", "unpredictable"])
    constants = [plain(value, sort) for _, value, sort in single]
    for at, reason in enumerate(vectors.broken):
        line: list[Any] = []
        for column in columns:
            if column is result:
                line += constants
            if column is result and reason:
                line += ["", ""]
            else:
                line += [plain(column.patterns[at], column.sort), hexadecimal(column.patterns[at], column.sort)]
        writer.writerow([*line, reason])
    yield f"{vectors.name}.csv", stream.getvalue().encode()
    for name, entries, sort in fixed(vectors):
        if isinstance(sort, ArraySort):
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["index", name, f"{name}_hex"])
            for index, entry in enumerate(entries):
                writer.writerow([index, plain(entry, sort.element), hexadecimal(entry, sort.element)])
            yield f"{vectors.name}_{name}.csv", stream.getvalue().encode()


def json_files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """One object: operator, row, attributes, what is fixed, columns of patterns in hexadecimal, what is broken."""
    report = {
        **summary(vectors),
        "operands": [
            {
                "name": column.name,
                "type": column.sort.name,
                "hex": [hexadecimal(pattern, column.sort) for pattern in column.patterns],
            }
            for column in vectors.columns
        ],
        "result": [
            None if reason else hexadecimal(pattern, vectors.row.output)
            for pattern, reason in zip(vectors.results, vectors.broken, strict=True)
        ],
        "broken": list(vectors.broken),
    }
    yield f"{vectors.name}.json", (json.dumps(report, indent=1) + "\n").encode()


def summary(vectors: VectorSet) -> dict[str, Any]:
    """What a set is, as the index of every format has it."""
    operator = vectors.operator
    return {
        "name": vectors.name,
        "title": vectors.title,
        "operator": operator.name,
        "specification": operator.release.specification,
        "version": operator.release.since,
        "section": operator.release.section,
        "row": str(vectors.row),
        "result_type": vectors.row.output.name,
        "types": {name: sort.name for name, sort in types(vectors).items()},
        "attributes": attributes_shown(vectors.choice.attributes),
        "fixed": {
            name: [hexadecimal(entry, sort.element) for entry in value]
            if isinstance(sort, ArraySort)
            else hexadecimal(value, sort)
            for name, value, sort in fixed(vectors)
        },
        "elements": len(vectors.results),
        "unpredictable": sum(map(bool, vectors.broken)),
    }


def fixed(vectors: VectorSet) -> list[tuple[str, Any, AnySort]]:
    """The arguments that the graph fixes: name, pattern or patterns, type."""
    sorts = dict(zip(vectors.operator.arguments, vectors.row.inputs, strict=False))
    return [(name, value, sorts[name]) for name, value in vectors.choice.fixed.items() if value is not None]


def types(vectors: VectorSet) -> dict[str, Sort]:
    """The element type of every operand, of what is fixed and of the result, by name."""
    found = {column.name: column.sort for column in vectors.columns}
    for name, _, sort in fixed(vectors):
        found[name] = sort.element if isinstance(sort, ArraySort) else sort
    return {**found, "result": vectors.row.output}


def plain(pattern: int, sort: Sort) -> str:
    """The number as text that reads back as itself."""
    value = number(pattern, sort)
    return repr(value) if isinstance(value, float) else str(int(value))


def hexadecimal(pattern: int, sort: Sort) -> str:
    """The bits in hexadecimal digits, as many as the type needs."""
    return f"{pattern:0{-(-sort.width // 4)}x}"
