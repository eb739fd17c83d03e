"""A cell with its inputs and what the specification says about each of them."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from lanewise.conformance.comparison import bound_of, distance
from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import columns, words
from lanewise.conformance.judging.readings import open_elements
from lanewise.conformance.targets.protocol import Message, tensor
from lanewise.engines.checks import masked
from lanewise.engines.native.kernel import kernel
from lanewise.engines.storage import dtype_of
from lanewise.language.sorts import ArraySort, Sort
from lanewise.language.words import literal

Array = np.ndarray[Any, Any]
SHOWN_UNLISTED = 16  # elements of a row that a target ought to refuse


class Subject:
    """Inputs are made and judged once, for all targets: the first thread that asks does it, others wait."""

    def __init__(self, cell: Cell, given: list[Array] | None = None) -> None:
        self.cell = cell
        self._columns = given
        self._lock = Lock()
        self._judged: tuple[Array, Array, tuple[str, Array]] | None = None

    @property
    def columns(self) -> list[Array]:
        """One array a free operand."""
        with self._lock:
            return self._made()

    def _made(self) -> list[Array]:
        if self._columns is None:
            made = columns(self.cell)
            self._columns = made if self.cell.listed else [column[:SHOWN_UNLISTED] for column in made]
        return self._columns

    def _all(self) -> tuple[Array, Array, tuple[str, Array]]:
        with self._lock:
            if self._judged is None:
                self._judged = (*self.specified(self._made()), open_elements(self.cell, self._made()))
            return self._judged

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
        """The reading's number, and the elements about which the text is silent."""
        return self._all()[2]

    def specified(self, given: list[Array]) -> tuple[Array, Array]:
        """Results, and where they are unpredictable; operands broadcast."""
        cell = self.cell
        known = {
            k: literal(cell.fixed[name], sort)
            for k, (name, sort) in enumerate(zip(cell.names, cell.types, strict=True))
            if isinstance(sort, Sort) and cell.fixed.get(name) is not None
        }
        function = cell.record.function(
            cell.types, cell.row.output, cell.record.read_attributes(cell.attributes), known
        )
        queue, operands = iter(given), []
        for name, sort in zip(cell.names, cell.types, strict=True):
            if isinstance(sort, ArraySort):
                operands.append(np.array(cell.fixed[name], dtype_of(sort)))
            elif name not in cell.fixed:
                operands.append(next(queue))
        shape = np.broadcast_shapes(*(column.shape for column in given))
        (result, mask), _ = kernel(masked(function))(operands, shape)
        return result, mask

    def request(self, given: list[Array], layout: str = "contiguous") -> Message:
        """The question for a target."""
        cell, queue = self.cell, iter(given)
        inputs: list[Message | None] = []
        for name, sort in zip(cell.names, cell.types, strict=True):
            if name not in cell.fixed:
                inputs.append(tensor(next(queue)))
            elif sort is None:
                inputs.append(None)
            else:
                value = np.array(cell.fixed[name], dtype_of(sort))
                one = cell.specification == "tosa" and value.ndim == 0
                inputs.append(tensor(value.reshape(1) if one else value))
        return {
            "do": "run",
            "specification": cell.specification,
            "operator": cell.record.name,
            "version": cell.record.release.since,
            "attributes": {
                name: getattr(value, "name", value)
                for name, value in cell.attributes.items()
                if name in cell.record.own_attributes or name == cell.record.output_attribute
            },
            "output": cell.row.output.name,
            "inputs": inputs,
            "layout": layout,
        }

    def differs(self, found: Array, expected: Array) -> Array:
        """Element by element; any NaN equals any other, and a power may be as far away as its bound allows."""
        sort = self.cell.row.output
        differing: Array = words(found, sort) != words(expected, sort)
        if sort.kind == "float":
            with np.errstate(invalid="ignore"):  # NaN that signals
                differing &= ~(np.isnan(found) & np.isnan(expected))
            if self.cell.operator == "pow" and differing.any():
                differing &= ~_near(found, expected, sort, str(self.cell.record.release.since))
        return differing


def _near(found: Array, expected: Array, sort: Sort, version: str) -> Array:
    """Whether a power is within what is allowed at a version of TOSA; a few are looked at, one by one."""
    allowed = bound_of(None, sort, version, "")
    left, right = words(found, sort).tolist(), words(expected, sort).tolist()
    return np.array(
        [
            a == b or distance(a, b, sort) <= allowed(float(value), sort)
            for a, b, value in zip(left, right, expected.tolist(), strict=True)
        ]
    )
