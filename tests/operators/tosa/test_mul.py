"""MUL, TOSA 0.23.0: second opinion in plain integers and fractions."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable, exactly, fits, wrapped

MUL = find("tosa", "MUL", "0.23.0")
CASES = [
    case
    for case in cases(MUL, shift=(0, 1, 2, 15, 31, 32, 62, 63))
    if case.row.inputs[0].name == "int32" or case.fixed["shift"] in (0, 31)
]
SHIFT_AS_AN_INPUT = list(cases(MUL))


def in_plain_numbers(a, b, shift, *, row):
    if row.output.kind == "float":
        return exactly(operator.mul, a, b)
    if row.inputs[0].width < 32 or shift == 0:
        return wrapped(a * b, 32)
    scaled = (a * b + 2 ** (shift - 1)) // 2**shift
    if b < 0 or not 2 <= shift <= 62 or not fits(scaled, 32):
        return UNPREDICTABLE
    return scaled


def test_examples():
    check_examples(MUL)


@pytest.mark.parametrize("case", [*CASES, *SHIFT_AS_AN_INPUT], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", [*CASES[::3], *SHIFT_AS_AN_INPUT], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize(
    ("a", "b", "shift", "requirement"),
    [
        (
            7,
            -3,
            2,
            "input2 >= 0",
        ),  # https://github.com/arm/tosa-specification/commit/d4cf0738c55ce73dae5e25e0fbec4d8b3f603e69
        (5, 2, 1, "2 <= shift <= 62"),
        (5, 2, 63, "2 <= shift <= 62"),
        (2147483647, 2147483647, 2, "the scaled result fits int32"),
        (-2147483648, 2147483647, 30, "the scaled result fits int32"),
    ],
)
def test_unpredictable(a: int, b: int, shift: int, requirement: str):
    values = {"input1": a, "input2": b, "shift": shift}
    check_unpredictable(lambda: lw.tosa.mul(np.int32([a]), np.int32([b]), shift=shift), requirement, values)


def test_requirements_hold_only_where_the_shift_is_used():
    assert lw.tosa.mul(np.int32([5]), np.int32([-2]), shift=0).tolist() == [-10]
    assert lw.tosa.mul(np.int8([5]), np.int8([-2]), shift=1).tolist() == [-10]
    assert lw.tosa.mul(np.float32([5]), np.float32([-2]), shift=63).tolist() == [-10]


@pytest.mark.parametrize(
    ("a", "b", "shift", "want"),
    [
        # https://github.com/llvm/llvm-project/pull/137601
        (np.int32([3, -3]), np.int32([5, 5]), 2, [4, -4]),
        # https://github.com/tensorflow/tensorflow/issues/25087
        (np.int32([7984]), np.int32([1583594044]), 40, [11]),
        # https://github.com/tensorflow/tensorflow/pull/103028
        (np.int32([-966241705]), np.int32([1373157221]), 31, [-617840222]),
        # https://github.com/ARM-software/CMSIS-NN/issues/114
        (np.int32([2147483647, 65536]), np.int32([2, 65536]), 0, [-2, 0]),
        # https://github.com/onnx/onnx/issues/3637
        (np.int8([22]), np.int8([21]), 0, [462]),
    ],
)
def test_public_cases(a, b, shift, want):
    found = lw.tosa.mul(a, b, shift=shift)
    assert found.dtype == np.int32
    assert found.tolist() == want


def test_shift_is_an_attribute_but_for_the_training_profile():
    a = np.int32([12])
    with pytest.raises(lw.InvalidError, match="shift is an array; in profile BI it is an attribute, a plain number"):
        lw.tosa.mul(a, a, shift=np.array([2], np.uint8), profile="BI")
    assert lw.tosa.mul(a, a, shift=np.array([2], np.uint8), profile="MT").tolist() == [36]
    assert lw.tosa.mul(a, a, shift=2, profile="BI").tolist() == [36]


@pytest.mark.parametrize("shift", [-1, 64, 2.0, "2", None])
def test_a_shift_outside_uint6_is_an_error(shift):
    with pytest.raises(lw.InvalidError, match="MUL: shift is"):
        lw.tosa.mul(np.int32([1]), np.int32([1]), shift=shift)


@pytest.mark.parametrize("shape", [(2,), (0,), (1, 2), (None,)])
def test_a_graph_input_for_the_shift_is_one_number(shape):
    graph = lw.Builder(tosa="0.23.0", profile="MT")
    x, shift = graph.input("x", "int32", (1,)), graph.input("shift", "uint6", shape)
    graph.output("y", graph.node("MUL", x, x, shift))
    with pytest.raises(lw.InvalidError, match=r"MUL: shift has shape \[.*\]; it is one number"):
        graph.model().run(np.int32([9]), np.uint8([3, 3]))


def test_a_graph_input_for_the_shift_is_a_uint6():
    for sort, right in (("uint6", True), ("uint8", False)):
        graph = lw.Builder(tosa="0.23.0", profile="MT")
        x, shift = graph.input("x", "int32", (1,)), graph.input("shift", sort, ())
        graph.output("y", graph.node("MUL", x, x, shift))
        if right:
            assert graph.model().run(np.int32([9]), np.array(3, np.uint8)).outputs["y"].tolist() == [10]
            with pytest.raises(lw.InvalidError, match="holds 70, which is outside uint6"):
                graph.model().run(np.int32([9]), np.array(70, np.uint8))
        else:
            with pytest.raises(lw.InvalidError, match=r"MUL: no row for inputs \(int32, int32, uint8\)"):
                graph.model()
