"""Mod, ONNX: second opinion in plain integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older

MOD = find("onnx", "Mod", 28)
CASES = list(cases(MOD, [{"fmod": 0}, {"fmod": 1}]))
OLD = older("Mod", 10, 13, attributes=[{"fmod": 1}])


def in_plain_numbers(A, B, *, fmod, row):
    if is_real(row.output):
        return towards_zero(A, B) if fmod else rounded_down(A, B)
    if B == 0:
        return 0
    if fmod:
        return abs(A) % abs(B) * (-1 if A < 0 else 1)
    return A % B


def towards_zero(a, b):
    if math.isinf(a) or b == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.fmod(a, b)


def rounded_down(a, b):
    """A - floor(A / B) * B with fractions; the special cases as Mod-28 lists them."""
    if math.isinf(a) or b == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    if math.isinf(b):
        return math.copysign(0.0, b) if a == 0 else a if (a < 0) == (b < 0) else b
    a, b = Fraction(a), Fraction(b)
    return a - math.floor(a / b) * b or math.copysign(0.0, b)


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_floats_need_fmod_before_opset_28():
    x = np.array([7.5], np.float32)
    for opset, since in ((10, 10), (27, 13)):
        message = f"Mod-{since}: fmod is 0 for float32; floats need fmod=1 before opset 28"
        with pytest.raises(lw.InvalidError, match=message):
            lw.onnx.mod(x, x, opset=opset)
        assert lw.onnx.mod(x, np.float32(2), fmod=1, opset=opset) == 1.5
    assert lw.onnx.mod(-x, np.float32(2)) == 0.5


def test_integers_may_have_fmod_at_every_opset():
    for opset in (10, 13, 28):
        assert lw.onnx.mod(np.array([-7]), np.array([3]), fmod=1, opset=opset) == -1
        assert lw.onnx.mod(np.array([-7]), np.array([3]), opset=opset) == 2


def test_nothing_traps():
    for fmod in (0, 1):
        for dtype in (np.int8, np.int16, np.int32, np.int64):
            a, b = np.full(1000, np.iinfo(dtype).min, dtype), np.tile(np.array([-1, 0], dtype), 500)
            np.testing.assert_array_equal(lw.onnx.mod(a, b, fmod=fmod), np.zeros(1000, dtype))


def test_fmod_is_a_flag():
    with pytest.raises(lw.InvalidError, match="Mod-28: attribute fmod is 2; allowed: True, False"):
        lw.onnx.mod(np.array([1]), np.array([1]), fmod=2)
