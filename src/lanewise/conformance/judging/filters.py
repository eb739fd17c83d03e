"""What `--operator` and `--type` leave of the questions: each label that a report shows finds what it stands for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from lanewise.conformance.judging.cells import Cell

SHARED = re.compile(r"(\w+)-(\d[\d.]*(?:/\d[\d.]*)+)")  # versions that a report tells together: 'Cast-28/25/24'
SHOWN = 20  # types in a line


def matches(cell: Cell, operators: Sequence[str], types: Sequence[str]) -> bool:
    """Whether one of the regular expressions of each kind, if there are any, is found in a label of the cell's."""
    return (not operators or any(_operator(cell, pattern) for pattern in operators)) and (
        not types or any(_type(cell, pattern) for pattern in types)
    )


def hint(cells: Iterable[Cell], operators: Sequence[str], types: Sequence[str]) -> str:
    """Which expression finds nothing of these cells, and what is near or allowed; "" if each finds some."""
    found = list(cells)
    for pattern in operators:
        if not any(_operator(cell, pattern) for cell in found):
            versioned = "-" in pattern
            names = {label.lower(): label for cell in found for label in (labels(cell)[versioned],)}
            close = difflib.get_close_matches(pattern.strip("^$").lower(), names, 3)
            near = f"did you mean {' or '.join(names[one] for one in close)}? " if close else ""
            allowed = "allowed: names as Add, MUL-1.1, TOSA MUL 1.1"
            return f"--operator {pattern!r} is none of their operators; {near}{allowed}"
    alike = [cell for cell in found if matches(cell, operators, ())]
    for pattern in types:
        if not any(_type(cell, pattern) for cell in alike):
            kinds = list(dict.fromkeys(cell.type_text for cell in alike))
            rest = f" and {len(kinds) - SHOWN} more" if len(kinds) > SHOWN else ""
            return f"--type {pattern!r} is none of their types; allowed: {', '.join(kinds[:SHOWN])}{rest}"
    return ""


def labels(cell: Cell) -> tuple[str, ...]:
    """The operator as reports show it: 'MUL', 'MUL-1.1', as a row of the matrix, and before its types in a finding."""
    name, since, specification = cell.record.name, cell.record.release.since, cell.specification
    return name, f"{name}-{since}", f"{specification} {name} {since}"


def _operator(cell: Cell, pattern: str) -> bool:
    shared = SHARED.fullmatch(pattern)
    if shared is not None:
        pattern = f"^{shared[1]}-({'|'.join(map(re.escape, shared[2].split('/')))})$"
    return any(re.search(pattern, label, re.IGNORECASE) for label in labels(cell))


def _type(cell: Cell, pattern: str) -> bool:
    return re.search(pattern, cell.type_text, re.IGNORECASE) is not None
