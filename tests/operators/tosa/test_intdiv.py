"""INTDIV, TOSA 0.23.0: second opinion in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable, fits

INTDIV = find("tosa", "INTDIV", "0.23.0")
CASES = list(cases(INTDIV))


def in_plain_numbers(a, b, *, row):
    if b == 0:
        return UNPREDICTABLE
    quotient = math.trunc(Fraction(a, b))
    return quotient if fits(quotient, 32) else UNPREDICTABLE


def test_examples():
    check_examples(INTDIV)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/llvm/llvm-project/issues/118268
def test_division_by_zero_is_unpredictable():
    check_unpredictable(
        lambda: lw.tosa.intdiv(np.int32([20]), np.int32([0])), "input2 != 0", {"input1": 20, "input2": 0}
    )


# https://github.com/llvm/llvm-project/pull/200223
def test_the_one_quotient_that_int32_lacks_is_unpredictable():
    check_unpredictable(
        lambda: lw.tosa.intdiv(np.int32([-2147483648]), np.int32([-1])),
        "input1 / input2 <= 2147483647",
        {"input1": -2147483648, "input2": -1},
    )


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_nothing_traps(engine: str):
    a, b = np.int32([20, -20, 0, -2147483648, 2147483647]), np.int32([0, 0, 0, -1, -1])
    _, unpredictable = lw.tosa.intdiv(a, b, on_unpredictable="mask", engine=engine)
    assert unpredictable.tolist() == [True, True, True, True, False]
    assert lw.tosa.intdiv(a, b, on_unpredictable="value", engine=engine)[4] == -2147483647


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        # https://github.com/tensorflow/tensorflow/pull/89988
        ([-7, 7, -7, 7], [2, 2, -2, -2], [-3, 3, 3, -3]),
        # https://github.com/tinygrad/tinygrad/pull/8884
        ([-7], [2], [-3]),
    ],
)
def test_public_cases(a, b, want):
    assert lw.tosa.intdiv(np.int32(a), np.int32(b)).tolist() == want


# https://github.com/Xilinx/onnx-mlir/pull/91
def test_narrow_types_are_refused():
    with pytest.raises(lw.InvalidError, match=r"no row for inputs \(uint8, uint8\)"):
        lw.tosa.intdiv(np.uint8([7]), np.uint8([2]))
