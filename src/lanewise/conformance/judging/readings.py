"""Where a text says nothing about an element and lanewise has a numbered reading (docs/readings.md).

A method is named as the operator's Python name; it gives the elements in question. A target that has
another opinion there does not differ from the specification, and is counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.engines.storage import dtype_of
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]


def silence(cell: Cell) -> str:
    """What the text of this version leaves open that a later one, or another setting, decides; else nothing."""
    since, first = cell.record.release.since, cell.free[0][1]
    if cell.specification == "onnx":
        old = isinstance(since, int) and since < 13
        if cell.operator == "bit_shift" and since == 11:
            return "counts"
        if cell.operator == "clip" and old and None not in (bounds := _bounds(cell)) and bounds[0] > bounds[1]:
            return "bounds"
        return "conversions" if cell.operator == "cast" and old and _narrows(first, cell.row.output) else ""
    if cell.attributes.get("rounding_mode") == "INEXACT_ROUND":
        return "rounding"
    if since != "0.23.0" or "float" not in (first.kind, cell.row.output.kind):
        return ""
    return {"abs": "zeros", "negate": "zeros", "cast": "ties"}.get(cell.operator, "")


def _bounds(cell: Cell) -> tuple[Any, Any]:
    """The bounds of Clip, whether they are operands or attributes; None where one is absent."""
    given = {**cell.attributes, **cell.fixed}
    return given.get("min"), given.get("max")


def _narrows(source: Sort, output: Sort) -> bool:
    """Whether a conversion between integers, or to a boolean, loses some number."""
    if output.kind == "bool":
        return source.kind != "bool"
    whole = source.kind == output.kind == "int"
    return whole and not (output.lowest <= source.lowest and source.highest <= output.highest)


class OnnxReadings:
    """The number of each reading and the elements that it decides."""

    def __init__(self, cell: Cell) -> None:
        self.sort: Sort = cell.free[0][1]
        self.cell = cell
        self.whole = self.sort.kind == "int"
        self.silence = silence(cell)

    def bit_shift(self, _: Array, count: Array) -> tuple[str, Any]:
        return "O1", self.silence == "counts" and count >= self.sort.width

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
        if self.whole:
            return "O4", b == 0
        return "O5", bool(self.cell.attributes["fmod"]) and (a == 0) & np.signbit(a) & (b > 0)

    def pow(self, a: Array, b: Array) -> tuple[str, Any]:
        if not self.whole:
            to_one = (np.isnan(a) | (a == 0)) & (b == 0)
            return "O16", to_one | ((a == 1) & np.isnan(b)) | ((np.abs(a) == 1) & np.isinf(b))
        base = a.astype(object)
        small = (base >= -1) & (base <= 1)
        most = np.minimum(b.astype(object), self.sort.width)  # of other bases such a power is outside
        found = self._outside(base ** np.where(small | (b < 0), 1, most))
        return "O16", (found & ~small.astype(np.bool_)) | ((b < 0) & (a != 1) & (base != -1).astype(np.bool_))

    def max(self, a: Array, b: Array) -> tuple[str, Any]:
        return "O6", not self.whole and (np.isnan(a) | np.isnan(b) | ((a == 0) & (b == 0)))

    min = max

    def clip(self, a: Array) -> tuple[str, Any]:
        bounds = _bounds(self.cell)
        if self.silence == "bounds" or any(bound is not None and math.isnan(bound) for bound in bounds):
            return "O7", True
        equals = (a == 0) & (0 in bounds)  # of zeros with different signs
        return "O7", not self.whole and (np.isnan(a) | equals)

    def cast(self, a: Array) -> tuple[str, Any]:
        output = self.cell.row.output
        if self.silence == "conversions":
            if output.kind == "bool":
                return "O8", ~((a == 0) | (a == 1))
            exact = a.astype(object)
            return "O8", ((exact < output.lowest) | (exact > output.highest)).astype(np.bool_)
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
        self.cell = cell
        self.sort: Sort = cell.free[0][1]
        self.whole = self.sort.kind == "int"
        self.silence = silence(cell)
        self.old = cell.record.release.since == "0.23.0"

    def maximum(self, a: Array, b: Array) -> tuple[str, Any]:
        return "T11", self._zero(a, b, lambda x, y: x > y)

    def minimum(self, a: Array, b: Array) -> tuple[str, Any]:
        return "T11", self._zero(a, b, lambda x, y: x < y)

    def _zero(self, a: Array, b: Array, ahead: Callable[[Array, Array], Any]) -> Any:
        """Two zeros; from 1.0 on any zero that is chosen, as its sign is free then."""
        if self.whole:
            return False
        if self.old:
            return (a == 0) & (b == 0)
        nan = np.isnan(a) | np.isnan(b)
        overlooked = nan & (self.cell.attributes.get("nan_mode") == "IGNORE")
        chosen = ((a == 0) & ~ahead(b, a)) | ((b == 0) & ~ahead(a, b))
        return chosen & (~nan | overlooked)

    def add(self, a: Array, b: Array) -> tuple[str, Any]:
        return "V15", self._tie(self.exact(a, b))

    sub = add

    def exact(self, *columns: Array) -> Array:
        """Sums, differences, products and casts before they are rounded."""
        real = [column.astype(np.float64) for column in columns]
        return reduce({"add": np.add, "sub": np.subtract, "mul": np.multiply}.get(self.cell.operator, np.add), real)

    def _tie(self, exact: Array) -> Any:
        """From 1.0 on half a unit in the last place is allowed, so that either neighbour of a tie is right."""
        output = self.cell.row.output
        if self.old or output.kind != "float":
            return False
        nearest = exact.astype(dtype_of(output))
        missing = exact - nearest.astype(np.float64)
        aim = np.where(missing > 0, np.inf, -np.inf).astype(nearest.dtype)
        other = np.nextafter(nearest, aim).astype(np.float64)
        return (missing != 0) & (np.abs(missing) == np.abs(other - exact))

    def mul(self, a: Array, b: Array) -> tuple[str, Any]:
        if not self.whole:
            return "V15", self._tie(self.exact(a, b))
        scaled = self.cell.fixed["shift"] == 63 and self.sort.width == 32
        return "V4", scaled and (a == self.sort.lowest) & (b == self.sort.lowest)

    def clamp(self, a: Array) -> tuple[str, Any]:
        bounds = self.cell.attributes["min_val"], self.cell.attributes["max_val"]
        return "T11", not self.whole and 0 in bounds and a == 0

    def abs(self, a: Array) -> tuple[str, Any]:
        return "T19", self.silence == "zeros" and a == 0

    def negate(self, a: Array) -> tuple[str, Any]:
        return "T20", self.silence == "zeros" and a == 0

    def cast(self, a: Array) -> tuple[str, Any]:
        output = self.cell.row.output
        if self.whole and not self.old and output.kind == "float":
            return "V15", self._tie(self.exact(a))
        if self.silence != "ties" or "bool" in (self.sort.kind, output.kind):
            return "T21", False
        real = a.astype(np.float64)
        if self.sort.kind == "float":
            return "T21", np.isnan(real) | (np.abs(real - np.trunc(real)) == 0.5)
        last = np.ldexp(np.frexp(real)[0], output.fraction_bits + 2)  # what is cut off becomes a fraction of 2
        return "T21", np.abs(np.fmod(last, 2)) == 1

    def rescale(self, a: Array) -> tuple[str, Any]:
        if self.silence != "rounding" or self.sort.width > 16:
            return "V6", self.silence == "rounding"  # what float32 cannot hold may be anything near by
        product = (a.astype(np.int64) - self.cell.fixed["input_zp"]) * self.cell.fixed["multiplier"]
        return "V6", product % (1 << self.cell.fixed["shift"]) != 0


def other_choice(cell: Cell, columns: list[Array], expected: Array) -> Array:
    """Where TOSA leaves a choice between two floats, the one that is not `expected`: of a tie, or of zeros."""
    if cell.operator not in ("add", "sub", "mul", "cast"):
        return -expected
    with np.errstate(all="ignore"):
        found: Array = (2 * TosaReadings(cell).exact(*columns) - expected.astype(np.float64)).astype(expected.dtype)
    return found


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
