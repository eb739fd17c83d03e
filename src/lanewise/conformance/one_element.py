"""One element, judged as conform judges it: which reading decides it, and whether a result is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.conformance.detective.explain import varies
from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.subject import Subject
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import from_patterns
from lanewise.language.sorts import AnySort, ArraySort, Sort

OTHERWISE = "reads it otherwise"


class Judged:
    """`element` has the operator's record, its row, its attributes, and sorts and patterns of all operands."""

    def __init__(self, element: Any) -> None:
        self.element = element
        self.sort: Sort = element.row.output
        self.subject = _subject(element)

    @property
    def reading(self) -> str:
        """The number of the reading that decides, where the text is silent; else nothing."""
        if self.subject is None or self.element.broken:
            return ""
        number_of_it, silent = self.subject.open
        return number_of_it if silent[0] else ""

    def verdict(self, pattern: int) -> str:
        """Whether it "agrees", "differs", "reads it otherwise" in silence; nothing where no result is promised."""
        if self.element.broken:
            return ""
        if self.subject is None:
            result = self.element.result
            if pattern == result or (_is_nan(pattern, self.sort) and _is_nan(result, self.sort)):
                return v.AGREES
            return "" if self.sort.kind == "float" else v.DIFFERS  # a reading, which is not known here, may decide
        found = from_patterns([pattern], self.sort)
        if not self.subject.differs(found, self.subject.expected)[0]:
            return v.AGREES
        left_open = self.reading and self.subject.left_open(np.zeros(1, np.intp), found)[0]
        return OTHERWISE if left_open else v.DIFFERS


def _is_nan(pattern: int, sort: Sort) -> bool:
    return sort.kind == "float" and bool(np.isnan(number(pattern, sort)))


def _subject(element: Any) -> Subject | None:
    """The element as conform asks about it; None for operators that it cannot ask about."""
    record, sorts, operands = element.operator, element.all_sorts, element.all_operands
    arguments = record.arguments.values()
    if record.constant or any(one.use == "numbers" or one.sort is not None for one in arguments):
        return None
    if record.variadic and len(sorts) != 2:
        return None
    names = record.argument_names(len(sorts)) if record.variadic else list(record.arguments)
    free, fixed = [], {}
    for k, (name, sort, operand) in enumerate(zip(names, sorts, operands, strict=True)):
        if isinstance(sort, Sort) and varies(record, k):
            free.append(from_patterns([operand], sort))
        else:
            fixed[name] = _value(sort, operand)
    attributes = {name: value for name, value in element.attributes.items() if value is not None}
    return Subject(Cell(record, element.row, attributes, fixed), free)


def _value(sort: AnySort | None, operand: Any) -> Any:
    if sort is None:
        return None
    if isinstance(sort, ArraySort):
        return from_patterns(operand, sort.element).tolist()
    return from_patterns([operand], sort)[0].item()
