"""The corpus: for every operator record, row and choice of attributes the elements, and what the oracle says of each.

A `VectorSet` is what one graph of one operator can be given at once. The results come from the exact
engine. An unpredictable element is flagged; nothing promises it a value, so it has the pattern 0 here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lanewise.conformance.vectors.choices import MOST, Choice, choices, shown
from lanewise.conformance.vectors.classes import completing
from lanewise.conformance.vectors.elements import Element, Generator, at_the_edge, crossed, drawn
from lanewise.engines.exact import Evaluator, fold
from lanewise.language.errors import InvalidError
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.language.words import Function, Value, literal
from lanewise.operators.catalogue import SPECIFICATIONS, in_force, versions_of

VARIADIC = 3  # operands of an operator that takes any number


@dataclass(frozen=True)
class Column:
    """One operand: the name of the argument, its type, and a pattern for each element."""

    name: str
    sort: Sort
    patterns: tuple[int, ...]


@dataclass(frozen=True)
class Computed:
    """What the oracle says of a function on elements of its own choice."""

    elements: tuple[Element, ...]
    results: tuple[int, ...]
    broken: tuple[str, ...]  # the first requirement that fails, or nothing
    one_sided: tuple[str, ...]  # requirements that no element tried fails, or all fail


@dataclass(frozen=True)
class VectorSet:
    """One graph of one operator: fixed values, columns of operands, results, and where there is none."""

    operator: Operator
    row: Row
    choice: Choice
    index: int  # among the choices of the row that have the same name but for this
    columns: tuple[Column, ...]
    results: tuple[int, ...]
    broken: tuple[str, ...]
    function: Function = field(repr=False)
    one_sided: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """Made of letters, digits and underscores, and no other set's."""
        return f"{stem_of(self.operator, self.row, self.choice)}_{self.index:02d}"

    @property
    def title(self) -> str:
        """The operator, its row and what is fixed, for a person."""
        fixed = [f"{key}={getattr(value, 'name', value)}" for key, value in self.choice.attributes.items()]
        sorts = dict(zip(self.operator.arguments, self.row.inputs, strict=False))
        fixed += [f"{name}={shown(value, sorts[name])}" for name, value in self.choice.fixed.items()]
        operator = self.operator
        return f"{operator.label} ({operator.release.title}) {self.row}{': ' if fixed else ''}{', '.join(fixed)}"

    @property
    def predictable(self) -> list[int]:
        """The elements that have a defined result."""
        return [at for at, reason in enumerate(self.broken) if not reason]


def stem_of(operator: Operator, row: Row, choice: Choice) -> str:
    """The name without its number: specification, version, operator, types, attributes."""
    sorts = [sort.name for sort in row.inputs if isinstance(sort, Sort)]
    settings = [
        f"{key}_{getattr(value, 'name', value)}"
        for key, value in choice.attributes.items()
        if key in (*operator.own_attributes, "per_channel") and key != operator.output_attribute
    ]
    parts = [release_of(operator), operator.name, *sorts, "to", row.output.name, *settings]
    return re.sub(r"\W", "_", "_".join(map(str, parts)).replace("-", "m"))


def release_of(operator: Operator) -> str:
    """Specification and version as a set's name starts: 'onnx_28', 'tosa_0_23_0'."""
    return f"{operator.release.specification}_{operator.release.since}".replace(".", "_")


def records(version: str | None = None) -> Iterator[Operator]:
    """Every record with operands; of a version those that are in force there (an opset, or a TOSA release)."""
    found = [
        record
        for specification in SPECIFICATIONS
        for named in versions_of(specification).values()
        for record in (named if version is None else in_force(named, version))
        if not record.constant
    ]
    return iter(found)


def row_name(operator: Operator, row: Row) -> str:
    """How a row is called in the list of pinned hashes."""
    return f"{operator.release.specification} {operator.release.since} {operator.name} {row}"


class Corpus:
    """Makes the sets; functions that several versions share are computed once.

    A choice of what is fixed that leaves no element a result (a shift beyond its range) makes no set; `without` has it.
    """

    def __init__(self) -> None:
        self._computed: dict[Any, Computed] = {}
        self.without: list[tuple[VectorSet, str]] = []  # and the requirement that fails

    def sets(
        self, operator: Operator, row: Row, wanted: Callable[[str], bool] = lambda name: True
    ) -> Iterator[VectorSet]:
        """The sets of one row whose name is wanted: the choices that the definition forbids are left out."""
        taken: dict[str, int] = {}
        for choice in choices(operator, row):
            stem = stem_of(operator, row, choice)
            if not any(wanted(f"{stem}_{index:02d}") for index in range(MOST)):
                continue
            names = operator.argument_names(VARIADIC) if operator.variadic else list(operator.arguments)
            types = _types(operator, row, choice, len(names))
            known: dict[int, Value] = {
                k: literal_of(choice.fixed[name], sort)
                for k, (name, sort) in enumerate(zip(names, types, strict=True))
                if name in choice.fixed and isinstance(sort, Sort)
            }
            try:
                attributes = operator.read_attributes(choice.attributes)
                function = fold(operator.function(types, row.output, attributes, known))
            except InvalidError:
                continue  # forbidden for this row
            table = next((choice.fixed[n] for n, s in zip(names, types, strict=True) if isinstance(s, ArraySort)), None)
            key = (function.inputs, function.outputs, function.results, function.requirements, table)
            found = self._computed.get(key)
            if found is None:
                found = self._computed[key] = compute(function, table)
            free = [
                (name, sort)
                for name, sort in zip(names, types, strict=True)
                if isinstance(sort, Sort) and name not in choice.fixed
            ]
            columns = tuple(
                Column(name, sort, tuple(element[k] for element in found.elements))
                for k, (name, sort) in enumerate(free)
            )
            made = VectorSet(
                operator,
                row,
                choice,
                taken.get(stem, 0),
                columns,
                found.results,
                found.broken,
                function,
                found.one_sided,
            )
            if all(found.broken):
                if wanted(stem):
                    self.without.append((made, found.broken[0]))
                continue
            taken[stem] = made.index + 1
            if wanted(made.name):
                yield made


def literal_of(pattern: int, sort: Sort) -> Value:
    """A value that is known while tracing, from its pattern."""
    from lanewise.engines.exact import number

    return literal(number(pattern, sort), sort)


def _types(operator: Operator, row: Row, choice: Choice, count: int) -> tuple[AnySort | None, ...]:
    """The operands' types as the definition sees them: None for what is absent, or read before elements are."""
    if operator.variadic:
        return tuple(row.inputs[0] for _ in range(count))
    return tuple(
        None if argument.use == "numbers" or choice.fixed.get(name, 0) is None else sort
        for (name, argument), sort in zip(operator.arguments.items(), row.inputs, strict=True)
    )


def compute(function: Function, table: Sequence[int] | None) -> Computed:
    """The elements worth trying for a function, in order, and the oracle's answers."""
    conditions = [requirement.condition for requirement in function.requirements]
    reasons = [requirement.reason for requirement in function.requirements]
    evaluate = Evaluator([*function.results, *conditions])
    sorts = [sort for sort in function.inputs if isinstance(sort, Sort)]
    answers: dict[Element, list[Any]] = {}

    def answer(element: Element) -> list[Any]:
        found = answers.get(element)
        if found is None:
            queue = iter(element)
            given = [table if isinstance(sort, ArraySort) else next(queue) for sort in function.inputs]
            found = answers[element] = evaluate(given) if conditions else [evaluate(given)[0]]
        return found

    described = ", ".join(sort.name for sort in (*function.inputs, *function.outputs))
    chosen = list(crossed(sorts))
    random = list(drawn(sorts, Generator(described)))
    edges: list[Element] = []
    one_sided = []
    for k, reason in enumerate(reasons, 1):

        def holds(element: Element, k: int = k) -> bool:
            return bool(answer(element)[k])

        tried = [(element, holds(element)) for element in (*chosen, *random)]
        found = list(at_the_edge(holds, tried, sorts))
        edges += found
        if not found:
            one_sided.append(reason)
    listed = dict.fromkeys((*chosen, *edges, *random))
    more = list(completing(function, listed, lambda element: all(answer(element)[1:])))
    elements = tuple(dict.fromkeys((*chosen, *edges, *more, *random)))
    results, broken = [], []
    for element in elements:
        result, *verdicts = answer(element)
        first = next((reason for reason, verdict in zip(reasons, verdicts, strict=True) if not verdict), "")
        broken.append(first)
        results.append(0 if first else int(result))
    return Computed(elements, tuple(results), tuple(broken), tuple(one_sided))


def attributes_shown(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as JSON has them."""
    return {key: getattr(value, "name", value) for key, value in attributes.items() if value is not None}
