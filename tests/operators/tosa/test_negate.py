"""NEGATE, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable

NEGATE = find("tosa", "NEGATE", "0.23.0")
ZERO_POINTS = [(0, 0), (-128, 127), (127, -128), (-128, -128), (3, -7)]
CASES = [
    case
    for case in cases(NEGATE, [{"input1_zp": a, "output_zp": b} for a, b in ZERO_POINTS])
    if case.row.inputs[0].name == "int8" or case.attributes == {"input1_zp": 0, "output_zp": 0}
]


def in_plain_numbers(a, *, input1_zp, output_zp, row):
    if row.output.kind == "float":
        return math.copysign(a, -math.copysign(1.0, a))
    negated = -(a - input1_zp) + output_zp
    if row.output.width == 32:
        return UNPREDICTABLE if negated == 2**31 else negated
    limit = 2 ** (row.output.width - 1)
    return min(max(negated, -limit), limit - 1)


def test_examples():
    check_examples(NEGATE)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_the_lowest_int32_is_unpredictable():
    check_unpredictable(
        lambda: lw.tosa.negate(np.int32([-2147483648])), "0 - input1 fits int32", {"input1": -2147483648}
    )


@pytest.mark.parametrize("name", ["input1_zp", "output_zp"])
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.float32])
def test_zero_points_are_for_int8(name: str, dtype: type):
    sort = np.dtype(dtype).name
    with pytest.raises(lw.InvalidError, match=f"NEGATE: {name} is 1, but {sort} has 0; others are for int8"):
        lw.tosa.negate(np.array([1], dtype), **{name: 1})


@pytest.mark.parametrize("value", [-129, 128, 1.0, True, None])
def test_a_zero_point_is_an_int8(value):
    with pytest.raises(lw.InvalidError, match=r"NEGATE: attribute input1_zp is .*; allowed: whole numbers from -128"):
        lw.tosa.negate(np.int8([1]), input1_zp=value)
