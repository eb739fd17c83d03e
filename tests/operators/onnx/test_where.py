"""Where, ONNX: second opinion in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import older

WHERE = find("onnx", "Where", 28)
CASES = list(cases(WHERE))
OLD = older("Where", 9)


def in_plain_numbers(condition, X, Y, *, row):
    return X if condition else Y


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, any_nan=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_bits_of_a_nan_stay():
    x = np.array([0x7FA00001, 0xFFC12345], np.uint32).view(np.float32)
    y = np.array([0xFF800001, 0x7FC00002], np.uint32).view(np.float32)
    result = lw.onnx.where(np.array([True, False]), x, y)
    np.testing.assert_array_equal(result.view(np.uint32), [0x7FA00001, 0x7FC00002])


def test_all_three_broadcast():
    condition, x, y = np.array([[True], [False]]), np.array([1, 2, 3], np.int8), np.array([[[9]]], np.int8)
    np.testing.assert_array_equal(lw.onnx.where(condition, x, y), [[[1, 2, 3], [9, 9, 9]]])


def test_a_number_takes_the_type_of_the_other_value():
    result = lw.onnx.where(np.array([True, False]), np.array([7, 8], np.uint8), 0)
    assert result.dtype == np.uint8
    np.testing.assert_array_equal(result, [7, 0])
    with pytest.raises(lw.InvalidError, match="Where-16: X is 1: give an array or a NumPy scalar"):
        lw.onnx.where(np.array([True, False]), 1, 0)


def test_the_condition_is_boolean():
    x = np.array([1, 0], np.int8)
    with pytest.raises(lw.InvalidError, match=r"Where-16: no row for inputs \(int8, int8, int8\)"):
        lw.onnx.where(x, x, x)
