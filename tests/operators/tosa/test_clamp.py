"""CLAMP, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

CLAMP = find("tosa", "CLAMP", "0.23.0")
BOUNDS = {
    "int": [(-128, 127), (-10, 20), (0, 6), (5, 5), (-3.0, 100)],
    "float": [(0.0, 6.0), (-math.inf, math.inf), (-1.5, -0.0), (-0.0, 65504), (2.5, 2.5), (math.inf, math.inf)],
}
CASES = [
    case
    for kind, bounds in BOUNDS.items()
    for case in cases(CLAMP, [{"min_val": low, "max_val": high} for low, high in bounds])
    if case.row.output.kind == kind
]


def in_plain_numbers(a, *, min_val, max_val, row):
    if a != a:  # noqa: PLR0124  # NaN
        return math.nan
    low, high = (float(v) if row.output.kind == "float" else int(v) for v in (min_val, max_val))
    raised = a if a >= low else low
    return raised if raised < high else high


def test_examples():
    check_examples(CLAMP)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/llvm/llvm-project/issues/57095
def test_the_two_bounds_are_not_exchanged():
    assert lw.tosa.clamp(np.float32([-1, 3, 9]), min_val=0.0, max_val=6.0).tolist() == [0.0, 3.0, 6.0]


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_bounds_in_the_wrong_order_are_an_error(dtype: type):
    with pytest.raises(lw.InvalidError, match="CLAMP: max_val is 1, which is below min_val, 2"):
        lw.tosa.clamp(np.array([1], dtype), min_val=2, max_val=1)


@pytest.mark.parametrize(("low", "high"), [(math.nan, 1.0), (0.0, math.nan)])
def test_a_bound_that_is_nan_is_unpredictable(low: float, high: float):
    with pytest.raises(lw.UnpredictableError) as caught:
        lw.tosa.clamp(np.float32([0.5]), min_val=low, max_val=high)
    assert caught.value.requirement == "min_val <= max_val"
    # The bounds are shown as well: they are what the rule is about. (repr, because NaN differs from itself)
    assert repr(caught.value.values) == repr({"input": 0.5, "min_val": low, "max_val": high})


@pytest.mark.parametrize("value", [0.5, -129, 128, math.inf, math.nan])
def test_integer_bounds_are_numbers_of_the_type(value):
    with pytest.raises(lw.InvalidError, match=r"min_val is .*; int8 has whole numbers from -128 to 127"):
        lw.tosa.clamp(np.int8([1]), min_val=value, max_val=127)


@pytest.mark.parametrize("value", [1e39, -(10**39)])
def test_float_bounds_are_within_reach_of_the_type(value):
    with pytest.raises(lw.InvalidError, match=r"min_val is -?1.*, which float32 does not reach"):
        lw.tosa.clamp(np.float32([1]), min_val=value, max_val=math.inf)


@pytest.mark.parametrize("value", [None, True, "1", np.array([1])])
def test_a_bound_is_one_number(value):
    with pytest.raises(lw.InvalidError, match=r"attribute max_val is .*; allowed: numbers"):
        lw.tosa.clamp(np.int8([1]), min_val=0, max_val=value)


def test_the_sign_of_a_zero_bound_is_not_forgotten():
    x = np.float32([-1.0])
    for _ in range(2):
        assert not np.signbit(lw.tosa.clamp(x, min_val=0.0, max_val=1.0)).any()
        assert np.signbit(lw.tosa.clamp(x, min_val=-0.0, max_val=1.0)).all()


def test_there_is_no_int32_row():
    with pytest.raises(lw.InvalidError, match=r"CLAMP: no row for inputs \(int32\)"):
        lw.tosa.clamp(np.int32([1]), min_val=0, max_val=1)
