"""What a check of a table may say: nothing passes that was not compared, and what has no bound has no verdict."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.tables.build import Quantised
from lanewise.conformance.tables.check import Finding, check_table
from lanewise.conformance.tables.entries import entries_of, worst
from tests.cli.test_commands import lanewise
from tests.conformance.tables.test_tables import TANH, WIDE, build, faults

LOG = Quantised(math.log, 1.0, 0, 1.0, 0)


def only(table: np.ndarray, wanted: Quantised | None, check: str) -> Finding:
    (found,) = [finding for finding in check_table(table, wanted)[0] if finding.check == check]
    return found


def test_a_function_without_any_value_passes_nothing_but_the_length():
    nowhere = Quantised(lambda x: math.nan, 1.0, 0, 1.0, 0)
    findings, _ = check_table(np.arange(-128, 128).astype(np.int8), nowhere)
    assert [finding.check for finding in findings if finding.good] == ["length"]
    assert [finding.check for finding in findings if finding.good is False] == ["error"]
    assert findings[-1].text == (
        "0 of 256 entries compared: the function has no value at 256 entries, the first at x = -128.0 (code -128)"
    )
    wide = Quantised(lambda x: x if x % 128 else math.nan, 1.0, 0, 1.0, 0, "int16")  # values between entries only
    assert "0 of 513 entries compared" in only(np.zeros(513, np.int16), wide, "error").text
    assert faults(np.zeros(513, np.int16), wide) == ["error"]


def test_what_was_compared_is_counted_where_some_entries_have_no_value():
    table = np.array([0] * 129 + [round(math.log(code)) for code in range(1, 128)], np.int8)
    findings, errors = check_table(table, LOG)
    assert faults(table, LOG) == []
    texts = {finding.check: finding.text for finding in findings[:3]}
    assert texts["code order"].endswith("; 127 of 256 entries compared")
    assert texts["monotone"].endswith("; 126 of 255 steps compared")
    ends = [finding for finding in findings if finding.check == "end points"]
    assert [end.good for end in ends] == [None, True]
    assert ends[0].text == "first entry, for code -128: 0, not compared: the function has no value at x = -128.0"
    text = (
        "; 127 of 256 entries compared: the function has no value at 129 entries, the first at x = -128.0 (code -128)"
    )
    assert only(table, LOG, "error").text.endswith(text)
    assert errors is not None
    assert (errors.report()["compared"], errors.report()["without_value"]) == (127, 129)
    with pytest.raises(lw.InvalidError, match=r"at -128\.0, which is input code -128, nor at 128 more of 256 entries"):
        build(LOG)


def test_what_the_text_does_not_ask_does_not_pass(tmp_path: Path):
    table = build(WIDE)
    slopes = [finding for finding in check_table(table)[0] if finding.check == "slopes"]
    assert [finding.good for finding in slopes] == [None, True]
    assert slopes[0].text == "TOSA 0.23.0: not asked, any step is allowed"
    assert only(table, None, "code order").good is None
    np.save(tmp_path / "t.npy", table)
    printed, _ = lanewise("table", "check", tmp_path / "t.npy")
    assert printed.splitlines()[-1].endswith("t.npy: 2 checks passed, 0 failed, 2 without a verdict")
    assert "-    code order: not known without the function" in printed
    report = json.loads(lanewise("table", "check", tmp_path / "t.npy", "--json")[0])
    assert [one["good"] for one in report["checks"]] == [True, None, True, None]


def test_between_entries_there_is_no_bound_and_so_no_verdict():
    wide = Quantised(math.tanh, 0.001, 0, 1 / 32768, 0, "int16")
    table = build(wide)
    between = only(table, wide, "between entries")
    assert between.good is None
    _, errors = check_table(table, wide)
    assert errors is not None
    largest = errors.report()["max"]
    assert largest > 20
    assert between.text.startswith(f"max {largest:.4g} steps, at code {errors.report()['at']} ")
    assert between.text.endswith(f"the table of the nearest codes has up to {largest:.4g}")
    error = only(table, wide, "error")
    assert error.good is True
    assert float(error.text.split()[1]) <= 0.5
    table[258] += 200
    assert only(table, wide, "between entries").text.endswith(f"the table of the nearest codes has up to {largest:.4g}")
    assert not [finding for finding in check_table(build(TANH), TANH)[0] if finding.check == "between entries"]


def test_the_worst_entries_are_those_that_fail_and_then_those_with_the_largest_error_at_or_after_them():
    wide = Quantised(math.tanh, 0.001, 0, 1 / 32768, 0, "int16")
    table = build(wide)
    _, errors = check_table(table, wide)
    assert errors is not None
    far = [entry.between for entry in worst(entries_of(table, errors.errors, wide), 5)]
    assert abs(far[0] or 0.0) == errors.report()["max"]
    assert far == sorted(far, key=lambda one: -abs(one or 0.0))
    table[500] -= 2  # less than the straight lines are off, but wrong
    _, errors = check_table(table, wide)
    assert errors is not None
    shown = worst(entries_of(table, errors.errors, wide), 2)
    assert shown[0].entry == 500
    assert abs(shown[1].error) <= 0.5


def test_what_float64_cannot_tell_is_no_error(tmp_path: Path):
    dusty = Quantised(lambda x: x, 0.1, 0, 0.1 + 2**-56, 0)  # the quotients are off by their last bit
    table = np.arange(-128, 128).astype(np.int8)
    assert any(dusty.exact(code) != code for code in range(-128, 128))
    _, errors = check_table(table, dusty)
    assert errors is not None
    assert not errors.errors.any()
    entries = entries_of(table, errors.errors, dusty)
    assert {entry.error for entry in entries} == {0.0}
    assert worst(entries, 5) == []
    assert only(table, dusty, "error").text == "none at any of 256 entries"
    np.save(tmp_path / "t.npy", table)
    scales = ("--input-scale", 0.1, "--output-scale", 0.1)
    assert "farthest off" not in lanewise("table", "check", tmp_path / "t.npy", "--function", "identity", *scales)[0]


def test_the_order_of_the_codes_is_wrong_only_where_rolling_explains_it():
    # A right table that would fit as well when rolled: of a period of half the codes, and of no slope at all.
    for function in (lambda x: 100 * math.sin(x * math.pi / 64), lambda x: 5.0):
        periodic = Quantised(function, 1.0, 0, 1.0, 0)
        assert only(build(periodic), periodic, "code order").good is True
    # The last entry of int16 is for no input, and rolled to no place; what it is off by says nothing of the order.
    last = Quantised(lambda x: 5.4 if x == 32768 else 5.0, 1.0, 0, 1.0, 0, "int16")
    assert only(build(last), last, "code order").good is True
    # Wrong in another way, and not better when rolled.
    shifted = build(TANH)
    shifted[:] = np.clip(shifted.astype(int) + 40, -128, 127)
    assert only(shifted, TANH, "code order").good is True
    # Better when rolled, but by less than four times: nobody can tell.
    doubtful = np.where(np.arange(256) < 128, 0, 20).astype(np.int8)
    step = Quantised(lambda x: 18.0 if x < 0 else 7.0, 1.0, 0, 1.0, 0)
    found = only(doubtful, step, "code order")
    assert found.good is None
    assert found.text == "not known: mean error 15.5 as it is, 4.5 when rolled by half"
    # Turned, though entries are off by one step only, or few of them are off.
    for bound in (0, 120):
        binary = Quantised(lambda x, bound=bound: float(x >= bound), 1.0, 0, 1.0, 0)  # type: ignore[misc]
        assert only(np.roll(build(binary), 128), binary, "code order").good is False
    # Without the function, a table that is monotone either way shows nothing, nor does one that is neither.
    for table in (np.full(256, 3, np.int8), build(Quantised(math.sin, 0.3, 0, 1 / 128, 0))):
        assert only(table, None, "code order").good is None


def test_what_a_function_prints_goes_to_standard_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "prints.py").write_text("print('imported')\ndef f(x):\n    print('called')\n    return x\n")
    monkeypatch.chdir(tmp_path)
    scales = ("--input-scale", 1, "--output-scale", 1)
    printed, said = lanewise("table", "build", "prints:f", "t.npy", *scales)
    assert printed == "t.npy: 256 entries of int8, from -128 to 127\n"
    assert said == "imported\n" + 256 * "called\n"
    printed, said = lanewise("table", "check", "t.npy", "--function", "prints:f", *scales, "--json")
    assert json.loads(printed)["error"]["max"] == 0
    assert said.startswith("imported\ncalled\n")
