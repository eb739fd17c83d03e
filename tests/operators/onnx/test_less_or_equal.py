"""LessOrEqual, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import older

LESS_OR_EQUAL = find("onnx", "LessOrEqual", 28)
CASES = list(cases(LESS_OR_EQUAL))
OLD = older("LessOrEqual", 12)


def in_plain_numbers(A, B, *, row, **attributes):
    return A <= B


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_booleans_have_no_order():
    x = np.array([True])
    with pytest.raises(lw.InvalidError, match=r"LessOrEqual-\d+: no row for inputs \(bool, bool\)"):
        lw.onnx.less_or_equal(x, x)
