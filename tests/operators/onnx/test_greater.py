"""Greater, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import older

GREATER = find("onnx", "Greater", 28)
CASES = list(cases(GREATER))
OLD = older("Greater", 1, 7, 9)


def in_plain_numbers(A, B, *, row, **attributes):
    return A > B


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_booleans_have_no_order():
    x = np.array([True])
    with pytest.raises(lw.InvalidError, match=r"Greater-\d+: no row for inputs \(bool, bool\)"):
        lw.onnx.greater(x, x)


def test_opset_1_broadcasts_only_if_asked_to():
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([0, 4], np.float32)
    with pytest.raises(
        lw.InvalidError, match=r"Greater-1: A has shape \[2, 3\] and B has shape \[2\]; this operator needs equal"
    ):
        lw.onnx.greater(a, b, opset=1)
    want = lw.onnx.greater(a, b[:, None])
    np.testing.assert_array_equal(lw.onnx.greater(a, b, broadcast=1, axis=0, opset=1), want)
