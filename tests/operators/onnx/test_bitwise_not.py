"""BitwiseNot, ONNX: second opinion bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import bits, from_bits

BITWISE_NOT = find("onnx", "BitwiseNot", 18)
CASES = list(cases(BITWISE_NOT))


def in_plain_numbers(X, *, row):
    return from_bits([1 - x for x in bits(X, row.output)], row.output)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_booleans_are_refused():
    with pytest.raises(lw.InvalidError, match=r"BitwiseNot-18: no row for inputs \(bool\)"):
        lw.onnx.bitwise_not(np.array([True]))
