"""Not, ONNX: second opinion in Python's booleans."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases

NOT = find("onnx", "Not", 28)
CASES = list(cases(NOT))


def in_plain_numbers(X, *, row):
    return not X


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_integers_are_refused():
    with pytest.raises(lw.InvalidError, match=r"Not-1: no row for inputs \(int8\); .* lists \(bool\) -> bool"):
        lw.onnx.not_(np.array([1], np.int8))
