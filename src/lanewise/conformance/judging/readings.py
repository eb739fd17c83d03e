"""Where a text says nothing about an element and lanewise has a numbered reading (docs/readings.md).

A method is named as the operator's Python name; it gives the elements in question. A target that has
another opinion there does not differ from the specification, and is counted apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]


class OnnxReadings:
    """The number of each reading and the elements that it decides."""

    def __init__(self, cell: Cell) -> None:
        self.sort: Sort = cell.free[0][1]
        self.cell = cell
        self.whole = self.sort.kind == "int"

    def bit_shift(self, _: Array, count: Array) -> tuple[str, Any]:
        return "O1", self.cell.record.release.since == 11 and count >= self.sort.width

    def add(self, a: Array, b: Array) -> tuple[str, Any]:
        return "O2", self.whole and self._outside(a.astype(object) + b.astype(object))

    def sub(self, a: Array, b: Array) -> tuple[str, Any]:
        return "O2", self.whole and self._outside(a.astype(object) - b.astype(object))

    def mul(self, a: Array, b: Array) -> tuple[str, Any]:
        return "O2", self.whole and self._outside(a.astype(object) * b.astype(object))

    def neg(self, a: Array) -> tuple[str, Any]:
        return "O2", self.whole and a == self.sort.lowest

    abs = neg

    def div(self, a: Array, b: Array) -> tuple[str, Any]:
        if not self.whole:
            return "O9", False
        lowest = (a == self.sort.lowest) & (b == -1) if self.sort.signed else False
        return "O3", (b == 0) | lowest

    def mod(self, a: Array, b: Array) -> tuple[str, Any]:
        return ("O4", b == 0) if self.whole else ("O5", np.fmod(a, b) == 0)

    def max(self, a: Array, b: Array) -> tuple[str, Any]:
        return "O6", not self.whole and (np.isnan(a) | np.isnan(b) | ((a == 0) & (b == 0)))

    min = max

    def clip(self, a: Array) -> tuple[str, Any]:
        unbounded = None in self.cell.fixed.values()
        return "O7", not self.whole and (np.isnan(a) | (np.isinf(a) if unbounded else False))

    def cast(self, a: Array) -> tuple[str, Any]:
        output = self.cell.row.output
        if self.sort.kind != "float" or output.kind != "int":
            return "O8", False
        real = np.trunc(a.astype(np.float64))
        return "O8", ~((real >= output.lowest) & (real < float(output.highest + 1)))

    def _outside(self, exact: Array) -> Array:
        found: Array = (exact < self.sort.lowest) | (exact > self.sort.highest)
        return found.astype(np.bool_)


class TosaReadings:
    """TOSA leaves little open besides what it calls unpredictable."""

    def __init__(self, cell: Cell) -> None:
        self.whole = cell.free[0][1].kind == "int"

    def maximum(self, a: Array, b: Array) -> tuple[str, Any]:
        return "T11", not self.whole and (a == 0) & (b == 0)

    minimum = maximum


def open_elements(cell: Cell, columns: list[Array]) -> tuple[str, Array]:
    """The reading's number, and the elements that nothing but the reading decides."""
    size = columns[0].shape
    readings: Any = OnnxReadings if cell.specification == "onnx" else TosaReadings
    method = getattr(readings(cell), cell.operator, None)
    if method is None:
        return "", np.zeros(size, np.bool_)
    with np.errstate(all="ignore"):
        number, found = method(*columns)
    return number, np.broadcast_to(np.asarray(found, np.bool_), size)
