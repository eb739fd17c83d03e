"""GREATER, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

GREATER = find("tosa", "GREATER", "0.23.0")
CASES = list(cases(GREATER))


def in_plain_numbers(a, b, *, row):
    return a > b  # Python's floats compare as the specification's do: with a NaN, never


def test_examples():
    check_examples(GREATER)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_special_floats():
    a = np.float32([0.0, -0.0, math.nan, math.nan, math.inf, -math.inf])
    b = np.float32([-0.0, 0.0, math.nan, 1.0, math.inf, math.inf])
    found = lw.tosa.greater(a, b)
    assert found.dtype == np.bool_
    assert found.tolist() == [False] * 6
