"""Every entry of a table beside what it ought to be: in order, the worst of them, as text and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lanewise.conformance.tables.build import STEP, TOLERANCE, Array, Quantised
from lanewise.conformance.tables.check import told
from lanewise.conformance.tables.functions import value_at

HEADINGS = ("entry", "code", "input", "found", "value", "exact", "right", "error")
BETWEEN = "between"


class Entry(NamedTuple):
    """One entry. Where the function has no value, `value`, `exact` and `error` are NaN and `right` is None."""

    entry: int  # its place in the table
    code: int  # the input code that it is for
    input: float  # the real number that the code stands for
    found: int  # what the table has
    value: float  # the function there
    exact: float  # the same in steps of the output, within the ends of the type, not rounded
    right: int | None  # the entry that a correct builder gives: the nearest code
    error: float  # found - exact; 0 where float64 cannot tell it from that
    between: float | None  # int16: the largest error, by magnitude, of the inputs between this entry and the next

    def report(self, wanted: Quantised) -> dict[str, Any]:
        """By the names above; None where the function has no value, and "inf" or "-inf" where that is infinite."""
        return {name: _plain(getattr(self, name)) for name in headings(wanted)}


def headings(wanted: Quantised) -> list[str]:
    """What the entries of a table of this type have."""
    return [*HEADINGS, *([BETWEEN] if STEP[wanted.type] > 1 else [])]


def entries_of(table: Array, errors: Array, wanted: Quantised) -> list[Entry]:
    """All entries; `errors` are those of every input code, in order."""
    step, found = STEP[wanted.type], []
    for k, code in enumerate(wanted.inputs()):
        exact = wanted.exact(code)
        right = None if math.isnan(exact) else round(exact)
        own, value = int(table[k]), value_at(wanted.function, wanted.real(code))
        between = errors[k * step + 1 : (k + 1) * step]
        known = between[~np.isnan(between)]
        largest = float(known[abs(known).argmax()]) if len(known) else None
        error = float(told(np.asarray(own - exact)))
        found.append(Entry(k, code, wanted.real(code), own, value, exact, right, error, largest))
    return found


def worst(entries: Sequence[Entry], count: int) -> list[Entry]:
    """Those farthest from the function: wrong entries first, then by the largest error there or up to the next.

    What straight lines are off by may be more than a wrong entry is, and must not hide it.
    """
    off = [entry for entry in entries if _far(entry)]
    return sorted(off, key=lambda entry: (not _wrong(entry), -_far(entry), entry.entry))[:count]


def _wrong(entry: Entry) -> bool:
    return abs(entry.error) > 0.5 + TOLERANCE


def _far(entry: Entry) -> float:
    own = 0.0 if math.isnan(entry.error) else abs(entry.error)
    return own if _wrong(entry) else max(own, abs(entry.between or 0.0))


def lines(entries: Sequence[Entry], wanted: Quantised) -> list[str]:
    """A table for people, numbers to six digits."""
    names = headings(wanted)
    rows = [names, *([_text(getattr(entry, name)) for name in names] for entry in entries)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(names))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def csv_text(entries: Sequence[Entry], wanted: Quantised) -> str:
    """All digits; a field is empty where the function has no value."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(headings(wanted))
    for entry in entries:
        writer.writerow(["" if cell is None else cell for cell in entry.report(wanted).values()])
    return stream.getvalue()


def _plain(value: float | None) -> Any:
    if value is None or math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _text(value: float | None) -> str:
    plain = _plain(value)
    if plain is None:
        return "-"
    return str(plain) if isinstance(plain, int | str) else f"{plain:.6g}"
