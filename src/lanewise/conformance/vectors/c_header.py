"""A set as a C99 header: one array an operand, one for results, one of flags, all as bit patterns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.tables import fixed
from lanewise.engines.storage import storage_width
from lanewise.language.sorts import ArraySort, Sort

SIGNIFICANT = 63  # first characters of a name that every C99 compiler tells apart
_A_LINE = 8  # numbers


def files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """One header, which needs nothing but <stdint.h>."""
    name = prefix(vectors)
    lines = [
        f"/* {vectors.title}",
        " * Bit patterns in unsigned integers, a type of odd width in the low bits of the next wider one.",
        f" * Where {name}_unpredictable is 1 there is no defined result, and 0 stands for it. */",
        f"#ifndef LANEWISE_{name}_H",
        f"#define LANEWISE_{name}_H",
        "#include <stdint.h>",
        f"#define {name}_COUNT {len(vectors.results)}",
    ]
    for column in vectors.columns:
        lines += _array(f"{name}_{column.name}", column.sort, column.patterns)
    for label, value, sort in fixed(vectors):
        if isinstance(sort, ArraySort):
            lines += _array(f"{name}_{label}", sort.element, value)
        else:
            assert isinstance(sort, Sort)
            lines += _array(f"{name}_{label}", sort, [value])
    lines += _array(f"{name}_result", vectors.row.output, vectors.results)
    flags = [int(bool(reason)) for reason in vectors.broken]
    lines += _array(f"{name}_unpredictable", None, flags)
    lines.append("#endif")
    yield f"{vectors.name}.h", ("\n".join(lines) + "\n").encode()


def prefix(vectors: VectorSet) -> str:
    """What the header's names start with: the set's name, cut and told apart by its hash where that is too long."""
    labels = [*(column.name for column in vectors.columns), *(label for label, *_ in fixed(vectors)), "unpredictable"]
    room = SIGNIFICANT - max(len("LANEWISE__H"), *(len(f"_{label}") for label in labels))
    if len(vectors.name) <= room:
        return vectors.name
    mark = hashlib.sha256(vectors.name.encode()).hexdigest()[:8]
    return f"{vectors.name[: room - 9].rstrip('_')}_{mark}"


def _array(name: str, sort: Sort | None, patterns: Sequence[int]) -> list[str]:
    width = 8 if sort is None else storage_width(sort)
    digits = 1 if sort is None else width // 4
    suffix = {32: "u", 64: "ull"}.get(width, "")
    numbers = [f"0x{pattern:0{digits}x}{suffix}" for pattern in patterns]
    rows = [", ".join(numbers[at : at + _A_LINE]) for at in range(0, len(numbers), _A_LINE)]
    return [f"static const uint{width}_t {name}[{len(numbers)}] = {{", *(f"  {row}," for row in rows), "};"]
