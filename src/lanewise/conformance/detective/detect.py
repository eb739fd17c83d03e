"""Which rules reproduce a target's results, and what share of the differing inputs each explains."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.conformance.detective import rules
from lanewise.conformance.judging.inputs import words
from lanewise.conformance.judging.narrow import Answers
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.verdict import Rule
from lanewise.engines.exact import fold
from lanewise.engines.exact_kernel import ExactKernel
from lanewise.engines.native.kernel import kernel
from lanewise.language import floats
from lanewise.language.sorts import ArraySort
from lanewise.language.words import Value, trace

Array = np.ndarray[Any, Any]
SHOWN = 5
GLANCED = 48  # differing inputs that a rule is tried on before it is compiled for all


def detect(subject: Subject, rows: Array, found: Array, beside: Answers | None = None) -> list[Rule]:
    """The rules that explain something, best first; of rules that explain the same, those that fit elsewhere too.

    Where a rule reproduces every result, also those that are as specified, only such rules are named. One that
    gives another result than the answers `beside` them, where these are as specified, is none. Where every differing
    input has an operand that is a signalling NaN, only rules about these are named.
    """
    differs = subject.differs(found, subject.expected[rows])
    of, scored = int(differs.sum()), []
    if not of:
        return []
    places = np.flatnonzero(differs)
    some = places[np.linspace(0, of - 1, min(of, GLANCED)).astype(np.intp)]
    signal = _signalling(subject, rows)
    signals_alone = bool(signal[differs].all())  # what else fits so few is chance
    for rule in rules.for_cell(subject.cell):
        if signals_alone and not rule.signalling:
            continue
        glance = evaluated(rule, subject, rows[some], quick=True)
        if glance is None or subject.differs(glance, found[some]).all():
            continue
        result = evaluated(rule, subject, rows)
        assert result is not None
        same = ~subject.differs(result, found)
        explained = int((same & differs).sum())
        if explained and not (beside is not None and _contradicts(rule, subject, beside)):
            scored.append((explained, int(same.sum()), Rule(rule.name, rule.meaning, explained, of)))
    scored.sort(key=lambda entry: entry[:2], reverse=True)
    if scored and scored[0][1] == len(rows):
        scored = [entry for entry in scored if entry[1] == len(rows)]
    return [entry[2] for entry in scored[:SHOWN]]


def _contradicts(rule: rules.Definition, subject: Subject, answers: Answers) -> bool:
    """Whether the rule gives another result where the target gives the specified one."""
    if answers.found is None or answers.answered is None:
        return False
    right = ~subject.differs(answers.found, subject.expected[answers.answered])
    rows = answers.answered[right]
    result = evaluated(rule, subject, rows) if len(rows) else None
    return result is not None and bool(subject.differs(result, answers.found[right]).any())


def evaluated(rule: rules.Definition, subject: Subject, rows: Array, quick: bool = False) -> Array | None:
    """A rule's results on rows (a few: quick); None where it says nothing about these types."""
    cell = subject.cell
    attributes = cell.record.read_attributes(cell.attributes)
    sorts: list[Any] = [sort for _, sort in cell.free]

    def meaning(*operands: Value) -> Value:
        return rule.words(rules.Setting(cell, attributes), *operands)

    try:
        function = trace(meaning, tuple(sorts), cell.row.output)
    except rules.DoesNotApply:
        return None
    assert not any(isinstance(sort, ArraySort) for sort in sorts)
    run = ExactKernel(fold(function)) if quick else kernel(function, optimised=False)
    (result,), _ = run([column[rows] for column in subject.columns], (len(rows),))
    if rule.signalling:
        return np.where(_signalling(subject, rows), result, subject.expected[rows])
    return np.asarray(result)


def _signalling(subject: Subject, rows: Array) -> Array:
    """Where some operand is a signalling NaN."""
    found = np.zeros(len(rows), np.bool_)
    for column, (_, sort) in zip(subject.columns, subject.cell.free, strict=True):
        if sort.kind == "float":
            patterns = words(column[rows], sort) & np.uint64(floats.sign_bit(sort) - 1)
            found |= (patterns > floats.infinity(sort)) & (patterns < floats.quiet_nan(sort))
    return found
