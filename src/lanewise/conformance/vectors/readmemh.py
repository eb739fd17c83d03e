"""A set as text for SystemVerilog's $readmemh: a file an operand, results, flags, and the list of what is covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.coverage import coverage
from lanewise.conformance.vectors.tables import fixed, hexadecimal
from lanewise.language.sorts import ArraySort, Sort, boolean


def files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """A folder: NAME.hex for each operand and fixed value, result.hex, unpredictable.hex, coverage.txt."""
    folder = vectors.name
    for column in vectors.columns:
        yield f"{folder}/{column.name}.hex", _memory(vectors, column.name, column.sort, column.patterns)
    for name, value, sort in fixed(vectors):
        if isinstance(sort, ArraySort):
            yield f"{folder}/{name}.hex", _memory(vectors, name, sort.element, value)
        else:
            assert isinstance(sort, Sort)
            yield f"{folder}/{name}.hex", _memory(vectors, name, sort, [value])
    yield f"{folder}/result.hex", _memory(vectors, "result", vectors.row.output, vectors.results)
    flags = [int(bool(reason)) for reason in vectors.broken]
    yield f"{folder}/unpredictable.hex", _memory(vectors, "unpredictable", boolean, flags)
    yield f"{folder}/coverage.txt", ("\n".join(coverage(vectors)) + "\n").encode()


def _memory(vectors: VectorSet, name: str, sort: Sort, patterns: Sequence[int]) -> bytes:
    """One word a line; the comment says how wide it is, and how many there are."""
    head = f"// {vectors.title}\n// {name}: reg [{sort.width - 1}:0] memory [0:{len(patterns) - 1}];\n"
    return (head + "".join(f"{hexadecimal(pattern, sort)}\n" for pattern in patterns)).encode()
