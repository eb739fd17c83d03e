"""The whole list of theorems: what definitions, kernels, versions, the simplifier and every lowering rely on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from lanewise.engines.identities import RULES
from lanewise.graph.requirements import settings
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import Sort
from lanewise.lowering.directions import directions
from lanewise.lowering.rule import Direction, Source
from lanewise.operators.catalogue import SPECIFICATIONS, versions_of
from lanewise.proof import kernels, meanings
from lanewise.proof.prove import LONGEST_SWEEP
from lanewise.proof.theorem import Narrow, Pair, Theorem

WIDTHS = (1, 8, 16, 32, 64)  # at which the simplifier's rules are proven
NARROW = (8, 16)  # words at which what a solver cannot decide is tried completely


def theorems() -> Iterator[Theorem]:
    """Every theorem, group by group; the order is always the same."""
    yield from meanings.theorems()
    yield from kernels.theorems()
    yield from _versions()
    yield from _simplifier()
    for direction in directions():
        yield from _lowerings(direction)


def _versions() -> Iterator[Theorem]:
    """Rows that two successive records of an operator share, where the later one only says the same again."""
    for specification in SPECIFICATIONS:
        for records in versions_of(specification).values():
            for older, newer in pairwise(records):
                if older.meaning is newer.meaning and not older.constant:
                    for row in (row for row in older.rows if row in newer.rows):
                        yield from _same_meaning(older, newer, row)


def _same_meaning(older: Operator, newer: Operator, row: Row) -> Iterator[Theorem]:
    for attributes in settings(older, row):
        source = Source(older, row.inputs, row.output, attributes)
        later = Source(newer, row.inputs, row.output, attributes)
        try:
            source.function(), later.function()
        except LanewiseError:
            continue  # attributes that this row forbids
        name = f"{source.label} at {older.release.title} and at {newer.release.title}"
        yield Theorem(name, "versions", partial(_two, source, later))


def _two(source: Source, target: Source) -> Pair:
    return source.function(), target.function()


def _simplifier() -> Iterator[Theorem]:
    for rule in RULES:
        for width in WIDTHS:
            for name, left, right in rule.cases(width):
                yield Theorem(name, "simplifier", partial(_given, (left, right)))


def _given(pair: Pair) -> Pair:
    return pair


def _lowerings(direction: Direction) -> Iterator[Theorem]:
    for source in direction.instances():
        narrow = tuple(
            Narrow(width, partial(_lowered, *found))
            for width in NARROW
            if (found := direction.narrowed(source, width)) is not None and _bits(found[1]) <= LONGEST_SWEEP
        )
        yield Theorem(source.label, direction.name, partial(_lowered, direction, source), narrow)


def _bits(source: Source) -> int:
    return sum(sort.width for sort in source.types if isinstance(sort, Sort))


def _lowered(direction: Direction, source: Source) -> Pair:
    return source.function(), direction.lowered(source)
