"""POW, TOSA 0.23.0: second opinion with mpmath's exponential and logarithm, special cases by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

POW = find("tosa", "POW", "0.23.0")
CASES = list(cases(POW))
NAN, INF = math.nan, math.inf


def in_plain_numbers(a, b, *, row):
    if math.isnan(a) or math.isnan(b):
        return NAN
    if b == 0:
        return 1.0
    odd = math.isfinite(b) and b == int(b) and int(b) % 2 == 1
    if a == 0 or math.isinf(a):
        towards_zero = (a == 0) == (b > 0)
        return math.copysign(0.0 if towards_zero else INF, a if odd else 1.0)
    if math.isinf(b):
        return 1.0 if abs(a) == 1 else INF if (abs(a) > 1) == (b > 0) else 0.0
    if a < 0 and b != int(b):
        return NAN
    magnitude = _to_the_power(abs(a), b)
    return -magnitude if a < 0 and odd else magnitude


def _to_the_power(a: float, b: float) -> float | Fraction:
    """exp(b * log(a)) to far more bits than any type has; beyond every type, infinity or zero."""
    with mpmath.workprec(500):
        exponent = mpmath.mpf(b) * mpmath.log(mpmath.mpf(a))
        if abs(exponent) > 1000:
            return INF if exponent > 0 else 0.0
        numerator, denominator = mpmath.libmp.to_rational(mpmath.exp(exponent)._mpf_)
        return Fraction(int(numerator), int(denominator))


def test_examples():
    check_examples(POW)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, ulps=1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/pytorch/executorch/pull/11037
def test_a_negative_base_has_its_powers():
    assert lw.tosa.pow(np.float32([-2.0]), np.float32([2.0])).tolist() == [4.0]


@pytest.mark.parametrize("engine", ["native", "exact"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_special_cases_have_their_sign(dtype: type, engine: str):
    bases_exponents_results = [
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, -3.0, -INF),
        (0.0, -2.5, INF),
        (-INF, 3.0, -INF),
        (-INF, -3.0, -0.0),
        (-INF, 0.5, INF),
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (0.5, -INF, INF),
        (-3.0, 3.0, -27.0),
        (-8.0, 0.5, NAN),
        (0.0, 0.0, 1.0),
        (NAN, 0.0, NAN),
        (1.0, NAN, NAN),
        (NAN, NAN, NAN),
    ]
    a, b, want = np.array(bases_exponents_results, dtype).T
    found = lw.tosa.pow(a, b, engine=engine)
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(np.signbit(found)[want == want], np.signbit(want)[want == want])  # noqa: PLR0124


def test_the_base_has_one_to_four_dimensions():
    for shape in ((), (1, 1, 1, 1, 1)):
        one = np.ones(shape, np.float32)
        with pytest.raises(lw.InvalidError, match=f"input1 has rank {len(shape)}; TOSA 0.23.0 allows 1 to 4"):
            lw.tosa.pow(one, one)


def test_the_inference_profile_without_floats_has_no_pow():
    one = np.ones(1, np.float32)
    with pytest.raises(lw.InvalidError, match="profile BI has no row for"):
        lw.tosa.pow(one, one, profile="BI")


def test_a_graph_checks_ranks_too():
    graph = lw.Builder(tosa="0.23.0")
    x = graph.input("x", "float32", (None,) * 5)
    graph.output("y", graph.node("POW", x, x))
    with pytest.raises(lw.InvalidError, match=r"input1 has rank 5; TOSA 0.23.0 allows 1 to 4"):
        graph.model()
