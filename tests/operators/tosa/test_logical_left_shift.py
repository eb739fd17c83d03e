"""LOGICAL_LEFT_SHIFT, TOSA 0.23.0: second opinion in plain integers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable, wrapped

LOGICAL_LEFT_SHIFT = find("tosa", "LOGICAL_LEFT_SHIFT", "0.23.0")
CASES = list(cases(LOGICAL_LEFT_SHIFT))


def in_plain_numbers(a, b, *, row):
    if not 0 <= b <= 31:
        return UNPREDICTABLE
    return wrapped(a * 2**b, row.output.width)


def test_examples():
    check_examples(LOGICAL_LEFT_SHIFT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_counts_end_at_31_for_every_width(dtype: type):
    one = np.array([1], dtype)
    width = 8 * one.itemsize
    for count in range(width, 32):
        assert lw.tosa.logical_left_shift(-one, one * count).tolist() == [0]
    for count in (-1, 32):
        check_unpredictable(
            lambda count=count: lw.tosa.logical_left_shift(one, one * count),
            "0 <= input2 <= 31",
            {"input1": 1, "input2": count},
        )


# https://github.com/llvm/llvm-project/issues/119852
def test_zero_shifted_too_far_is_unpredictable_too():
    check_unpredictable(
        lambda: lw.tosa.logical_left_shift(np.int32([0]), np.int32([32])),
        "0 <= input2 <= 31",
        {"input1": 0, "input2": 32},
    )


# https://github.com/ARM-software/CMSIS_5/issues/320
def test_negative_counts_are_not_cut_to_their_low_bits():
    check_unpredictable(
        lambda: lw.tosa.logical_left_shift(np.int32([1, 1]), np.int32([-33, -255])),
        "0 <= input2 <= 31",
        {"input1": 1, "input2": -33},
        count=2,
    )
