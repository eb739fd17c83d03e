"""Min, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import older

MIN = find("onnx", "Min", 28)
CASES = list(cases(MIN, count=2))
MORE = [*cases(MIN, count=1), *cases(MIN, count=3)][::3]
OLD = older("Min", 1, 6, 8, 12, count=2)


def in_plain_numbers(*operands, row, **attributes):
    if len(operands) > 1 and any(math.isnan(operand) for operand in operands):
        return math.nan
    best = operands[0]
    for operand in operands[1:]:  # zeros of both signs are equal, and the last of equals stays
        best = best if best < operand else operand
    return best


@pytest.mark.parametrize("case", [*CASES, *MORE, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, any_nan=case.count == 1, exhaustive=16 if case.count == 2 else 8)


@pytest.mark.parametrize("case", [*CASES, *MORE[::4]], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_many_operands_broadcast_together():
    rows = [np.full((1,) * k + (3,) + (1,) * (3 - k), k, np.int16) for k in range(4)]
    result = lw.onnx.min(*rows, np.array(-5, np.int16), 2)
    assert result.shape == (3, 3, 3, 3)
    assert (result == -5).all()


def test_shapes_are_equal_before_opset_8():
    x = np.ones((2, 3), np.float32)
    with pytest.raises(
        lw.InvalidError, match=r"Min-6: data_0 has shape \[2, 3\] and data_1 has shape \[3\]; this operator needs equal"
    ):
        lw.onnx.min(x, x[0], opset=6)
    assert lw.onnx.min(x, x[0], opset=8).shape == (2, 3)


def test_operands_share_a_type():
    with pytest.raises(lw.InvalidError, match=r"Min-13: no row for inputs \(float32, int64\)"):
        lw.onnx.min(np.array([1.0], np.float32), np.array([1]))


def test_at_least_one_operand():
    with pytest.raises(lw.InvalidError, match="Min-13: needs at least one operand"):
        lw.onnx.min()
