"""Neg, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older, wrapped

NEG = find("onnx", "Neg", 28)
CASES = list(cases(NEG))
OLD = older("Neg", 1, 6)


def in_plain_numbers(X, *, row, **attributes):
    return -X if is_real(row.output) else wrapped(-X, row.output)


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_unsigned_integers_have_no_negative():
    with pytest.raises(lw.InvalidError, match=r"Neg-13: no row for inputs \(uint8\)"):
        lw.onnx.neg(np.array([1], np.uint8))
