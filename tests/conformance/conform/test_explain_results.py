"""Somebody's results, explained: what is counted, shown and named, and what is refused."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.detective import explain
from tests.pages import blocks

X, N = (column.ravel() for column in np.meshgrid(np.arange(-128, 128, dtype=np.int8), np.arange(8, dtype=np.int8)))
ROUNDED = "ARITHMETIC_RIGHT_SHIFT"


def wrapped_sum(x: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Half is added in the type itself; written in wider integers."""
    half = np.where(n > 0, 1 << np.maximum(n.astype(int) - 1, 0), 0)
    return ((x + half + 128) % 256 - 128) >> n.astype(int)


def test_the_example() -> None:
    assert doctest.testmod(explain).failed == 0


def test_a_fault_is_counted_shown_and_named() -> None:
    results = wrapped_sum(X, N)
    found = lw.explain_results(ROUNDED, (X, N), results, round=True)
    right = [(int(x) + (1 << n >> 1)) >> n for x, n in zip(X, N.tolist(), strict=True)]
    assert (found.compared, found.differing) == (2048, int((results != right).sum()))
    assert found.unpredictable == found.open == 0
    first, *_ = found.elements
    assert (first.operands, first.operand_bits) == (["64", "7"], ["0100_0000", "0000_0111"])
    assert (first.expected, first.got, first.got_bits, first.why) == ("1", "-1", "1111_1111", "smallest")
    best = found.rules[0]
    assert (best.name, best.explained, best.of) == ("the sum wraps before the shift", found.differing, found.differing)
    text = str(found)
    assert text.startswith("ARITHMETIC_RIGHT_SHIFT (TOSA 0.23.0) (int8, int8) -> int8 round=True: ")
    assert "specified   1  0000_0001\n" in text and "found      -1  1111_1111\n" in text


def test_right_results_have_nothing_to_explain() -> None:
    right = lw.tosa.arithmetic_right_shift(X, N, round=True)
    found = lw.explain_results(ROUNDED, (X, N), right, round=True)
    assert (found.differing, found.elements, found.rules) == (0, (), ())
    assert str(found).endswith("0 of 2048 results differ")


def test_elements_without_a_result_are_not_compared() -> None:
    x, n = np.array([1, 1, 1], np.int32), np.array([1, 31, 32], np.int32)
    found = lw.explain_results("LOGICAL_LEFT_SHIFT", (x, n), [2, -(1 << 31), 77])
    assert (found.compared, found.differing, found.unpredictable) == (2, 0, 1)
    assert "not compared: 1 unpredictable" in str(found)
    a = np.array([7, 7], np.int32)
    found = lw.explain_results("Div", (a, np.array([0, 2], np.int32)), [5, 3])
    assert (found.compared, found.differing, found.open, found.reading) == (1, 0, 1, "O3")


def test_what_is_read_otherwise_is_counted_shown_and_named() -> None:
    x, y = np.array([100, -100, 1, 100], np.int8), np.array([100, -100, 1, 100], np.int8)
    found = lw.explain_results("Add", (x, y), [127, -128, 2, 127])
    assert (found.compared, found.differing, found.elements, found.rules) == (1, 0, (), ())
    assert (found.open, found.open_differing, found.reading) == (3, 3, "O2")
    assert [rule.name for rule in found.open_rules if rule.explained == 3] == ["saturates"]
    assert sorted(one.operands for one in found.open_elements) == [["-100", "-100"], ["100", "100"]]
    assert "  read otherwise: 3 of 3 (they are not counted)\n" in str(found)
    assert "reading O2  -56  1100_1000\n" in str(found) and "3 of 3: saturates" in str(found)
    found = lw.explain_results("Div", (x, 0 * x), [5, 0, 0, 0])
    assert (found.compared, found.open, found.open_differing) == (0, 4, 1)
    assert [one.got for one in found.open_elements] == ["5"]
    assert "read otherwise" not in str(lw.explain_results("Div", (x, 0 * x), 0 * x))


def test_operands_broadcast_and_a_pair_driven_twice_is_shown_once() -> None:
    column, row = np.arange(-4, 4, dtype=np.int8).reshape(8, 1), np.array([1, 1, 1], np.int8)
    found = lw.explain_results(ROUNDED, (column, row), (column + 0 * row) >> row, round=True)
    assert (found.compared, found.differing) == (24, 12)
    assert len({tuple(one.operands) for one in found.elements}) == len(found.elements) == 4
    assert "floor" in [rule.name for rule in found.rules if rule.explained == 12]


def test_fixed_arguments_and_other_specifications() -> None:
    a = np.array([3, -3], np.int32)
    found = lw.explain_results("MUL", (a, np.ones(2, np.int32)), [1, -2], version="1.0", shift=1)
    assert (found.differing, found.rules[0].name) == (2, "floor")
    x = np.array([-9, 0, 9], np.int8)
    assert lw.explain_results("Clip", (x,), [-5, 0, 5], min=-5, max=5).differing == 0
    assert lw.explain_results("Max", (x, -x), [9, 0, 9]).differing == 0
    table = np.arange(256, dtype=np.int16).astype(np.int8)
    assert lw.explain_results("TABLE", (x,), np.array([119, -128, -119], np.int8), table=table).differing == 0
    y = np.array([-1], np.int8)
    found = lw.explain_results("BitShift", (np.array([1], np.int8), y), [-128], direction="LEFT")
    assert found.rules[0].name == "count masked by the width"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: lw.explain_results("NOTHING", (X, N), X), "NOTHING: no such operator"),
        (lambda: lw.explain_results(ROUNDED, (X,), X), "1 operands are given; it takes input1, input2"),
        (lambda: lw.explain_results(ROUNDED, (X, N), X[:3]), r"results have shape \[3\], the operands \[2048\]"),
        (lambda: lw.explain_results(ROUNDED, (X, N[:7]), X), "do not broadcast"),
        (lambda: lw.explain_results(ROUNDED, (X, N), X.astype(int) + 200), "outside int8"),
        (lambda: lw.explain_results(ROUNDED, (X, N.astype(np.int16)), X), "no row"),
        (lambda: lw.explain_results(ROUNDED, (X, N), X, rounding=True), "unknown attribute 'rounding'"),
        (lambda: lw.explain_results(ROUNDED, (X[:0], N[:0]), X[:0]), "no elements"),
        (lambda: lw.explain_results("TABLE", (X,), X), "table is missing"),
        (lambda: lw.explain_results("TABLE", (X,), X, table=[1, 2]), "table has 2 values; 256 are needed"),
        (lambda: lw.explain_results("Reshape", (X,), X), "computes nothing"),
        (lambda: lw.explain_results("RESCALE", (X,), X), "decide the type of an argument"),
        (lambda: lw.explain_results(ROUNDED, (X, N), ["a"]), "are no int8"),
    ],
)
def test_what_is_wrong_is_said(call, says: str) -> None:
    with pytest.raises(lw.LanewiseError, match=says):
        call()


def test_the_guide_shows_what_happens() -> None:
    page = (Path(__file__).parents[3] / "docs" / "conform.md").read_text(encoding="utf-8")
    (text,) = (block.text for block in blocks(page) if ">>>" in block.text)
    test = doctest.DocTestParser().get_doctest(text, {}, "conform.md", "conform.md", 0)
    results = doctest.DocTestRunner().run(test)
    assert (results.failed, results.attempted) == (0, 4)
