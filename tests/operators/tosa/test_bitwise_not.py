"""BITWISE_NOT, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import pytest

from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

BITWISE_NOT = find("tosa", "BITWISE_NOT", "0.23.0")
CASES = list(cases(BITWISE_NOT))


def in_plain_numbers(a, *, row):
    return -1 - a


def test_examples():
    check_examples(BITWISE_NOT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()
