"""What `--operator` and `--type` leave of the questions: each label that a report shows finds what it stands for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from lanewise.conformance.judging.cells import Cell

SHARED = re.compile(r"(\w+)-(\d[\d.]*(?:/\d[\d.]*)+)")  # versions that a report tells together: 'Cast-28/25/24'
SHOWN = 20  # types in a line


def matches(cell: Cell, operators: str | None, types: str | None) -> bool:
    """Whether a cell is meant by regular expressions, which may stand anywhere; capitals and small letters are one."""
    return _operator(cell, operators) and _type(cell, types)


def hint(cells: Iterable[Cell], operators: str | None, types: str | None) -> str:
    """Which of the two expressions finds nothing of these cells, and what is near or allowed; "" if each finds some."""
    found = list(cells)
    alike = [cell for cell in found if _operator(cell, operators)]
    if operators is not None and not alike:
        versioned = "-" in operators
        names = {label.lower(): label for cell in found for label in (labels(cell)[versioned],)}
        close = difflib.get_close_matches(operators.strip("^$").lower(), names, 3)
        near = f"did you mean {' or '.join(names[one] for one in close)}? " if close else ""
        return (
            f"--operator {operators!r} is none of their operators; {near}allowed: names as Add, MUL-1.1, TOSA MUL 1.1"
        )
    if types is not None and not any(_type(cell, types) for cell in alike):
        kinds = list(dict.fromkeys(cell.type_text for cell in alike))
        rest = f" and {len(kinds) - SHOWN} more" if len(kinds) > SHOWN else ""
        return f"--type {types!r} is none of their types; allowed: {', '.join(kinds[:SHOWN])}{rest}"
    return ""


def labels(cell: Cell) -> tuple[str, ...]:
    """The operator as reports show it: 'MUL', 'MUL-1.1', as a row of the matrix, and before its types in a finding."""
    name, since, specification = cell.record.name, cell.record.release.since, cell.specification
    return name, f"{name}-{since}", f"{specification} {name} {since}"


def _operator(cell: Cell, pattern: str | None) -> bool:
    if pattern is None:
        return True
    shared = SHARED.fullmatch(pattern)
    if shared is not None:
        pattern = f"^{shared[1]}-({'|'.join(map(re.escape, shared[2].split('/')))})$"
    return any(re.search(pattern, label, re.IGNORECASE) for label in labels(cell))


def _type(cell: Cell, pattern: str | None) -> bool:
    return pattern is None or re.search(pattern, cell.type_text, re.IGNORECASE) is not None
