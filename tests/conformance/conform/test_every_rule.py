"""Each rule of the detective names a target that has just its fault, and no other rule gets the credit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanewise.conformance.detective import rules
from lanewise.conformance.detective.detect import detect, evaluated
from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import stored, words
from lanewise.conformance.judging.questions import asked
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.names import target_of
from lanewise.engines.storage import dtype_of
from tests.conformance.conform import faults_of_arithmetic, faults_of_conversions, faults_of_floats, faults_of_shifts
from tests.conformance.conform.faults import Fault

FAULTS = [
    fault
    for module in (faults_of_shifts, faults_of_arithmetic, faults_of_floats, faults_of_conversions)
    for fault in module.FAULTS
]
MOST = 4096  # of a cell's inputs: a plain function takes its time
BYTES = ("int8", "uint8", "int8 → bool", "uint8 → bool")
named = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.rule}-{fault.cell.replace(' ', '_')}")


@cache
def listed() -> dict[str, Cell]:
    return {cell.key: cell for cell in asked(target_of("numpy"))}


def name_of(rule: rules.Definition) -> str:
    return f"{rule.words.__module__.rpartition('.')[2].removesuffix('_rules')}.{rule.words.__name__}"


def about(cell: Cell) -> dict[str, rules.Definition]:
    return {name_of(rule): rule for rule in rules.for_cell(cell)}


class Case:
    """A fault with its inputs and what it makes of them."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.cell = listed()[fault.cell]
        self.subject = Subject(self.cell, None if fault.given is None else [np.asarray(one) for one in fault.given])
        wanted = self.subject.open[1] if fault.open else ~self.subject.open[1]
        rows = np.flatnonzero(wanted & ~self.subject.outside)
        generator = np.random.default_rng(7)
        self.rows = np.sort(generator.permutation(rows)[:MOST])
        self.expected = self.subject.expected[self.rows]
        with np.errstate(all="ignore"):
            made = fault.target(*(column[self.rows] for column in self.subject.columns))
        self.found = self._typed(made)

    def _typed(self, made: Any) -> np.ndarray[Any, Any]:
        sort = self.cell.row.output
        if sort.kind == "int":
            return stored(np.array([int(one) % (1 << sort.width) for one in made], np.uint64), sort)
        return np.asarray(made).astype(dtype_of(sort))


@named
def test_a_target_with_this_fault_is_told_by_its_rule_alone(fault: Fault) -> None:
    case = Case(fault)
    rule = about(case.cell)[fault.rule]
    count = int(case.subject.differs(case.found, case.expected).sum())
    assert count
    told = detect(case.subject, case.rows, case.found)
    assert (rule.name, rule.meaning) in [(one.name, one.meaning) for one in told]
    assert sorted(one.name for one in told) == sorted([rule.name, *fault.also])
    assert {(one.explained, one.of) for one in told} == {(count, count)}


@named
def test_a_nearby_rule_is_about_the_same_and_says_something_else(fault: Fault) -> None:
    case = Case(fault)
    others = {rule.name: rule for name, rule in about(case.cell).items() if name != fault.rule}
    results = {name: evaluated(rule, case.subject, case.rows) for name, rule in others.items()}
    applied = {name: result for name, result in results.items() if result is not None}
    if fault.near:
        assert case.subject.differs(applied[fault.near], case.found).any()
    else:
        assert set(applied) <= set(fault.also)


@named
def test_its_share_is_told_where_every_other_result_is_wrong_in_another_way(fault: Fault) -> None:
    case = Case(fault)
    sort = case.cell.row.output
    if sort.kind == "bool":
        pytest.skip("a boolean can be wrong in one way only")
    differing = np.flatnonzero(case.subject.differs(case.found, case.expected))
    spoilt = differing[1::2]
    bits = words(case.found, sort)
    bits[spoilt] = (bits[spoilt] ^ np.uint64(0x55)) & np.uint64((1 << sort.width) - 1)
    mixed = stored(bits, sort)
    differs = case.subject.differs(mixed, case.expected)
    share = int((differs & ~case.subject.differs(mixed, case.found)).sum())
    told = {(one.name, one.meaning): (one.explained, one.of) for one in detect(case.subject, case.rows, mixed)}
    rule = about(case.cell)[fault.rule]
    assert told[rule.name, rule.meaning] == (share, int(differs.sum()))
    assert share > 0


def test_there_is_a_fault_for_every_rule() -> None:
    list(rules.for_cell(listed()["onnx Add 14 int8"]))  # records them
    names = [name_of(rule) for rule in rules.RULES]
    assert len(names) == len(set(names))
    assert set(names) == {fault.rule for fault in FAULTS}


def _added(_: rules.Setting, x: Any) -> Any:
    return x


def test_a_rule_without_a_fault_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    list(rules.for_cell(listed()["onnx Add 14 int8"]))
    monkeypatch.setattr(rules, "RULES", [*rules.RULES, replace(rules.RULES[0], words=_added)])
    with pytest.raises(AssertionError):
        test_there_is_a_fault_for_every_rule()


@pytest.mark.parametrize("key", [key for key, cell in listed().items() if cell.type_text in BYTES])
def test_no_two_rules_are_one_on_bytes(key: str) -> None:
    subject = Subject(listed()[key])
    rows = np.flatnonzero(~subject.outside & ~subject.open[1])[::3]
    results = {name: evaluated(rule, subject, rows) for name, rule in about(listed()[key]).items()}
    seen: dict[bytes, str] = {subject.expected[rows].tobytes(): ""}
    for name, result in results.items():
        if result is not None and result.tobytes() != subject.expected[rows].tobytes():
            assert result.tobytes() not in seen, (name, seen[result.tobytes()])
            seen[result.tobytes()] = name


def test_the_guide_says_what_each_rule_is_about() -> None:
    list(rules.for_cell(listed()["onnx Add 14 int8"]))
    guide = (Path(__file__).parents[3] / "docs" / "conform.md").read_text(encoding="utf-8")
    table = guide.partition("| rule | what it does | operators |\n| --- | --- | --- |\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]
    written = {(name, meaning): set(operators.split(", ")) for name, meaning, operators in rows}
    known: dict[tuple[str, str], set[str]] = {}
    for rule in rules.RULES:
        known.setdefault((rule.name, rule.meaning), set()).update(rule.operators)
    assert written == known
