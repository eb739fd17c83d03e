"""Results that somebody has already, held against the specification: which differ, where first, and by which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import words
from lanewise.conformance.judging.judge import compared, decided_and_open
from lanewise.conformance.judging.narrow import Answers
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.verdict import Element, Rule
from lanewise.engines.storage import dtype_of
from lanewise.graph import arrays
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, ArraySort
from lanewise.operators.catalogue import named, row_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Explained:
    """What became of somebody's results of one operator; printed, it is a report. Counts are of elements.

    `compared` have a result that the specification decides, `differing` of them have other bits. The others are
    `unpredictable`, or `open` where the text is silent and only lanewise's numbered `reading` says something;
    `open_differing` of these have other bits than that reading.
    `elements` are the smallest differing inputs and those with results farthest apart; `rules` those that
    reproduce differing results, best first, each with how many it `explained`; `open_elements` and `open_rules` are
    the same of what is read otherwise.
    """

    title: str
    names: tuple[str, ...]
    compared: int
    differing: int
    unpredictable: int
    open: int
    reading: str
    elements: tuple[Element, ...]
    rules: tuple[Rule, ...]
    open_differing: int
    open_elements: tuple[Element, ...]
    open_rules: tuple[Rule, ...]

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.differing} of {self.compared} results differ"]
        if self.unpredictable:
            lines.append(f"  not compared: {self.unpredictable} unpredictable elements")
        if self.open:
            lines.append(
                f"  not compared: {self.open} elements about which the text is silent (reading {self.reading})"
            )
        lines += self._shown(self.differing, "specified", self.elements, self.rules)
        if self.open_differing:
            lines.append(f"  read otherwise: {self.open_differing} of {self.open} (they are not counted)")
            lines += self._shown(self.open_differing, f"reading {self.reading}", self.open_elements, self.open_rules)
        return "\n".join(lines)

    def _shown(self, count: int, wanted: str, elements: Sequence[Element], rules: Sequence[Rule]) -> list[str]:
        lines = []
        for why in dict.fromkeys(one.why for one in elements):
            lines.append(f"  {why}:")
            for one in elements:
                if one.why == why:
                    lines += self._element(one, wanted)
        if count:
            lines.append("  explained by:" if rules else "  no rule explains any of them")
        return lines + [f"    {rule.explained} of {rule.of}: {rule.name} ({rule.meaning})" for rule in rules]

    def _element(self, one: Element, wanted: str) -> list[str]:
        rows = [
            *zip(self.names, one.operands, one.operand_bits, strict=True),
            (wanted, one.expected, one.expected_bits),
            ("found", one.got, one.got_bits),
        ]
        wide, number = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
        shown = [f"{name:{wide}}  {value:>{number}}  {bits}" for name, value, bits in rows]
        return [f"    {'- ' if k == 0 else '  '}{line}" for k, line in enumerate(shown)]


def explain_results(
    operator: str, operands: Sequence[Any], results: Any, *, version: int | str | None = None, **settings: Any
) -> Explained:
    """Which results of an operator differ from the specification, and which rule explains what was done instead.

    `operands` are the operator's operands as arrays, whose dtypes choose the row; they broadcast. `results` are
    what a chip, a simulator or a library made of them. `settings` are attributes, and arguments with one value
    for all elements (a shift of MUL, a table, the bounds of Clip).

    >>> import numpy as np
    >>> x, n = np.array([-3, -1, 1, 3], np.int8), np.ones(4, np.int8)
    >>> found = explain_results("ARITHMETIC_RIGHT_SHIFT", (x, n), [-2, -1, 1, 2], round=True)
    >>> found.differing, found.rules[0].name
    (2, 'half away')
    """
    record = named(operator, version)
    cell, columns = _cell(record, operands, settings)
    shape = _shape(record, columns)
    sort = cell.row.output
    found = arrays.list_as(results, sort, f"{record.label}: results")
    if found.shape != shape:
        raise InvalidError(f"{record.label}: results have shape {list(found.shape)}, the operands {list(shape)}")
    if not found.size:
        raise InvalidError(f"{record.label}: there are no elements to judge")
    subject = Subject(cell, [np.ascontiguousarray(np.broadcast_to(column, shape)).ravel() for column in columns])
    found = np.ascontiguousarray(found).ravel()
    outside = subject.outside
    reading, silent = subject.open
    specified, unsaid = (Answers(found[rows], rows) for rows in map(np.flatnonzero, (~outside & ~silent, silent)))
    decided, left_open = decided_and_open(subject, specified, unsaid)
    count, differing, elements, rules = _judged(subject, decided)
    open_count, open_differing, open_elements, open_rules = _judged(subject, left_open, beside=decided)
    return Explained(
        title=f"{record.label} ({record.release.title}) {cell.row} {cell.setting_text}".rstrip(),
        names=tuple(name for name, _ in cell.free),
        compared=count,
        differing=differing,
        unpredictable=int(outside.sum()),
        open=open_count,
        reading=reading,
        elements=tuple(elements),
        rules=tuple(rules),
        open_differing=open_differing,
        open_elements=tuple(open_elements),
        open_rules=tuple(open_rules),
    )


def _cell(record: Operator, operands: Sequence[Any], settings: Mapping[str, Any]) -> tuple[Cell, list[Array]]:
    """The question that was answered, and the arrays of the operands that vary."""
    if record.constant or any(argument.use == "numbers" for argument in record.arguments.values()):
        raise UnsupportedError(f"{record.label}: it computes nothing from elements, so there is nothing to explain")
    steered = [name for name, argument in record.arguments.items() if argument.sort is not None]
    if steered:
        raise UnsupportedError(
            f"{record.label}: explain_results has no operators whose attributes decide the type of an argument "
            f"({', '.join(steered)}); call the operator itself, and compare"
        )
    given = {name: value for name, value in settings.items() if name in record.arguments}
    attributes = {name: value for name, value in settings.items() if name not in given}
    read = record.read_attributes(attributes)
    names = record.argument_names(2) if record.variadic else list(record.arguments)
    free = [k for k, name in enumerate(names) if name not in given and varies(record, k)]
    needed = [k for k in free if not record.argument(k).optional]
    if not len(needed) <= len(operands) <= len(free) or (record.variadic and len(operands) != 2):
        listed = ", ".join(names[k] for k in free)
        raise InvalidError(f"{record.label}: {len(operands)} operands are given; it takes {listed}")
    columns = [
        arrays.as_array(operand, f"{record.label}: {names[k]}") for k, operand in zip(free, operands, strict=False)
    ]
    sorts = [arrays.sort_for(column, f"{record.label}: {names[k]}") for k, column in zip(free, columns, strict=False)]
    types: list[AnySort | None] = [None] * len(names)
    for k, sort in zip(free, sorts, strict=False):
        types[k] = sort
    row = row_of(record, types, read)
    fixed = {
        name: _value(record, k, row.inputs[0 if record.variadic else k], given)
        for k, name in enumerate(names)
        if types[k] is None
    }
    columns = [column.astype(dtype_of(sort), copy=False) for column, sort in zip(columns, sorts, strict=True)]
    return Cell(record, row, attributes, fixed), columns


def varies(record: Operator, k: int) -> bool:
    """Whether an argument goes from element to element."""
    argument = record.argument(k)
    return argument.use == "elements" and argument.ranks != (0, 0)


def _value(record: Operator, k: int, sort: AnySort, given: Mapping[str, Any]) -> Any:
    """What an argument is that does not vary: a number, a table's entries, None where it is absent."""
    name, argument = record.argument_names(k + 1)[k], record.argument(k)
    who = f"{record.label}: {name}"
    value = given.get(name, None if argument.optional else argument.default)
    if value is REQUIRED:
        raise InvalidError(f"{who} is missing; give it by name, {name}=…")
    if value is None:
        return None
    array = arrays.list_as(value, sort, who)
    size = sort.length if isinstance(sort, ArraySort) else 1
    if array.size != size:
        raise InvalidError(f"{who} has {array.size} values; {size} {'is' if size == 1 else 'are'} needed")
    return array.tolist() if isinstance(sort, ArraySort) else array.astype(dtype_of(sort)).reshape(-1)[0].item()


def _shape(record: Operator, columns: Sequence[Array]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(column.shape for column in columns))
    except ValueError:
        shapes = ", ".join(str(list(column.shape)) for column in columns)
        raise InvalidError(f"{record.label}: operands of shapes {shapes} do not broadcast") from None


def _judged(
    subject: Subject, answers: Answers, beside: Answers | None = None
) -> tuple[int, int, list[Element], list[Rule]]:
    """As conform judges what a target gives; elements that were there more than once are shown once."""
    rows, got = answers.answered, answers.found
    assert rows is not None and got is not None
    count, differing, elements, rules = compared(subject, answers, beside)
    once = _once(subject, rows, got) if differing else np.arange(len(rows))
    if len(once) < len(rows):
        elements = compared(subject, Answers(got[once], rows[once]))[2]
    return count, differing, elements, rules


def _once(subject: Subject, rows: Array, got: Array) -> Array:
    """Places of rows whose operands and result were not there before: a bench may drive a pair more than once."""
    if not len(rows):
        return rows
    keys = [words(column[rows], sort) for column, (_, sort) in zip(subject.columns, subject.cell.free, strict=True)]
    found = np.unique(np.stack([*keys, words(got, subject.cell.row.output)]), axis=1, return_index=True)[1]
    return np.sort(found)
