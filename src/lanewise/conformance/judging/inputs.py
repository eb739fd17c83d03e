"""Inputs of a cell: every pair where 16 bits decide, else all pairs of boundary values and seeded random ones."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.engines.storage import dtype_of, storage_width
from lanewise.language import floats
from lanewise.language.sorts import Sort, to_pattern

Array = np.ndarray[Any, Any]
RANDOM = 2000
EXHAUSTIVE_BITS = 16


def columns(cell: Cell) -> list[Array]:
    """One array a free operand, all of one length, ordered by the last operand, the same at every run."""
    sorts = [sort for _, sort in cell.free]
    if sum(sort.width for sort in sorts) <= EXHAUSTIVE_BITS:
        sets = [np.arange(1 << sort.width, dtype=np.uint64) for sort in sorts]
        return [stored(column, sort) for column, sort in zip(_product(sets), sorts, strict=True)]
    edges = [np.array(boundary(sort, alone=len(sorts) == 1), np.uint64) for sort in sorts]
    generator = np.random.default_rng(zlib.crc32(cell.seed.encode()))
    made = [
        np.concatenate([column, _random(sort, edge, generator)])
        for column, sort, edge in zip(_product(edges), sorts, edges, strict=True)
    ]
    rows = np.unique(np.stack(made[::-1]), axis=1)[::-1]  # once each, sorted by the last operand
    return [stored(column, sort) for column, sort in zip(rows, sorts, strict=True)]


def _product(sets: list[Array]) -> list[Array]:
    """All combinations; the first operand runs fastest."""
    return [grid.ravel() for grid in np.meshgrid(*sets[::-1], indexing="ij")][::-1]


def stored(column: Array, sort: Sort) -> Array:
    """An array of the type from patterns."""
    if sort.kind == "bool":
        return column.astype(np.bool_)
    return column.astype(f"u{storage_width(sort) // 8}").view(dtype_of(sort))


def words(array: Array, sort: Sort) -> Array:
    """The patterns of an array's elements, as uint64."""
    if sort.kind == "bool":
        return array.astype(np.uint64)
    return np.ascontiguousarray(array).view(f"u{storage_width(sort) // 8}").astype(np.uint64)


def boundary(sort: Sort, alone: bool = False) -> list[int]:
    """Patterns at the edges of a type, and of shift counts in it; of an operand alone, around all powers of 2."""
    if sort.kind == "bool":
        return [0, 1]
    if sort.kind == "float":
        return _boundary_floats(sort)
    width = sort.width
    powers = range(1, 64) if alone else (1, 2, 4, 7, 8, 15, 16, 31, 32, 63)
    near = {sign * (1 << k) + d for k in powers for sign in (1, -1) for d in (-1, 0, 1)}
    near |= {sort.lowest, sort.lowest + 1, sort.highest, sort.highest - 1, sort.highest // 2, 0, 10, 100}
    near |= {width - 1, width, width + 1, 2 * width, -width, width // 2}
    return sorted({to_pattern(value, sort) for value in near if sort.lowest <= value <= sort.highest})


def _boundary_floats(sort: Sort) -> list[int]:
    top, one = floats.infinity(sort), floats.encode(1.0, sort)
    normal = 1 << sort.fraction_bits
    positive = {0, 1, normal - 1, normal, one - 1, one, one + 1, top - 1, top}
    numbers = (0.5, 1.5, 2.0, 2.5, 3.0, 7.0, 127.5, 128.0, 255.0, 256.0, 32768.0, 65504.0, 2.0**31, 2.0**32, 2.0**63)
    positive |= {floats.encode(value, sort) for value in numbers}
    sign = floats.sign_bit(sort)
    return sorted({pattern | s for pattern in positive for s in (0, sign)} | {floats.quiet_nan(sort)})


def _random(sort: Sort, edges: Array, generator: np.random.Generator) -> Array:
    """A third edges, a third small numbers, a third any pattern."""
    kind = generator.integers(0, 3, RANDOM)
    highest = (1 << sort.width) - 1
    anything = generator.integers(0, highest, RANDOM, dtype=np.uint64, endpoint=True)
    small = generator.integers(-70, 71, RANDOM)
    if sort.kind == "float":
        small_words = words(small.astype(np.float64).astype(dtype_of(sort)), sort)
    else:
        small_words = np.where(sort.signed | (small >= 0), small, -small).astype(np.uint64) & np.uint64(highest)
    return np.choose(kind, [edges[generator.integers(0, len(edges), RANDOM)], small_words, anything])
