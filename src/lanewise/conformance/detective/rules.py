"""The rules that the detective knows, each defined word by word; docs/conform.md lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from lanewise.conformance.judging.cells import Cell
from lanewise.language.sorts import Sort
from lanewise.language.words import Value, absolute, literal, select


class DoesNotApply(Exception):
    """A rule says nothing about these types or attributes."""


class Setting(NamedTuple):
    """What a rule may look at besides its operands."""

    cell: Cell
    attributes: Mapping[str, Any]

    @property
    def sort(self) -> Sort:
        """The first operand's type."""
        return self.cell.free[0][1]

    @property
    def output(self) -> Sort:
        return self.cell.row.output


Words = Callable[..., Value]


@dataclass(frozen=True)
class Definition:
    """`words` takes a Setting and the operands that vary, and gives the result.

    A `signalling` one says what comes of operands one of which is a NaN that signals, which words cannot see; all
    others give what is specified.
    """

    name: str
    meaning: str
    operators: tuple[str, ...]
    words: Words
    signalling: bool = False


RULES: list[Definition] = []


def rule(name: str, meaning: str, *operators: str, signalling: bool = False) -> Callable[[Words], Words]:
    """Records the definition below it, for operators by their Python names."""

    def record(words: Words) -> Words:
        RULES.append(Definition(name, meaning, operators, words, signalling))
        return words

    return record


def applies(condition: bool) -> None:
    """Ends a rule's definition for types that it does not mean."""
    if not condition:
        raise DoesNotApply


def without_subnormals(value: Value) -> Value:
    """A float, or 0 with its sign where it is below the smallest normal number."""
    return select(absolute(value) < smallest_normal(value.element), value * literal(0.0, value.element), value)


def smallest_normal(sort: Sort) -> Value:
    return literal(2.0 ** (2 - (1 << (sort.exponent_bits - 1))), sort)


def for_cell(cell: Cell) -> Iterator[Definition]:
    """The rules about a cell's operator."""
    from lanewise.conformance.detective import arithmetic_rules, conversion_rules, float_rules, shift_rules

    # Importing them records their rules.
    assert arithmetic_rules and conversion_rules and float_rules and shift_rules
    return (definition for definition in RULES if cell.operator in definition.operators)
