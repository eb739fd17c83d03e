"""Abs, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older, wrapped

ABS = find("onnx", "Abs", 28)
CASES = list(cases(ABS))
OLD = older("Abs", 1, 6)


def in_plain_numbers(X, *, row, **attributes):
    return abs(X) if is_real(row.output) else wrapped(abs(X), row.output)


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_integers_came_with_opset_6():
    with pytest.raises(lw.InvalidError, match=r"Abs-1: no row for inputs \(int8\); .* It is allowed at opset 6, 13"):
        lw.onnx.abs(np.array([1], np.int8), opset=5)
