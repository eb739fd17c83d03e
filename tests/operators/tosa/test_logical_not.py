"""LOGICAL_NOT, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

LOGICAL_NOT = find("tosa", "LOGICAL_NOT", "0.23.0")
CASES = list(cases(LOGICAL_NOT))


def in_plain_numbers(a, *, row):
    return not a


def test_examples():
    check_examples(LOGICAL_NOT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_every_byte_but_zero_is_true(engine: str):
    found = lw.tosa.logical_not(np.arange(256, dtype=np.uint8).view(np.bool_), engine=engine)
    assert found.view(np.uint8).tolist() == [1, *[0] * 255]
