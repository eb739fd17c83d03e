"""Identity, ONNX."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases

IDENTITY = find("onnx", "Identity", 28)
CASES = list(cases(IDENTITY))


def in_plain_numbers(input, *, row):
    return input


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, any_nan=True, exhaustive=8)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_the_result_is_a_copy():
    x = np.arange(3)
    result = lw.onnx.identity(x)
    assert not np.shares_memory(x, result)
    np.testing.assert_array_equal(result, x)


def test_bits_of_a_nan_stay():
    x = np.array([0x7FA00001, 0xFFC12345], np.uint32).view(np.float32)
    np.testing.assert_array_equal(lw.onnx.identity(x).view(np.uint32), x.view(np.uint32))


def test_bfloat16_came_with_opset_13():
    x = np.array([1.0], ml_dtypes.bfloat16)
    with pytest.raises(lw.InvalidError, match=r"Identity-1: no row for inputs \(bfloat16\)"):
        lw.onnx.identity(x, opset=12)
    assert lw.onnx.identity(x, opset=13) == 1.0
