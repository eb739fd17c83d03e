"""MAXIMUM, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

MAXIMUM = find("tosa", "MAXIMUM", "0.23.0")
CASES = list(cases(MAXIMUM))


def in_plain_numbers(a, b, *, row):
    if row.output.kind == "float" and (math.isnan(a) or math.isnan(b)):
        return math.nan
    return a if a >= b else b


def test_examples():
    check_examples(MAXIMUM)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/llvm/llvm-project/pull/125668
def test_a_nan_wins_on_either_side():
    found = lw.tosa.maximum(np.float32([math.nan, 1.0]), np.float32([1.0, math.nan]))
    assert np.isnan(found).all()


def test_of_two_zeros_the_one_that_the_comparison_leaves():
    zeros = np.float32([0.0, -0.0])
    found = lw.tosa.maximum(zeros, zeros[::-1])
    assert np.signbit(found).tolist() == [False, True]  # the first: they are equal
