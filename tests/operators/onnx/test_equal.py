"""Equal, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import older

EQUAL = find("onnx", "Equal", 28)
CASES = list(cases(EQUAL))
OLD = older("Equal", 1, 7, 11, 13)


def in_plain_numbers(A, B, *, row, **attributes):
    return A == B


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_floats_came_with_opset_11():
    x = np.array([1.5], np.float32)
    with pytest.raises(lw.InvalidError, match=r"Equal-7: no row for inputs \(float32, float32\)"):
        lw.onnx.equal(x, x, opset=10)
    assert lw.onnx.equal(x, x, opset=11)


def test_opset_1_broadcasts_only_if_asked_to():
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([0, 4], np.int32)
    with pytest.raises(
        lw.InvalidError, match=r"Equal-1: A has shape \[2, 3\] and B has shape \[2\]; this operator needs equal"
    ):
        lw.onnx.equal(a, b, opset=1)
    want = lw.onnx.equal(a, b[:, None])
    np.testing.assert_array_equal(lw.onnx.equal(a, b, broadcast=1, axis=0, opset=1), want)
