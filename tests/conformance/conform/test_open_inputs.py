"""Inputs about which the texts are silent: subnormal numbers are among them, and are explained apart."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.judge import _grid, compared
from lanewise.conformance.judging.narrow import Answers
from lanewise.conformance.judging.questions import cells
from lanewise.conformance.judging.run import conform
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.subnormals import subnormal
from lanewise.conformance.report.record import record
from lanewise.conformance.report.terminal import show
from lanewise.conformance.targets.names import target_of
from lanewise.language.sorts import f32
from tests.conformance.conform.test_detective import named

HERE = "tests.conformance.conform.sample_targets"
FLUSHES = f"{HERE}:without_subnormals"
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


@pytest.mark.parametrize(("operators", "reading"), [("^onnx Add ", "O9"), ("^tosa ADD ", "T5")])
def test_a_target_that_takes_subnormal_numbers_for_zeros_does_not_differ(operators: str, reading: str) -> None:
    report = conform([target_of(FLUSHES)], [operators], ["^float32$"], versions=["28", "0.23.0"])
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
    share = f"{finding.open:,} of {finding.open:,} open inputs, reading {reading}"
    assert f"float32 ({share}); as if: subnormal numbers are 0 (100%)" in out.getvalue()


def test_silence_about_subnormal_numbers_does_not_excuse_what_comes_of_neither_reading() -> None:
    (finding,) = conform([target_of(f"{HERE}:keeps_the_sign_of_subnormals")], ["^Neg-13"], ["^float32$"]).findings
    assert (finding.verdict, finding.open_differing) == (v.DIFFERS, 0)
    size = np.abs(Subject(named("neg", "float32")).columns[0])
    assert finding.differing == np.count_nonzero((size > 0) & (size < TINY)) >= 6
    assert finding.elements[0].operands == ["1.40129846e-45"]


def left_open(operator: str, operands: list[float], found: list[float], **attributes: object) -> list[bool]:
    """Which results a text leaves open for one element that subnormal numbers decide."""
    subject = Subject(named(operator, "float32", **attributes), [np.array([one], np.float32) for one in operands])
    assert subject.open[1].all()
    return [bool(subject.left_open(np.zeros(1, np.intp), np.array([one], np.float32))[0]) for one in found]


def test_allowed_are_the_number_itself_and_zeros_for_operands_results_or_both() -> None:
    least = float(np.float32(1e-45))
    assert left_open("add", [least, 0.0], [least, 0.0, -0.0, 42.0, 2 * least]) == [True, True, False, False, False]
    assert left_open("mul", [-(2.0**-100), 2.0**-40], [-(2.0**-140), -0.0, 0.0, TINY]) == [True, True, True, False]
    quotients = [2.0**-107, np.inf, -np.inf, np.nan, 0.0]
    assert left_open("div", [-(2.0**-127), -(2.0**-20)], quotients) == [True, False, False, False, True]
    assert left_open("div", [0.25, -(2.0**-127)], [-np.inf, np.inf, -(2.0**124), 2.0**125]) == [
        True,
        True,
        False,
        False,
    ]
    assert left_open("div", [2.0**-127, 2.0**-127], [1.0, np.nan, 0.0, np.inf]) == [True, True, False, False]


def test_where_a_zero_makes_an_element_unpredictable_anything_may_come_out() -> None:
    cell = next(cell for cell in cells("tosa", ["1.1"]) if cell.operator == "pow" and cell.type_text == "float32")
    subject = Subject(cell, [np.full(3, 2.0**-130, np.float32), np.full(3, -0.5, np.float32)])
    assert subject.open[1].all()
    assert subject.left_open(np.arange(3), np.array([2.0**65, np.inf, 42.0], np.float32)).all()


def test_a_result_that_was_rounded_up_to_the_smallest_normal_number_may_be_zero_and_an_exact_one_may_not() -> None:
    below = float(np.nextafter(np.float32(1), np.float32(0)))
    assert left_open("mul", [TINY, below], [TINY, 0.0, -0.0, TINY / 2]) == [True, True, True, False]
    assert left_open("mul", [TINY, 1.0], [TINY, 0.0]) == [True, False]


def test_among_numbers_that_count_as_zeros_either_may_be_chosen() -> None:
    least = float(np.float32(1e-45))
    assert left_open("max", [least, 3 * least], [3 * least, least, 0.0, -0.0, 2 * least]) == [True] * 4 + [False]
    assert left_open("min", [least, 3.0], [least, 0.0, 3.0]) == [True, True, False]


def test_a_remainder_may_stop_at_any_step_that_a_subnormal_number_decides() -> None:
    a, b = -TINY * 2.25, TINY * 2
    results = [TINY * 1.75, -TINY * 0.25, b, 0.0, TINY, a]
    assert left_open("mod", [a, b], results, fmod=False) == [True, True, True, True, False, False]


def test_what_explains_open_inputs_does_not_contradict_the_others() -> None:
    subject = Subject(named("cast", "float32 → bool"))
    (x,), silent = subject.columns, subject.open[1]
    found = np.where(np.abs(x) < TINY, np.float32(0), x) != 0
    apart, beside = (Answers(found[mask], np.flatnonzero(mask)) for mask in (silent, ~silent))
    alone = {rule.name for rule in compared(subject, apart)[3]}
    assert alone == {"subnormal numbers are 0", "cut to an integer first"}
    assert [rule.name for rule in compared(subject, apart, beside)[3]] == ["subnormal numbers are 0"]


def test_of_remainders_only_the_sign_that_the_text_leaves_is_open() -> None:
    a, b = [-0.0, -0.0, 0.0, 4.0, -4.0], [2.0, -2.0, 2.0, 2.0, 2.0]
    assert silent("mod", "float32", a, b, fmod=True) == [True, False, False, False, False]
    assert silent("mod", "float32", a, b, fmod=False) == [False] * 5


def test_infinity_beyond_an_absent_bound_of_clip_is_not_open() -> None:
    cell = replace(named("clip", "float32"), fixed={"min": -5, "max": None})
    x = np.array([np.inf, -np.inf, np.nan], np.float32)
    assert Subject(cell, [x]).open[1].tolist() == [False, False, True]


def of_tosa_1(operator: str, kind: str, a: list[float], b: list[float], **attributes: object) -> Subject:
    cell = next(
        one
        for one in cells("tosa", ["1.0"])
        if one.operator == operator
        and one.type_text == kind
        and all(one.attributes.get(name) == value for name, value in attributes.items())
    )
    return Subject(cell, [np.array(column, np.float16) for column in (a, b)])


def test_either_neighbour_of_a_tie_is_right_from_tosa_1_on() -> None:
    subject = of_tosa_1("add", "float16", [2048.0, 2048.0, 1.0], [1.0, 3.0, 1.0])
    assert subject.open == ("V15", pytest.approx([True, True, False]))
    rows = np.array([0, 0, 0, 0, 1, 1, 1])
    found = np.array([2048, 2050, 2052, 2047, 2052, 2050, 2054], np.float16)
    assert subject.left_open(rows, found).tolist() == [True, True, False, False, True, True, False]


def test_the_sign_of_a_chosen_zero_is_free_from_tosa_1_on() -> None:
    a, b = [-0.0, 0.0, -0.0, np.nan, 1.0, np.nan], [-1.0, 0.0, 1.0, -0.0, 0.0, 2.0]
    subject = of_tosa_1("maximum", "float16", a, b, nan_mode="IGNORE")
    assert subject.open[1].tolist() == [True, True, False, True, False, False]
    found = np.array([0.0, -0.0, 1.0, 2.0**-24], np.float16)
    assert subject.left_open(np.zeros(4, np.intp), found).tolist() == [True, True, False, False]
    assert of_tosa_1("maximum", "float16", a, b, nan_mode="PROPAGATE").open[1].tolist() == [True, True] + [False] * 4


def test_zeros_and_their_bounds_in_clip_are_open() -> None:
    x = np.array([0.0, -0.0, 1.0, np.nan, 100.0], np.float32)
    cell = named("clip", "float32")
    for bounds, open_ones in (((0.0, 6.0), [0, 1, 3]), ((-5.0, 6.0), [3]), ((np.nan, 6.0), [0, 1, 2, 3, 4])):
        fixed = dict(zip(("min", "max"), bounds, strict=True))
        number, found = Subject(replace(cell, fixed=fixed), [x]).open
        assert (number, np.flatnonzero(found).tolist()) == ("O7", open_ones)


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
