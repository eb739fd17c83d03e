"""The oracle on arrays: the same interface as a compiled kernel, element after element."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lanewise.engines.exact import Evaluator
from lanewise.engines.storage import dtype_of, storage_width
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.language.words import Function

Array = np.ndarray[Any, Any]


class ExactKernel:
    """A function evaluated by the oracle."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._evaluate = Evaluator([*function.results, *(r.condition for r in function.requirements)])
        self.checks = bool(function.requirements)

    def __call__(
        self, operands: Sequence[Array], shape: tuple[int, ...], outs: Sequence[Array] | None = None
    ) -> tuple[list[Array], bool]:
        """The results, and whether some requirement failed for some element."""
        sorts = self._function.inputs
        columns: list[Iterable[Any]] = []
        for operand, sort in zip(operands, sorts, strict=True):
            if isinstance(sort, ArraySort):
                columns.append(_forever(patterns(operand.ravel(), sort)))
            else:
                columns.append(patterns(np.broadcast_to(operand, shape).ravel(), sort))
        size = int(np.prod(shape, dtype=np.int64))
        rows = zip(*columns, strict=False) if columns else iter([()] * size)
        found: list[list[int]] = [[] for _ in self._function.outputs]
        broken = False
        results = len(found)
        for row in rows:
            values = self._evaluate(row)
            for column, value in zip(found, values, strict=False):
                column.append(value)
            broken = broken or not all(values[results:])
        arrays = [
            from_patterns(column, sort).reshape(shape)
            for column, sort in zip(found, self._function.outputs, strict=True)
        ]
        if outs is None:
            return arrays, broken
        for out, array in zip(outs, arrays, strict=True):
            out[...] = array
        return list(outs), broken


def _forever(value: Any) -> Iterable[Any]:
    while True:
        yield value


def patterns(array: Array, sort: AnySort) -> list[int]:
    """The bit patterns of a one-dimensional array's elements."""
    element = sort.element if isinstance(sort, ArraySort) else sort
    if element.kind == "bool":
        return [int(value != 0) for value in array.view(np.uint8).tolist()]
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    word = np.dtype(f"u{storage_width(element) // 8}")
    mask = (1 << element.width) - 1
    return [value & mask for value in np.ascontiguousarray(native).view(word).tolist()]


def from_patterns(values: Sequence[int], sort: Sort) -> Array:
    """An array of a sort's storage dtype from bit patterns."""
    if sort.kind == "bool":
        return np.array(values, np.bool_)
    width = storage_width(sort)
    if sort.signed and sort.kind == "int" and width != sort.width:
        top = 1 << (sort.width - 1)
        values = [((value ^ top) - top) & ((1 << width) - 1) for value in values]
    return np.array(values, np.dtype(f"u{width // 8}")).view(dtype_of(sort))
