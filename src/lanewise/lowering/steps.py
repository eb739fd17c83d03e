"""What a rule is written in: steps of the target specification, read in two ways.

A rule is a Python function that takes `t` and the operands of a node, and applies operators of the
target: `t("BITWISE_AND", x, 255)`. Read by `GraphSteps` it adds nodes to a graph; read by
`ValueSteps` it is a traced definition, which can be proven equal to the source's. A number among
the operands is a constant of the first operand's type; patterns above a signed type are taken as bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.build import Builder, Tensor
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import AnySort, ArraySort, Sort, from_pattern, to_pattern
from lanewise.language.words import Value, literal
from lanewise.operators import catalogue

Term = Any  # a Value while proving, a Wire while building a graph


@dataclass(frozen=True, slots=True)
class Wire:
    """A tensor of the graph under construction, with what rules ask of an operand."""

    tensor: Tensor
    sort: AnySort
    rank: int


class Steps:
    """One application of a target operator at a time."""

    def __init__(self, specification: str, version: int | str) -> None:
        self.specification = specification
        self.version = version

    def __call__(self, operator: str, *operands: Term | int | float | None, **keywords: Any) -> Term:
        """The operator applied to terms and numbers; attributes, and arguments such as a shift, by keyword.

        None is an optional operand that is absent.
        """
        record = catalogue.find(self.specification, operator, self.version)
        given = [operand for operand in operands if not isinstance(operand, int | float | None)]
        like = next((operand for operand in given if operand.sort.kind != "bool"), given[0])
        terms = [self.const(o, like.sort) if isinstance(o, int | float) else o for o in operands]
        return self._apply(record, terms, keywords)

    def const(self, value: int | float, sort: Sort) -> Term:
        """A constant; an integer above a signed type is read as its bits."""
        if sort.kind == "int":
            value = from_pattern(to_pattern(int(value), sort), sort)
        return self._constant(value, sort)

    def argument(self, term: Term, known: int | float | None) -> Term | int | float:
        """A scalar operand of the source as an argument of a step: in a graph that fixes it, the number."""
        raise NotImplementedError

    def _constant(self, value: int | float, sort: Sort) -> Term:
        raise NotImplementedError

    def _apply(self, record: Operator, terms: Sequence[Term], keywords: dict[str, Any]) -> Term:
        raise NotImplementedError

    def _row(
        self, record: Operator, sorts: Sequence[AnySort | None], keywords: dict[str, Any]
    ) -> tuple[Row, dict[str, Any]]:
        own = {name: value for name, value in keywords.items() if name in record.attributes}
        attributes = record.read_attributes(own)
        return catalogue.row_of(record, sorts, attributes), attributes


class ValueSteps(Steps):
    """A rule as a definition: operators are their meanings, requirements are recorded.

    `narrow`: words stand for wider ones, so that a rule can be proven at widths that have no row.
    """

    def __init__(self, specification: str, version: int | str, narrow: bool = False) -> None:
        super().__init__(specification, version)
        self.narrow = narrow

    def argument(self, term: Value, known: int | float | None) -> Value:
        return term

    def _constant(self, value: int | float, sort: Sort) -> Value:
        return literal(value, sort)

    def _apply(self, record: Operator, terms: Sequence[Value | None], keywords: dict[str, Any]) -> Value:
        sorts: list[AnySort | None] = [None if term is None else term.sort for term in terms]
        row, attributes = None, record.read_attributes({k: v for k, v in keywords.items() if k in record.attributes})
        if not self.narrow:
            row, attributes = self._row(record, sorts, keywords)
        operands: list[Value | None] = list(terms)
        if not record.variadic:
            for position, name in enumerate(record.arguments):
                if position >= len(terms):
                    given = keywords.get(name, record.arguments[name].default)
                    if isinstance(given, Value):
                        operands.append(given)
                        continue
                    sort = (row or record.rows[0]).inputs[position]
                    scalar = isinstance(sort, Sort) and isinstance(given, int | float)
                    operands.append(literal(given, sort) if scalar else None)  # type: ignore[arg-type]
        own = {name: value for name, value in attributes.items() if name in record.own_attributes}
        result: Value = record.meaning(*operands, **own)
        return result


class GraphSteps(Steps):
    """A rule as part of a graph. `rank` is that of constants: all operands of a TOSA node have one rank."""

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder.specification, builder.version)
        self.builder = builder
        self.rank = 0
        self.used: list[str] = []  # operators added for the node that is being lowered
        self._constants: dict[tuple[str, str, int], Wire] = {}

    def begin(self, rank: int) -> None:
        """Makes ready for a node whose result has that rank; ONNX's constants are single numbers anywhere."""
        self.rank = rank if self.specification == "tosa" else 0
        self.used = []

    def argument(self, term: Wire, known: int | float | None) -> Wire | int | float:
        return term if known is None else known

    def _constant(self, value: int | float, sort: Sort) -> Wire:
        key = (repr(value), sort.name, self.rank)  # as text: 0.0 is not -0.0
        if key not in self._constants:
            array = np.full((1,) * self.rank, value).astype(dtype_of(sort))
            self._constants[key] = Wire(self.builder.constant(array, sort), sort, self.rank)
        return self._constants[key]

    def _apply(self, record: Operator, terms: Sequence[Wire | None], keywords: dict[str, Any]) -> Wire:
        row, _ = self._row(record, [None if term is None else term.sort for term in terms], keywords)
        self.used.append(record.name)
        tensors = [None if term is None else term.tensor for term in terms]
        own: dict[str, Any] = {
            name: value.tensor if isinstance(value, Wire) else value for name, value in keywords.items()
        }
        tensor = self.builder.node(record.name, *tensors, **own)
        ranks = [term.rank for term in terms if term is not None and isinstance(term.sort, Sort)]
        return Wire(tensor, row.output, max(ranks, default=self.rank))


__all__ = ["ArraySort", "GraphSteps", "Steps", "Term", "ValueSteps", "Wire"]
