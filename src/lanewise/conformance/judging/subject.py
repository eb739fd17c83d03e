"""A cell with its inputs and what the specification says about each of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from lanewise.conformance.comparison import Bound, distance
from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import columns, words
from lanewise.conformance.judging.nearness import allowed_distance
from lanewise.conformance.judging.readings import open_elements, other_choice
from lanewise.conformance.judging.subnormals import come_of_zeros, decided_by_subnormals
from lanewise.conformance.targets.protocol import Message
from lanewise.conformance.targets.request import request
from lanewise.engines.checks import masked
from lanewise.engines.native.kernel import kernel
from lanewise.engines.storage import dtype_of
from lanewise.language.sorts import ArraySort, Sort

Array = np.ndarray[Any, Any]
T = TypeVar("T")
SHOWN_UNLISTED = 16  # elements of a row that a target ought to refuse


class Subject:
    """Inputs are made and judged once, for all targets: the first thread that asks does it, others wait."""

    def __init__(self, cell: Cell, given: list[Array] | None = None, twin: Subject | None = None) -> None:
        """`given` are inputs, if not those of the cell; `twin` is one with the same inputs and the same meaning."""
        self.cell = cell
        self._twin = twin
        self._columns = given
        self._lock = Lock()
        self._judged: tuple[Array, Array, tuple[str, Array, Array, Array]] | None = None
        self._known: dict[bytes, Any] = {}

    @property
    def columns(self) -> list[Array]:
        """One array a free operand."""
        with self._lock:
            return self._made()

    def _made(self) -> list[Array]:
        if self._columns is None:
            made = columns(self.cell) if self._twin is None else self._twin.columns
            self._columns = made if self.cell.listed else [column[:SHOWN_UNLISTED] for column in made]
        return self._columns

    def _all(self) -> tuple[Array, Array, tuple[str, Array, Array, Array]]:
        if self._twin is not None:
            return self._twin._all()
        with self._lock:
            if self._judged is None:
                columns = self._made()
                specified = self.specified(columns)
                self._judged = (*specified, self._silent(columns, specified))
            return self._judged

    def _silent(self, columns: list[Array], specified: tuple[Array, Array]) -> tuple[str, Array, Array, Array]:
        """What a text leaves open: all, by itself, and by what it does not say about subnormal numbers."""
        outside = specified[1]
        texts, by_text = open_elements(self.cell, columns)
        zeros, by_zeros = decided_by_subnormals(self.cell, columns, specified, self.specified, self.differs)
        by_text, by_zeros = by_text & ~outside, by_zeros & ~outside
        numbers = [number for number, mask in ((texts, by_text), (zeros, by_zeros)) if mask.any()]
        return ", ".join(dict.fromkeys(numbers)), by_text | by_zeros, by_text, by_zeros

    def once(self, make: Callable[[], T], *arrays: Array | None) -> T:
        """What `make` gives; remembered for equal arrays, since other versions and other targets give the same."""
        if self._twin is not None:
            return self._twin.once(make, *arrays)
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(b"-" if array is None else repr(array.shape).encode() + array.tobytes())
        key = digest.digest()
        if key not in self._known:
            self._known[key] = make()
        found: T = self._known[key]
        return found

    @property
    def expected(self) -> Array:
        """What the specification (or, where it is silent, lanewise's reading) gives."""
        return self._all()[0]

    @property
    def outside(self) -> Array:
        """True where the specification calls the element unpredictable."""
        return self._all()[1]

    @property
    def open(self) -> tuple[str, Array]:
        """The numbers of the readings, and the elements about which the text is silent."""
        return self._all()[2][:2]

    def left_open(self, rows: Array, found: Array) -> Array:
        """Which results of open rows the text allows.

        Where it is silent, that is any; where subnormal numbers decide, theirs; where TOSA leaves a choice between
        zeros or neighbours, these.
        """
        expected, outside, (_, _, by_text, by_zeros) = self._all()
        allowed = by_text[rows]
        sort, cell = self.cell.row.output, self.cell
        if cell.specification == "tosa" and sort.kind == "float":
            other = other_choice(cell, [column[rows] for column in self.columns], expected[rows])
            allowed = allowed & ~(self.differs(found, expected[rows]) & self.differs(found, other))
        asked = np.flatnonzero(~allowed & by_zeros[rows])
        if len(asked):
            there = rows[asked]
            columns = [column[there] for column in self.columns]
            specified = expected[there], outside[there]
            allowed[asked] = come_of_zeros(self.cell, columns, specified, self.specified, self.differs, found[asked])
        return allowed

    def specified(self, given: list[Array]) -> tuple[Array, Array]:
        """Results, and where they are unpredictable; operands broadcast."""
        cell = self.cell
        queue, operands = iter(given), []
        for name, sort in zip(cell.names, cell.types, strict=True):
            if isinstance(sort, ArraySort):
                operands.append(np.array(cell.fixed[name], dtype_of(sort)))
            elif name not in cell.fixed:
                operands.append(next(queue))
        shape = np.broadcast_shapes(*(column.shape for column in given))
        (result, mask), _ = kernel(masked(cell.function), optimised=False)(operands, shape)
        return result, mask

    def request(self, given: list[Array], layout: str = "contiguous") -> Message:
        """The question for a target."""
        cell, queue = self.cell, iter(given)
        operands: list[Array | None] = []
        for name, sort in zip(cell.names, cell.types, strict=True):
            if name not in cell.fixed:
                operands.append(next(queue))
            else:
                operands.append(None if sort is None else np.array(cell.fixed[name], dtype_of(sort)))
        return request(cell.record, cell.row.output, cell.attributes, operands, layout)

    def differs(self, found: Array, expected: Array) -> Array:
        """Element by element; any NaN equals any other, and a power may be as far away as its bound allows."""
        sort = self.cell.row.output
        differing: Array = words(found, sort) != words(expected, sort)
        if sort.kind == "float":
            with np.errstate(invalid="ignore"):  # NaN that signals
                differing &= ~(np.isnan(found) & np.isnan(expected))
            allowed = allowed_distance(self.cell)
            if allowed is not None and differing.any():
                differing &= ~_near(found, expected, sort, allowed)
        return differing


def _near(found: Array, expected: Array, sort: Sort, allowed: Bound) -> Array:
    """Whether a result is within what is allowed; a few are looked at, one by one."""
    left, right = words(found, sort).tolist(), words(expected, sort).tolist()
    return np.array(
        [
            a == b or distance(a, b, sort) <= allowed(float(value), sort)
            for a, b, value in zip(left, right, expected.tolist(), strict=True)
        ]
    )
