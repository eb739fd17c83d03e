"""Clip, ONNX: second opinion in plain numbers."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older

CLIP = find("onnx", "Clip", 28)
BOTH = list(cases(CLIP))
ONE = [*cases(CLIP, min=(None,)), *cases(CLIP, max=(None,)), *cases(CLIP, min=(None,), max=(None,))]
BOUNDS = [{}, {"min": -1.5, "max": 2.0}, {"min": 3.0, "max": -3.0}, {"min": 0.1}]
OLD = [*older("Clip", 1, 6, attributes=BOUNDS), *older("Clip", 11, 12)]
HIGHEST = {"float16": 65504.0, "bfloat16": (2 - 2**-7) * 2.0**127, "float32": (2 - 2**-23) * 2.0**127}


def in_plain_numbers(input, min=None, max=None, *, row):
    highest = HIGHEST.get(row.output.name, sys.float_info.max) if is_real(row.output) else row.output.highest
    low = (-highest if is_real(row.output) else row.output.lowest) if min is None else min
    high = highest if max is None else max
    if any(math.isnan(number) for number in (input, low, high)):
        return math.nan
    raised = input if input > low else low
    return high if high < raised else raised


def with_attributes(input, *, min, max, row, **attributes):
    """As in_plain_numbers; the float32 bounds of old versions are also those of float64 and float16."""
    low = -HIGHEST["float32"] if min is None else min
    return in_plain_numbers(input, low, HIGHEST["float32"] if max is None else max, row=row)


@pytest.mark.parametrize("case", [*BOTH, *ONE, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(with_attributes if case.operator.attributes else in_plain_numbers, exhaustive=8)


@pytest.mark.parametrize("case", [*BOTH, *ONE[::7]], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_every_value_becomes_max_where_min_is_above_it():
    x = np.array([0, 50, 127, -128], np.int8)
    np.testing.assert_array_equal(lw.onnx.clip(x, 60, 40), [40, 40, 40, 40])


def test_bounds_are_optional():
    x = np.array([-5.0, 0.5, 5.0], np.float32)
    np.testing.assert_array_equal(lw.onnx.clip(x, None, 1.0), [-5.0, 0.5, 1.0])
    np.testing.assert_array_equal(lw.onnx.clip(x, min=np.float32(-1)), [-1.0, 0.5, 5.0])
    np.testing.assert_array_equal(lw.onnx.clip(x), x)


def test_bounds_have_rank_0_and_the_type_of_the_input():
    x = np.array([1.0, 2.0, 3.0], np.float32)
    with pytest.raises(lw.InvalidError, match="Clip-13: min has rank 1; ONNX opset 13 allows 0"):
        lw.onnx.clip(x, x)
    with pytest.raises(lw.InvalidError, match=r"Clip-13: no row for inputs \(float32, int64, -\)"):
        lw.onnx.clip(x, np.array(1))
    with pytest.raises(lw.InvalidError, match=r"Clip-13: max: 300 does not fit int8 \(-128 … 127\)"):
        lw.onnx.clip(np.array([1], np.int8), None, 300)


def test_bounds_are_attributes_before_opset_11():
    x = np.array([-5.0, 0.5, 5.0], np.float64)
    # 0.1 is a float32 there, whatever the type of the input.
    np.testing.assert_array_equal(lw.onnx.clip(x, min=0.1, max=1.0, opset=6), [np.float32(0.1), 0.5, 1.0])
    with pytest.raises(lw.InvalidError, match=r"Clip-6: attribute max is 1e\+39, which float32 does not reach"):
        lw.onnx.clip(x, max=1e39, opset=6)
    with pytest.raises(lw.InvalidError, match="Clip-6: takes 1 operands"):
        lw.onnx.clip(x, 0.0, opset=6)


def test_absent_bounds_in_a_graph():
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int16", (3,))
    graph.output("y", graph.node("Clip", x, None, graph.constant(np.array(7, np.int16))))
    np.testing.assert_array_equal(graph.model().run(np.array([-9, 7, 9], np.int16)).outputs["y"], [-9, 7, 7])
