"""Inputs about which the texts are silent: subnormal numbers are among them, and are explained apart."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.judge import _grid
from lanewise.conformance.judging.run import conform
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.subnormals import subnormal
from lanewise.conformance.report.record import record
from lanewise.conformance.report.terminal import show
from lanewise.conformance.targets.names import target_of
from lanewise.language.sorts import f32
from tests.conformance.conform.test_detective import named

FLUSHES = "tests.conformance.conform.sample_targets:without_subnormals"
TINY = float(np.finfo(np.float32).tiny)


def silent(operator: str, kind: str, *operands: list[float], **attributes: object) -> list[bool]:
    """Which elements are open."""
    subject = Subject(named(operator, kind, **attributes), [np.array(values, np.float32) for values in operands])
    return subject.open[1].tolist()


def test_what_subnormal_numbers_decide_is_open_and_nothing_else() -> None:
    least = float(np.float32(1e-45))
    assert silent("add", "float32", [least, 1.0, TINY, 2.0], [0.0, least, -TINY * 1.5, 3.0]) == [
        True,
        False,
        True,
        False,
    ]
    assert silent("mul", "float32", [TINY, TINY, 1.0], [0.5, 2.0, 3.0]) == [True, False, False]
    assert silent("greater", "float32 → bool", [least, least, 1.0], [0.0, 1.0, 0.0]) == [True, False, False]
    assert silent("neg", "float32", [least, TINY]) == [True, False]
    assert silent("cast", "float32 → bool", [least, 0.0, TINY]) == [True, False, False]
    assert silent("cast", "float32 → int32", [least, 0.5]) == [False, False]


def test_a_product_that_may_be_below_the_smallest_normal_number_before_it_is_rounded_is_open() -> None:
    below = float(np.nextafter(np.float32(1), np.float32(0)))
    assert np.float32(TINY) * np.float32(below) == np.float32(TINY)
    assert silent("mul", "float32", [TINY], [below]) == [True]


def test_a_remainder_through_a_subnormal_number_is_open() -> None:
    a, b = (
        -TINY * 2.25,
        TINY * 2,
    )  # a quarter of the smallest normal number is left towards zero, b less that rounded down
    assert np.mod(a, b) == TINY * 1.75
    assert silent("mod", "float32", [a], [b], fmod=False) == [True]


@pytest.mark.parametrize(("operators", "reading"), [("^Add-", "O9"), ("^ADD$", "T5")])
def test_a_target_that_takes_subnormal_numbers_for_zeros_does_not_differ(operators: str, reading: str) -> None:
    report = conform([target_of(FLUSHES)], operators, "^float32$")
    (finding,) = report.findings
    assert finding.reading == reading
    assert finding.open == finding.open_differing > 40
    assert [(rule.name, rule.explained) for rule in finding.open_rules][:1] == [
        ("subnormal numbers are 0", finding.open_differing)
    ]
    assert finding.open_elements[0].why == "smallest"
    wanted = (v.DIFFERS, 1) if reading == "T5" else (v.AGREES, 0)  # it is wrong for 7 + 1, in TOSA
    assert (finding.verdict, finding.differing) == wanted
    assert not any(rule.name == "subnormal numbers are 0" for rule in finding.rules)
    (told,) = json.loads(json.dumps(record(report)))["findings"]
    assert told["open_rules"][0]["explained"] == told["open_differing"] == finding.open_differing
    assert told["open_elements"][0]["operand_bits"] == finding.open_elements[0].operand_bits
    out = io.StringIO()
    show(report, Console(file=out, width=160))
    assert f"float32 (reading {reading}); as if: subnormal numbers are 0 (100%)" in out.getvalue()


def test_broadcasting_is_asked_where_few_operands_are_open() -> None:
    first, second = np.array([np.nan, 1e-45, 1, 2, 3, 4], np.float32), np.array([0, 1, 2, 3, 5, 7], np.float32)
    grid = _grid(Subject(named("max", "float32"), [first, second]))
    assert grid is not None
    assert sorted(grid[0].ravel().tolist())[-4:] == [1, 2, 3, 4]
    assert not np.isnan(grid[0]).any()
    assert set(grid[1].ravel().tolist()) >= {1, 2, 3, 5, 7}


def test_subnormal_numbers_are_those_between_zero_and_the_smallest_normal_one() -> None:
    values = np.array([0.0, -0.0, 1e-45, -1e-45, TINY, np.nan, np.inf, -TINY / 2], np.float32)
    assert subnormal(values, f32).tolist() == [False, False, True, True, False, False, False, True]
