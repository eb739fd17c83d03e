"""Versions of an operator that are told together: 'Cast-28/25/24', where the same is said of each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from lanewise.conformance.judging.cells import Cell

Rest = TypeVar("Rest", bound=Hashable)
SHOWN = 8  # types in a line


def label(cell: Cell) -> str:
    """An operator with its version, of either specification: 'Cast-28', 'CAST-1.1'."""
    return f"{cell.record.name}-{cell.record.release.since}"


def merged(said: Iterable[tuple[str, Rest]]) -> list[tuple[str, Rest]]:
    """Labels and what is said of them; versions of one operator of which the same is said in one entry."""
    found: dict[tuple[str, Rest], list[str]] = {}
    for name, rest in said:
        operator, _, version = name.rpartition("-")
        found.setdefault((operator, rest), []).append(version)
    return [(f"{operator}-{'/'.join(versions)}", rest) for (operator, rest), versions in found.items()]


def likewise(first: Cell, others: Sequence[Cell]) -> str:
    """Cells of which the same is true as of the first: those of its version by types and settings, others with it."""
    own = list(dict.fromkeys(_text(cell) for cell in others if label(cell) == label(first)))
    by_label: dict[str, list[str]] = {}
    for cell in others:
        if label(cell) != label(first):
            by_label.setdefault(label(cell), []).append(_text(cell))
    parts = [some(own)] if own else []
    parts += [f"{name}: {texts}" for name, texts in merged((name, some(kinds)) for name, kinds in by_label.items())]
    return "; ".join(parts[:SHOWN]) + (f"; and {len(parts) - SHOWN} more operators" if len(parts) > SHOWN else "")


def some(kinds: Sequence[str]) -> str:
    """A list of types, cut to a readable length."""
    return ", ".join(kinds[:SHOWN]) + (f" and {len(kinds) - SHOWN} more" if len(kinds) > SHOWN else "")


def _text(cell: Cell) -> str:
    return f"{cell.type_text} {cell.setting_text}".strip()
