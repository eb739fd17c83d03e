"""RECIPROCAL, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

RECIPROCAL = find("tosa", "RECIPROCAL", "0.23.0")
CASES = list(cases(RECIPROCAL))


def in_plain_numbers(a, *, row):
    if a == 0 or math.isinf(a):
        return math.copysign(math.inf if a == 0 else 0.0, a)
    return a if math.isnan(a) else 1 / Fraction(a)


def test_examples():
    check_examples(RECIPROCAL)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()
