"""ABS, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable

ABS = find("tosa", "ABS", "0.23.0")
CASES = list(cases(ABS))


def in_plain_numbers(a, *, row):
    if row.output.kind == "float":
        return math.copysign(a, 1.0)
    return UNPREDICTABLE if a == -(2**31) else a if a >= 0 else -a


def test_examples():
    check_examples(ABS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_the_lowest_number_is_unpredictable():
    check_unpredictable(lambda: lw.tosa.abs(np.int32([-2147483648])), "0 - input1 fits int32", {"input1": -2147483648})


def test_a_zero_loses_its_sign():
    assert not np.signbit(lw.tosa.abs(np.float32([-0.0]))).any()
