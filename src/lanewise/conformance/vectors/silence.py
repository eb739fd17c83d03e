"""Which readings (docs/readings.md) decide the elements of one of ONNX's sets, where its text is silent."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import words
from lanewise.conformance.judging.readings import open_elements
from lanewise.conformance.judging.subnormals import decided_by_subnormals
from lanewise.conformance.vectors.corpus import Column, VectorSet
from lanewise.conformance.vectors.graphs import Array
from lanewise.conformance.vectors.tables import fixed
from lanewise.engines.checks import masked
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import ExactKernel, from_patterns
from lanewise.language.nodes import postorder
from lanewise.language.sorts import AnySort, Sort


@dataclass(frozen=True)
class _SetCell(Cell):
    """A cell with as many operands as the set, where the operator takes any number."""

    columns: tuple[Column, ...] = ()

    @property
    def free(self) -> list[tuple[str, Sort]]:
        return [(column.name, column.sort) for column in self.columns]


def decided_by(vectors: VectorSet) -> dict[int, tuple[str, ...]]:
    """The numbers of the readings without which an element would have no result, by the element's index."""
    columns = [from_patterns(column.patterns, column.sort) for column in vectors.columns]
    found: dict[int, tuple[str, ...]] = {}
    for reading, mask in (*_open(vectors, columns), _subnormal(vectors, columns)):
        for at in mask.nonzero()[0].tolist():
            found[at] = tuple(dict.fromkeys((*found.get(at, ()), reading)))
    return found


def _open(vectors: VectorSet, columns: list[Array]) -> list[tuple[str, Array]]:
    """What the text of the operator leaves open by itself."""
    cell = Cell(vectors.operator, vectors.row, vectors.choice.attributes, _numbers(vectors))
    # Readings are about two operands; of more, any two may be what nothing else decides.
    several = itertools.combinations(columns, 2) if vectors.operator.variadic and len(columns) > 2 else [columns]
    return [open_elements(cell, list(given)) for given in several if len(given) == len(cell.free)]


def _subnormal(vectors: VectorSet, columns: list[Array]) -> tuple[str, Array]:
    """Where it decides whether subnormal numbers count as zeros; nowhere if floats are only moved or chosen."""
    steps = [step for step in postorder(vectors.function.results) if step.args and step.kind != "ite"]
    if not any(_is_float(one.sort) for step in steps for one in (step, *step.args)):
        return "", np.zeros(len(vectors.results), np.bool_)
    cell = _SetCell(
        vectors.operator, vectors.row, vectors.choice.attributes, _numbers(vectors), columns=vectors.columns
    )
    output = vectors.row.output
    specified = from_patterns(vectors.results, output), np.array([bool(reason) for reason in vectors.broken])
    sorts = [column.sort for column in vectors.columns]
    run = ExactKernel(masked(vectors.function))

    def compute(given: list[Array]) -> tuple[Array, Array]:
        pairs = zip(given, columns, sorts, strict=True)
        changed = np.logical_or.reduce([words(new, sort) != words(old, sort) for new, old, sort in pairs]).nonzero()[0]
        result, outside = (part.copy() for part in specified)
        (result[changed], outside[changed]), _ = run([column[changed] for column in given], changed.shape)
        return result, outside

    def differs(one: Array, other: Array) -> Array:
        differing: Array = words(one, output) != words(other, output)
        if output.kind == "float":
            with np.errstate(invalid="ignore"):  # NaN that signals
                differing &= ~(np.isnan(one) & np.isnan(other))
        return differing

    return decided_by_subnormals(cell, columns, specified, compute, differs)


def _numbers(vectors: VectorSet) -> dict[str, Any]:
    """What is fixed, as a cell has it: numbers, where the set has patterns."""
    known = {name: number(value, sort) for name, value, sort in fixed(vectors) if isinstance(sort, Sort)}
    return {**vectors.choice.fixed, **known}


def _is_float(sort: AnySort) -> bool:
    return isinstance(sort, Sort) and sort.kind == "float"
