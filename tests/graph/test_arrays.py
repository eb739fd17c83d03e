"""The border to the caller's arrays: no silent casts, subclasses, operands whose own code fails."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw
from lanewise.graph.arrays import as_array
from lanewise.graph.engines import kernel_maker


@pytest.mark.parametrize(
    ("dtype", "number", "message"),
    [
        (np.float32, 1e300, "Add-14: B: 1e+300 does not fit float32; the nearest is inf"),
        (np.float32, -1e300, "Add-14: B: -1e+300 does not fit float32; the nearest is -inf"),
        (np.float16, 70000, "Add-14: B: 70000 does not fit float16; the nearest is inf"),
        (np.float32, 2**24 + 1, "Add-14: B: 16777217 does not fit float32; the nearest is 16777216.0"),
        (np.float64, 2**53 + 1, "Add-14: B: 9007199254740993 does not fit float64; the nearest is 9007199254740992.0"),
        (np.float64, 10**400, "Add-14: B: (a whole number of 1329 bits) does not fit float64; the nearest is inf"),
        (
            np.float64,
            -(10**5000),
            "Add-14: B: -(a whole number of 16610 bits) does not fit float64; the nearest is -inf",
        ),
        (np.int8, 10**5000, "Add-14: B: (a whole number of 16610 bits) does not fit int8 (-128 … 127)"),
        (np.float32, True, "Add-14: B: True does not fit float32"),
    ],
    ids=lambda value: None if not isinstance(value, int) else f"{value.bit_length()} bits",
)
def test_numbers_that_do_not_fit(dtype, number, message):
    with pytest.raises(lw.InvalidError) as caught:
        lw.onnx.add(np.array([1], dtype), number)
    assert str(caught.value) == message


@pytest.mark.parametrize("number", [0.1, 2**24, -(2**100), math.inf, -math.inf, 1e-300, -0.0])
def test_numbers_that_round_or_fit(number):
    result = lw.onnx.mul(np.array([1], np.float32), number)
    np.testing.assert_array_equal(result, np.array([number]).astype(np.float64).astype(np.float32))
    assert np.signbit(result[0]) == (math.copysign(1, number) < 0)


def test_numbers_beside_bfloat16_are_rounded_once():
    result = lw.onnx.mul(np.array([1], ml_dtypes.bfloat16), 1 + 2**-8 + 2**-40)
    assert float(result[0]) == 1 + 2**-7
    assert np.isnan(lw.onnx.add(np.array([1], np.float32), math.nan))


def test_subclasses_are_plain_arrays():
    x = np.array([[1, 2]], np.int32)
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(x)
    clean = np.ma.array(x, mask=False)
    for operand in (matrix, clean, x.view(np.recarray)):
        assert type(as_array(operand, "x")) is np.ndarray
        result = lw.onnx.add(operand, x)
        assert type(result) is np.ndarray
        assert result.tolist() == [[2, 4]]
    with pytest.raises(lw.InvalidError, match="Add-14: A: elements of the array are masked"):
        lw.onnx.add(np.ma.array(x, mask=[[True, False]]), x)


def test_operands_whose_own_code_fails():
    class Unreadable:
        def __array__(self, dtype=None, copy=None):
            raise OSError("disk on fire")

    with pytest.raises(lw.InvalidError, match="Add-14: A: Unreadable is not an array: disk on fire"):
        lw.onnx.add(Unreadable(), np.int8(1))


@pytest.mark.parametrize("engine", [[], None, 5, "gpu"])
def test_engines_that_there_are_not(engine):
    with pytest.raises(lw.InvalidError, match="allowed: 'native', 'exact'"):
        kernel_maker(engine)


@pytest.mark.parametrize("value", [np.array(["LEFT", "RIGHT"]), ["LEFT"], None, 5])
def test_choices_are_strings(value):
    with pytest.raises(lw.InvalidError, match="attribute direction is .*; allowed: 'LEFT', 'RIGHT'"):
        lw.onnx.bit_shift(np.uint8(1), np.uint8(1), direction=value)


def test_huge_attributes_are_cut():
    graph = lw.Builder(tosa="0.23.0")
    x = graph.input("x", "int8", (1,))
    for call in (
        lambda: lw.tosa.clamp(np.int8([1]), min_val=-(10**400), max_val=1),
        lambda: lw.tosa.clamp(np.int8([1]), min_val=-(10**300), max_val=1),
        lambda: lw.tosa.clamp(np.float32([1]), min_val=-(10**300), max_val=1),
        lambda: lw.onnx.clip(np.float32([1]), min=-(10**300), opset=6),
        lambda: lw.tosa.rescale(np.int8([1]), [1], [2], input_zp=10**1000, output_type="int8"),
        lambda: graph.node("CLAMP", x, min_val=-(10**5000), max_val=1),
    ):
        with pytest.raises(lw.InvalidError, match="a whole number of [0-9]+ bits") as caught:
            call()
        assert len(str(caught.value)) < 200
