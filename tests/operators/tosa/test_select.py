"""SELECT, TOSA 0.23.0: second opinion in Python's own conditional."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

SELECT = find("tosa", "SELECT", "0.23.0")
CASES = list(cases(SELECT))


def in_plain_numbers(a, b, c, *, row):
    return b if a else c


def test_examples():
    check_examples(SELECT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, any_nan=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_a_nan_keeps_its_bits(engine: str):
    nans = np.uint32([0x7FC01234, 0xFFC00001, 0x7F800001]).view(np.float32)
    found = lw.tosa.select(np.array([True, False, True]), nans, nans[::-1].copy(), engine=engine)
    assert found.view(np.uint32).tolist() == [0x7FC01234, 0xFFC00001, 0x7F800001]


def test_all_three_broadcast():
    condition, rows, columns = np.array([[[True], [False]]]), np.int8([[[1, 2, 3]]]), np.int8([[[4], [5]]])
    assert lw.tosa.select(condition, rows, columns).tolist() == [[[1, 2, 3], [5, 5, 5]]]


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_every_byte_but_zero_is_true(engine: str):
    condition = np.arange(256, dtype=np.uint8).view(np.bool_)
    ones = np.ones(256, np.int32)
    assert lw.tosa.select(condition, ones, -ones, engine=engine).tolist() == [-1, *[1] * 255]


def test_the_branch_that_is_not_taken_still_makes_the_graph_unpredictable():
    graph = lw.Builder(tosa="0.23.0")
    x, y = graph.input("x", "int32", (2,)), graph.input("y", "int32", (2,))
    zero = graph.constant([0], "int32")
    quotient = graph.node("INTDIV", x, y)
    graph.output("z", graph.node("SELECT", graph.node("EQUAL", y, zero), zero, quotient))
    outcome = graph.model().run(np.int32([7, 7]), np.int32([2, 0]))
    assert outcome.status is lw.Status.UNPREDICTABLE
    assert [violation.requirement for violation in outcome.violations] == ["input2 != 0"]
