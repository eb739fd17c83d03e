"""Running a claim over very many elements with the native engine: every input, or a large cross product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.claim import Claim
from lanewise.engines.exact_kernel import from_patterns, patterns
from lanewise.engines.native.kernel import kernel
from lanewise.language import floats
from lanewise.language.sorts import AnySort, ArraySort, Sort

Array = np.ndarray[Any, Any]
Patterns = tuple[Any, ...]

BLOCK = 1 << 22  # elements looked at in one go
LARGE = 1e30  # floats beyond are all alike far from simple
TABLES = 6  # tables tried, where an operand is one
COMPLETE_BITS = 20  # inputs of so few bits together are simply all tried


def exhaustive(claim: Claim) -> tuple[Patterns | None, int]:
    """The smallest counterexample among all inputs, if there is one, and how many were tried."""
    columns = _chosen(claim)
    for k, sort in enumerate(claim.inputs):
        if isinstance(sort, Sort) and k not in columns:
            columns[k] = np.arange(1 << sort.width, dtype=np.uint64)
    return _over(claim, columns)


def crossed(claim: Claim, elements: int, seed: int = 0) -> tuple[Patterns | None, int]:
    """The same over a cross product of boundary and random values, of about so many elements."""
    columns = _chosen(claim)
    open_ones = [k for k, sort in enumerate(claim.inputs) if isinstance(sort, Sort) and k not in columns]
    left = max(1, elements // max(1, prod(len(column) for column in columns.values())))
    # The narrowest first: what they do not use up is left for the wider ones.
    open_ones.sort(key=lambda k: _width(claim.inputs[k]))
    for position, k in enumerate(open_ones):
        sort = claim.inputs[k]
        assert isinstance(sort, Sort)
        share = max(2, round(left ** (1 / (len(open_ones) - position))))
        columns[k] = _sample(sort, share, np.random.default_rng((seed, k)))
        left = max(1, left // len(columns[k]))
    open_tables = {
        k: sort for k, sort in enumerate(claim.inputs) if isinstance(sort, ArraySort) and k not in claim.tables
    }
    tried = 0
    for turn in range(TABLES if open_tables else 1):
        found, count = _over(claim, columns, {k: _table(sort, turn, seed) for k, sort in open_tables.items()})
        tried += count
        if found is not None:
            return found, tried
    return None, tried


def _chosen(claim: Claim) -> dict[int, Array]:
    return {k: np.array(patterns, np.uint64) for k, patterns in claim.choices.items()}


def _over(
    claim: Claim, columns: Mapping[int, Array], tables: Mapping[int, Array] | None = None
) -> tuple[Patterns | None, int]:
    """The smallest counterexample in the cross product of the columns of patterns."""
    fixed = {k: from_patterns(entries, _entry(claim.inputs[k])) for k, entries in claim.tables.items()}
    tables = {**fixed, **(tables or {})}
    # As it is written: the simplifier's rules are among what is to be proven.
    run = kernel(claim.check, simplified=False)
    axes = sorted(columns)
    best: Patterns | None = None
    total = 0
    buffer = np.empty(0, np.bool_)
    for block in _blocks([columns[k] for k in axes]):
        shape = tuple(len(column) for column in block)
        size = prod(shape)
        operands = dict(tables)
        for position, (k, column) in enumerate(zip(axes, block, strict=True)):
            view = [1] * len(axes)
            view[position] = -1
            sort = claim.inputs[k]
            assert isinstance(sort, Sort)
            operands[k] = from_patterns(column.tolist(), sort).reshape(view)
        arrays = [operands[k] for k in range(len(claim.inputs))]
        if buffer.size < size:
            buffer = np.empty(size, np.bool_)
        _, broken = run(arrays, shape, [buffer[:size].reshape(shape)])
        total += size
        if broken:
            (good,), _ = kernel(claim.verdict, simplified=False)(arrays, shape)
            for index in _least(~good, block, [claim.inputs[k] for k in axes]):
                element: list[Any] = [None] * len(claim.inputs)
                for k, column, place in zip(axes, block, index, strict=True):
                    element[k] = int(column[place])
                for k, table in tables.items():
                    element[k] = tuple(patterns(table, claim.inputs[k]))
                if not claim.holds_for(tuple(element)):  # the oracle has the last word
                    best = _smaller(best, tuple(element), claim.inputs)
                    break
    return best, total


def _blocks(columns: Sequence[Array]) -> Iterator[list[Array]]:
    """The cross product in pieces that are not too large: the first column is cut, then the next."""
    if not columns:
        yield []
        return
    rest = prod(len(column) for column in columns[1:])
    if rest > BLOCK:
        for value in columns[0]:
            for block in _blocks(columns[1:]):
                yield [np.array([value], columns[0].dtype), *block]
        return
    step = max(1, BLOCK // max(rest, 1))
    for start in range(0, len(columns[0]), step):
        yield [columns[0][start : start + step], *columns[1:]]


def _least(bad: Array, block: Sequence[Array], sorts: Sequence[AnySort]) -> list[tuple[int, ...]]:
    """Places of failing elements, those with the smallest operands first; a few are enough."""
    total = np.zeros(bad.shape)
    for position, (column, sort) in enumerate(zip(block, sorts, strict=True)):
        view = [1] * bad.ndim
        view[position] = -1
        total = total + np.array([size_of(int(p), sort) for p in column], np.float64).reshape(view)
    total[~bad] = np.inf
    flat = np.argsort(total, axis=None, kind="stable")[:8]
    return [tuple(int(i) for i in np.unravel_index(place, bad.shape)) for place in flat if total.flat[place] < np.inf]


def size_of(pattern: int, sort: AnySort) -> float:
    """How far from simple a value is: its magnitude; negative numbers a little more than positive ones."""
    assert isinstance(sort, Sort)
    if sort.kind == "float":
        value = floats.decode(pattern, sort)
        return min(abs(value), LARGE) if np.isfinite(value) else 2 * LARGE
    if sort.signed and pattern >> (sort.width - 1):
        return (1 << sort.width) - pattern + 0.25
    return float(pattern)


def _smaller(best: Patterns | None, other: Patterns, sorts: Sequence[AnySort]) -> Patterns:
    if best is None:
        return other
    sizes = [
        sum(size_of(p, sort) for p, sort in zip(element, sorts, strict=True) if isinstance(sort, Sort))
        for element in (best, other)
    ]
    return best if sizes[0] <= sizes[1] else other


def _entry(sort: AnySort) -> Sort:
    assert isinstance(sort, ArraySort)
    return sort.element


def _width(sort: AnySort) -> int:
    return sort.width if isinstance(sort, Sort) else 0


def _sample(sort: Sort, count: int, rng: np.random.Generator) -> Array:
    """All patterns of a narrow sort; else the boundaries, the numbers around 0, and random ones of every length."""
    if 1 << sort.width <= count:
        return np.arange(1 << sort.width, dtype=np.uint64)
    mask = (1 << sort.width) - 1
    chosen = dict.fromkeys(value & mask for value in boundaries(sort))
    near = (n & mask for k in range(1, count) for n in (k, -k))
    for value in near:
        if len(chosen) >= max(count // 4, min(count, 48)):
            break
        chosen.setdefault(value)
    drawn = rng.integers(0, 1 << 64, count, dtype=np.uint64, endpoint=False) if sort.width <= 64 else None
    assert drawn is not None
    lengths = rng.integers(0, sort.width, count).tolist()
    for value, length in zip(drawn.tolist(), lengths, strict=True):
        if len(chosen) >= count:
            break
        short = value & mask if length < sort.width // 2 else (value & mask) >> (length // 2)
        chosen.setdefault(short if value & 1 else ~short & mask)
    return np.array(list(chosen)[:count], np.uint64)


def boundaries(sort: Sort) -> list[int]:
    """Patterns where rules change: zero, powers of two and their neighbours, the ends; special floats."""
    if sort.kind == "float":
        infinity, one = floats.infinity(sort), floats.encode(1, sort)
        half = floats.encode(0.5, sort)
        sign = floats.sign_bit(sort)
        base = [0, 1, one, half, half + 1, half - 1, one + 1, one - 1, infinity, infinity - 1, floats.quiet_nan(sort)]
        base += [floats.encode(value, sort) for value in (1.5, 2, 2.5, 127, 128, 255, 32767, 65535, 2.0**31, 2.0**63)]
        return base + [value ^ sign for value in base]
    ends = [0, 1, -1, 2, -2, sort.width - 1, sort.width, sort.width + 1, -sort.width]
    # From both ends to the middle, so that what is cut off is least missed.
    places = sorted(range(sort.width), key=lambda k: min(k, sort.width - 1 - k))
    return ends + [sign * (1 << k) + d for k in places for d in (-1, 0, 1) for sign in (1, -1)]


def _table(sort: ArraySort, turn: int, seed: int) -> Array:
    """A table: constant, rising, steps within the type, extremes, then random."""
    element = sort.element
    rng = np.random.default_rng((seed, 99, turn))
    mask = (1 << element.width) - 1
    if turn == 0:
        values = [0] * sort.length
    elif turn == 1:
        values = [index & mask for index in range(sort.length)]
    elif turn == 2:
        values = [(element.lowest if index % 2 else element.highest) & mask for index in range(sort.length)]
    else:
        values = rng.integers(0, mask, sort.length, endpoint=True).tolist()
    return from_patterns(values, element)
