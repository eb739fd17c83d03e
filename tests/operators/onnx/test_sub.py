"""Sub, ONNX: second opinion in plain integers and fractions."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import exactly, is_real, older, wrapped

SUB = find("onnx", "Sub", 28)
CASES = list(cases(SUB))
OLD = older("Sub", 1, 6, 7, 13)


def in_plain_numbers(A, B, *, row, **attributes):
    if is_real(row.output):
        return exactly(operator.sub, A, B)
    return wrapped(operator.sub(A, B), row.output)


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_opset_6_broadcasts_only_if_asked_to():
    a, b = np.arange(1, 7, dtype=np.int32).reshape(2, 3), np.array([3, 2, 1], np.int32)
    with pytest.raises(
        lw.InvalidError, match=r"Sub-6: A has shape \[2, 3\] and B has shape \[3\]; this operator needs equal"
    ):
        lw.onnx.sub(a, b, opset=6)
    np.testing.assert_array_equal(lw.onnx.sub(a, b, broadcast=1, opset=6), lw.onnx.sub(a, b))


def test_small_integers_came_with_opset_14():
    x = np.array([1], np.int8)
    with pytest.raises(lw.InvalidError, match=r"Sub-13: no row for inputs \(int8, int8\)"):
        lw.onnx.sub(x, x, opset=13)
    assert lw.onnx.sub(x, x, opset=14).dtype == np.int8


def test_old_attributes_are_unknown_later():
    x = np.array([1.0], np.float32)
    assert lw.onnx.sub(x, x, consumed_inputs=[0, 0], opset=1).shape == (1,)
    with pytest.raises(lw.InvalidError, match="Sub-14: unknown attribute 'broadcast'; it has: none"):
        lw.onnx.sub(x, x, broadcast=1)
