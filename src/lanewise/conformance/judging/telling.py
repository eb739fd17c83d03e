"""The inputs of a difference that say most: the smallest ones, and those whose results are farthest apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanewise.conformance.judging.inputs import words
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.verdict import Element
from lanewise.engines.exact import number
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
SMALLEST, FARTHEST = 4, 3


def telling(subject: Subject, rows: Array, got: Array) -> Iterator[tuple[int, Any, str]]:
    """Row, the target's result there, and why it is shown."""
    if not len(rows):
        return
    with np.errstate(all="ignore"):
        size = sum(np.abs(_reals(column[rows])) for column in subject.columns)
        distance = np.abs(_reals(got) - _reals(subject.expected[rows]))
    small = np.argsort(np.nan_to_num(size, nan=np.inf), kind="stable")[:SMALLEST]
    far = np.argsort(-np.nan_to_num(distance, nan=np.inf) + 1e-300 * np.arange(len(rows)), kind="stable")[:FARTHEST]
    shown = dict.fromkeys(far.tolist(), "farthest apart")
    shown |= dict.fromkeys(small.tolist(), "smallest")
    for place in dict.fromkeys([*small.tolist(), *far.tolist()]):
        yield int(rows[place]), got[place : place + 1], shown[place]


def _reals(array: Array) -> Array:
    return array.astype(np.float64)


def element(subject: Subject, row: int, got: Array, why: str) -> Element:
    sort = subject.cell.row.output
    operands, bits = texts(subject, row)
    expected = subject.expected[row : row + 1]
    return Element(operands, bits, *shown(expected, sort), *shown(got, sort), why)


def texts(subject: Subject, row: int) -> tuple[list[str], list[str]]:
    """The operands of a row, as numbers and in binary."""
    pairs = [
        shown(column[row : row + 1], sort) for column, (_, sort) in zip(subject.columns, subject.cell.free, strict=True)
    ]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def shown(array: Array, sort: Sort) -> tuple[str, str]:
    """One element as a number and in binary, in groups of four."""
    pattern = int(words(array, sort)[0])
    digits = f"{pattern:0{sort.width}b}"
    start = len(digits) % 4
    groups = ([digits[:start]] if start else []) + [digits[k : k + 4] for k in range(start, len(digits), 4)]
    value = bool(pattern) if sort.kind == "bool" else number(pattern, sort)
    return (f"{value:.9g}" if isinstance(value, float) else str(value)), "_".join(groups)
