"""Xor, ONNX: second opinion in Python's booleans."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases

XOR = find("onnx", "Xor", 7)
CASES = list(cases(XOR))


def in_plain_numbers(A, B, *, row):
    return A != B


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_opset_1_broadcasts_only_if_asked_to():
    a, b = np.array([[True, False], [False, False]]), np.array([True, False])
    with pytest.raises(
        lw.InvalidError, match=r"Xor-1: A has shape \[2, 2\] and B has shape \[2\]; this operator needs equal"
    ):
        lw.onnx.xor(a, b, opset=1)
    np.testing.assert_array_equal(lw.onnx.xor(a, b, broadcast=1, opset=1), lw.onnx.xor(a, b))
    np.testing.assert_array_equal(lw.onnx.xor(a, b, broadcast=1, axis=0, opset=1), lw.onnx.xor(a, b[:, None]))


def test_integers_are_refused():
    x = np.array([1], np.uint8)
    with pytest.raises(lw.InvalidError, match=r"Xor-7: no row for inputs \(uint8, uint8\); .* lists \(bool, bool\)"):
        lw.onnx.xor(x, x)
