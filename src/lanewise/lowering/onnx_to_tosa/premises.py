"""What constants of a graph tell of a node, so that it needs less: counts below the width, harmless divisors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lanewise.language.sorts import Sort
from lanewise.language.words import Value, within
from lanewise.lowering.rule import Premise, Source

Array = np.ndarray[Any, Any]

NAMES = ("BitShift", "Div", "Mod")


def informed(source: Source) -> Source:
    """The node with its premise, if the graph fixes the second operand and that meets it."""
    if source.operator.name not in NAMES or 1 not in source.constants or source.sort.kind != "int":
        return source
    meets = _counts_inside if source.operator.name == "BitShift" else _divides
    return with_premise(source) if meets(source.constants[1], source.sort) else source


def with_premise(source: Source) -> Source:
    """The node for operands that meet its premise."""
    premise = small_counts if source.operator.name == "BitShift" else harmless_divisors
    return replace(source, premise=premise(source.sort))


def has_premise(source: Source) -> bool:
    return source.operator.name in NAMES and source.sort.kind == "int"


def small_counts(sort: Sort) -> Premise:
    last = sort.width - 1
    return Premise(f"0 <= Y <= {last}", lambda x, y: within(y, 0, last))


def harmless_divisors(sort: Sort) -> Premise:
    if sort.signed:
        return Premise("B is neither 0 nor -1", lambda a, b: _other_than(b, 0) & _other_than(b, -1))
    return Premise("B is not 0", lambda a, b: _other_than(b, 0))


def _other_than(value: Value, number: int) -> Value:
    return value != number


def _counts_inside(counts: Array, sort: Sort) -> bool:
    return bool(np.all((counts >= 0) & (counts < sort.width)))


def _divides(divisors: Array, sort: Sort) -> bool:
    return bool(np.all(divisors != 0) and not (sort.signed and np.any(divisors == -1)))
