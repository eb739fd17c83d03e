"""ARITHMETIC_RIGHT_SHIFT, TOSA 0.23.0: second opinion in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable

ARITHMETIC_RIGHT_SHIFT = find("tosa", "ARITHMETIC_RIGHT_SHIFT", "0.23.0")
CASES = list(cases(ARITHMETIC_RIGHT_SHIFT, [{"round": False}, {"round": True}]))


def in_plain_numbers(a, b, *, round, row):
    if not 0 <= b < row.output.width:
        return UNPREDICTABLE
    quotient = Fraction(a, 2**b)
    return math.floor(quotient + Fraction(1, 2)) if round else math.floor(quotient)


def test_examples():
    check_examples(ARITHMETIC_RIGHT_SHIFT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize(("dtype", "highest"), [(np.int8, 7), (np.int16, 15), (np.int32, 31)])
def test_counts_end_below_the_width(dtype: type, highest: int):
    one = np.array([1], dtype)
    assert lw.tosa.arithmetic_right_shift(one, one * highest).tolist() == [0]
    for count in (-1, highest + 1):
        check_unpredictable(
            lambda count=count: lw.tosa.arithmetic_right_shift(one, one * count),
            f"0 <= input2 <= {highest}",
            {"input1": 1, "input2": count},
        )


# https://github.com/llvm/llvm-project/issues/154332
def test_an_impossible_count_is_unpredictable_wherever_it_stands():
    check_unpredictable(
        lambda: lw.tosa.arithmetic_right_shift(np.int16([10, 10]), np.int16([53, 53]), round=True),
        "0 <= input2 <= 15",
        {"input1": 10, "input2": 53},
        count=2,
    )


@pytest.mark.parametrize(
    ("dtype", "round", "a", "b", "want"),
    [
        # https://github.com/llvm/llvm-project/issues/154259
        (np.int32, True, [125], [0], [125]),
        # https://github.com/pytorch/executorch/pull/7006
        (np.int8, False, [-3, 5, -128, 7], [1, 1, 7, 2], [-2, 2, -1, 1]),
        # https://github.com/google/gemmlowp/pull/65
        (np.int32, True, [-3, -1, 3, -5], [1, 1, 1, 1], [-1, 0, 2, -2]),
        # https://github.com/ARM-software/CMSIS_5/issues/1047
        (np.int32, True, [-5], [2], [-1]),
        # https://github.com/google/gemmlowp/pull/7
        (np.int32, True, [2147483647], [0], [2147483647]),
        # https://github.com/verilator/verilator/issues/6531
        (np.int32, False, [-21049053], [20], [-21]),
        # https://github.com/arm/ai-ml-emulation-layer-for-vulkan/pull/356
        (np.int8, False, [-10], [1], [-5]),
    ],
)
def test_public_cases(dtype, round, a, b, want):
    found = lw.tosa.arithmetic_right_shift(np.array(a, dtype), np.array(b, dtype), round=round)
    assert found.tolist() == want
