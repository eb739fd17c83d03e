"""Every rule has a definition for some cell, and the rounding rules mean what plain integers say."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from lanewise.conformance.detective import rules
from lanewise.conformance.detective.detect import detect, evaluated
from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.questions import asked, cells
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.names import target_of

ALL = list(asked(target_of("numpy")))


def named(operator: str, kind: str, **attributes: object) -> Cell:
    return next(
        cell
        for cell in ALL
        if cell.operator == operator
        and cell.type_text == kind
        and all(cell.attributes.get(name) == value for name, value in attributes.items())
    )


def test_every_rule_can_beevaluated_and_applies_somewhere() -> None:
    applied = set()
    for cell in ALL:
        subject = Subject(cell)
        for rule in rules.for_cell(cell):
            if cell.operator == "cast" and rule in applied:
                continue
            if evaluated(rule, subject, np.arange(2), quick=True) is not None:
                applied.add(rule)
    list(rules.for_cell(ALL[0]))  # records them
    assert {rule.name for rule in rules.RULES if rule not in applied} == set()
    assert len(rules.RULES) > 40


def _half_away(value: Fraction) -> int:
    size = math.floor(abs(value) + Fraction(1, 2))
    return size if value >= 0 else -size


ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "floor": math.floor,
    "truncation": math.trunc,
    "half even": round,
    "half away": _half_away,
    "half up": lambda value: math.floor(value + Fraction(1, 2)),
}


@pytest.mark.parametrize("name", ROUNDINGS)
def test_roundings_of_a_shift(name: str) -> None:
    subject = Subject(named("arithmetic_right_shift", "int8", round=True))
    (rule,) = [rule for rule in rules.for_cell(subject.cell) if rule.name == name]
    rows = np.flatnonzero(~subject.outside)
    x, n = (column[rows].tolist() for column in subject.columns)
    want = [ROUNDINGS[name](Fraction(a, 1 << b)) for a, b in zip(x, n, strict=True)]
    found = evaluated(rule, subject, rows)
    assert found is not None and found.tolist() == want


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, "int8") for name in ("floor", "half even", "half away", "half up")]
    + [(name, "uint8") for name in ("floor", "half even", "half away")],
)
def test_roundings_of_a_quotient(name: str, kind: str) -> None:
    subject = Subject(named("div", kind))
    (rule,) = [rule for rule in rules.for_cell(subject.cell) if rule.name == name]
    rows = np.flatnonzero(~subject.open[1])
    a, b = (column[rows].tolist() for column in subject.columns)
    want = [ROUNDINGS[name](Fraction(x, y)) for x, y in zip(a, b, strict=True)]
    found = evaluated(rule, subject, rows)
    assert found is not None and found.tolist() == want


def test_a_mixture_is_explained_in_shares() -> None:
    """Half of the differing elements follow one rule, the others another."""
    subject = Subject(named("div", "int8"))
    rows = np.flatnonzero(~subject.open[1])
    floor, even = (
        evaluated(rule, subject, rows) for rule in rules.for_cell(subject.cell) if rule.name in ("floor", "half even")
    )
    assert floor is not None and even is not None
    given = np.where(subject.columns[0][rows] < 0, floor, even)
    found = {rule.name: (rule.explained, rule.of) for rule in detect(subject, rows, given)}
    differs = given != subject.expected[rows]
    assert found["floor"] == (int((differs & (given == floor)).sum()), int(differs.sum()))
    assert found["half even"] == (int((differs & (given == even)).sum()), int(differs.sum()))


def test_what_reproduces_everything_leaves_no_room_for_what_fits_the_differences_alone() -> None:
    """Where ties go to the even neighbour, every differing result is also the one rounded down, others are not."""
    subject = Subject(named("arithmetic_right_shift", "int8", round=True))
    rows = np.flatnonzero(~subject.outside)
    (even,) = [evaluated(rule, subject, rows) for rule in rules.for_cell(subject.cell) if rule.name == "half even"]
    assert even is not None
    assert [rule.name for rule in detect(subject, rows, even)] == ["half even"]


def test_nothing_is_named_where_nothing_differs() -> None:
    subject = Subject(named("div", "int8"))
    rows = np.flatnonzero(~subject.open[1])
    assert detect(subject, rows, subject.expected[rows]) == []


def test_casts_round_halves_away_and_nothing_else() -> None:
    """The number below a half, and those so large that a half is lost in them."""
    subject = Subject(named("cast", "float64 → int64"))
    values = [0.49999999999999994, 0.5, 1.5, 2.5, -2.5, -0.49999999999999994, 2.0**52 + 1, -(2.0**52) - 1, 3.0, -7.25]
    (rule,) = (one for one in rules.for_cell(subject.cell) if one.name == "half away")
    subject = Subject(subject.cell, [np.array(values)])
    found = evaluated(rule, subject, np.arange(len(values)))
    assert found is not None
    assert found.tolist() == [_half_away(Fraction(value)) for value in values]


def test_casts_through_a_processors_conversion() -> None:
    """2 ** 31 is beyond int32, and its conversion signals; so is what lies below -2 ** 31."""
    subject = Subject(named("cast", "float64 → int16"))
    values = [2.0**31 - 1, 2.0**31, -(2.0**31), -(2.0**31) - 1, 65536.0 + 7, -1.5]
    (rule,) = (one for one in rules.for_cell(subject.cell) if one.name == "wraps from 32 bits")
    found = evaluated(rule, Subject(subject.cell, [np.array(values)]), np.arange(len(values)))
    assert found is not None
    assert found.tolist() == [-1, 0, 0, 0, 7, -1]


@pytest.mark.parametrize("shift", [31, 40, 62])
def test_a_product_that_is_rounded_twice_is_moved_by_its_own_sign(shift: int) -> None:
    """Not by the first operand's; up to a shift of 31 nothing is moved."""
    (cell,) = (one for one in cells("tosa", ["1.1"]) if one.key == f"tosa MUL 1.1 int32 shift={shift}")
    half, extra = 1 << (shift - 1), 1 << 30 if shift > 31 else 0
    numbers = [-(2**31) + 1, -(2**20), -(2**19) + 512, -99991, -1, 1, 77, 2**19 - 512, 2**20, 2**31 - 1]
    pairs = [(a, b) for a in numbers for b in numbers]
    subject = Subject(cell, [np.array(column, np.int32) for column in zip(*pairs, strict=True)])
    want = [(a * b + half + (extra if a * b >= 0 else -extra)) >> shift for a, b in pairs]
    (rule,) = (one for one in rules.for_cell(cell) if one.name == "double rounding" and "2**30" in one.meaning)
    rows = np.arange(len(pairs))
    found = evaluated(rule, subject, rows)
    assert found is not None
    assert found.tolist() == want
    if shift == 40:
        assert want != subject.expected.tolist()
        best = detect(subject, rows, np.array(want, np.int32))[0]
        assert (best.name, best.explained) == ("double rounding", best.of)
