"""Div, ONNX: second opinion in plain integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older, wrapped

DIV = find("onnx", "Div", 28)
CASES = list(cases(DIV))
OLD = older("Div", 1, 6, 7, 13)


def in_plain_numbers(A, B, *, row, **attributes):
    if is_real(row.output):
        return divided(A, B)
    if B == 0:
        return 0
    quotient = abs(A) // abs(B)
    return wrapped(quotient if (A < 0) == (B < 0) else -quotient, row.output)


def divided(a, b):
    if math.isfinite(a) and math.isfinite(b) and a != 0 and b != 0:
        return Fraction(a) / Fraction(b)
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_opset_6_broadcasts_only_if_asked_to():
    a, b = np.arange(1, 7, dtype=np.int32).reshape(2, 3), np.array([3, 2, 1], np.int32)
    with pytest.raises(
        lw.InvalidError, match=r"Div-6: A has shape \[2, 3\] and B has shape \[3\]; this operator needs equal"
    ):
        lw.onnx.div(a, b, opset=6)
    np.testing.assert_array_equal(lw.onnx.div(a, b, broadcast=1, opset=6), lw.onnx.div(a, b))


def test_small_integers_came_with_opset_14():
    x = np.array([1], np.int8)
    with pytest.raises(lw.InvalidError, match=r"Div-13: no row for inputs \(int8, int8\)"):
        lw.onnx.div(x, x, opset=13)
    assert lw.onnx.div(x, x, opset=14).dtype == np.int8


def test_old_attributes_are_unknown_later():
    x = np.array([1.0], np.float32)
    assert lw.onnx.div(x, x, consumed_inputs=[0, 0], opset=1).shape == (1,)
    with pytest.raises(lw.InvalidError, match="Div-14: unknown attribute 'broadcast'; it has: none"):
        lw.onnx.div(x, x, broadcast=1)


def test_nothing_traps():
    # The quotient that no type holds, and division by nothing: both kill a process that leaves them to the processor.
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        lowest = np.iinfo(dtype).min
        a, b = np.full(1000, lowest, dtype), np.tile(np.array([-1, 0, 1, 2], dtype), 250)
        want = np.tile(np.array([lowest, 0, lowest, lowest // 2], dtype), 250)
        np.testing.assert_array_equal(lw.onnx.div(a, b), want)
