"""BitShift, ONNX: second opinion in plain integers, the specification's examples, and known mistakes of others."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import wrapped

DIRECTIONS = [{"direction": "LEFT"}, {"direction": "RIGHT"}]
CASES = list(cases(find("onnx", "BitShift", 28), DIRECTIONS))
OLD = list(cases(find("onnx", "BitShift", 27), DIRECTIONS))


def in_plain_numbers(X, Y, *, direction, row):
    if not 0 <= Y < row.output.width:
        return -1 if direction == "RIGHT" and X < 0 else 0
    return wrapped(X * 2**Y, row.output) if direction == "LEFT" else X // 2**Y


@pytest.mark.parametrize("case", [*CASES, *OLD[2:]], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# The examples of BitShift-28's page in the operators' documentation, in its order.
PAGE = [
    # small shifts of positive numbers, every type
    ("RIGHT", "uint8", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("RIGHT", "uint16", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("RIGHT", "uint32", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("RIGHT", "uint64", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("LEFT", "uint8", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("LEFT", "uint16", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("LEFT", "uint32", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("LEFT", "uint64", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("RIGHT", "int8", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("RIGHT", "int16", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("RIGHT", "int32", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("RIGHT", "int64", [16, 4, 1], [1, 2, 3], [8, 1, 0]),
    ("LEFT", "int8", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("LEFT", "int16", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("LEFT", "int32", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    ("LEFT", "int64", [16, 4, 1], [1, 2, 3], [32, 16, 8]),
    # a signed number shifts right with copies of its sign, left past it
    ("RIGHT", "int8", [-8, -1, -128], [1, 1, 1], [-4, -1, -64]),
    ("RIGHT", "int32", [-8, -1, -2147483648], [1, 1, 1], [-4, -1, -1073741824]),
    ("LEFT", "int8", [64, 1, -64], [1, 7, 1], [-128, -128, -128]),
    ("LEFT", "int32", [1073741824, 1, -1073741824], [1, 31, 1], [-2147483648, -2147483648, -2147483648]),
    # by the width or further
    ("RIGHT", "int8", [-8, 4, -1], [8, 9, 127], [-1, 0, -1]),
    ("LEFT", "int8", [-8, 4, -1], [8, 9, 127], [0, 0, 0]),
    ("RIGHT", "int32", [-8, 4, -1], [32, 33, 100], [-1, 0, -1]),
    ("LEFT", "int32", [-8, 4, -1], [32, 33, 100], [0, 0, 0]),
    # by less than nothing
    ("RIGHT", "int8", [-8, 4, -1], [-1, -8, -16], [-1, 0, -1]),
    ("LEFT", "int8", [-8, 4, -1], [-1, -8, -16], [0, 0, 0]),
    ("RIGHT", "int32", [-8, 4, -1], [-1, -32, -64], [-1, 0, -1]),
    ("LEFT", "int32", [-8, 4, -1], [-1, -32, -64], [0, 0, 0]),
]


@pytest.mark.parametrize(("direction", "dtype", "x", "y", "z"), PAGE)
def test_examples_of_the_specification(direction, dtype, x, y, z):
    x, y = np.array(x, dtype), np.array(y, dtype)
    for engine in ("native", "exact"):
        found = lw.onnx.bit_shift(x, y, direction=direction, engine=engine)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, z)
        if x.dtype.kind == "u":
            np.testing.assert_array_equal(lw.onnx.bit_shift(x, y, direction=direction, opset=11, engine=engine), z)


def test_the_page_has_28_examples():
    assert len(PAGE) == 28


# What other implementations have got wrong; the address says who and how.
KNOWN_MISTAKES = [
    # https://github.com/microsoft/onnxruntime/issues/28262
    ("RIGHT", "uint64", [1000, 255, 1, 42], [64, 64, 64, 64], [0, 0, 0, 0]),
    # https://github.com/pytorch/pytorch/issues/70904
    ("LEFT", "uint8", [255, 255, 255], [32, 33, 39], [0, 0, 0]),
    # https://github.com/pytorch/pytorch/issues/88547
    ("LEFT", "int64", [1], [-1], [0]),
    # https://github.com/pytorch/pytorch/issues/143566
    ("LEFT", "int64", [1000], [64], [0]),
    # https://github.com/pytorch/pytorch/issues/191014
    ("RIGHT", "int32", [-7, -1, -8, 7], [1, 1, 1, 1], [-4, -1, -4, 3]),
    ("RIGHT", "int8", [-7, -1, -8, 7], [1, 1, 1, 1], [-4, -1, -4, 3]),
    ("RIGHT", "int16", [-7, -1, -8, 7], [1, 1, 1, 1], [-4, -1, -4, 3]),
    ("RIGHT", "int64", [-7, -1, -8, 7], [1, 1, 1, 1], [-4, -1, -4, 3]),
    # https://github.com/pytorch/pytorch/issues/118265
    ("RIGHT", "int64", [-5, 7, 7, -32768], [-32768, 32767, -1, 64], [-1, 0, 0, -1]),
    # https://github.com/numpy/numpy/issues/2449
    ("RIGHT", "int32", [8], [32], [0]),
    # https://github.com/numpy/numpy/issues/13898
    ("LEFT", "int64", [0, 1, 2, 3], [-1], [0, 0, 0, 0]),
    # https://github.com/Bears-R-Us/arkouda/issues/2099
    ("LEFT", "uint64", [18446744073709551615], [64], [0]),
    # https://github.com/tensorflow/tensorflow/issues/57029
    ("RIGHT", "int32", [[1, 2, 3], [4, 5, 6]], [-1], [[0, 0, 0], [0, 0, 0]]),
    # https://github.com/tenstorrent/tt-metal/issues/55332
    ("RIGHT", "int32", [8, 8, 1024, -8, -8], [-1, -8, -8, -1, -8], [0, 0, 0, -1, -1]),
    ("RIGHT", "int32", [-8, -8, -1, 2147483647], [33, 63, 33, -1], [-1, -1, -1, 0]),
    # https://github.com/flagos-ai/FlagTree/issues/1121
    ("RIGHT", "uint16", [65534], [5], [2047]),
    # https://github.com/llvm/torch-mlir/pull/4676
    ("RIGHT", "int32", [-7, -128], [1, 1], [-4, -64]),
    # https://github.com/microsoft/onnxruntime/pull/32361
    ("LEFT", "uint32", [1, 1], [32, 33], [0, 0]),
    # https://github.com/openxla/stablehlo/issues/1150
    ("RIGHT", "int8", [-128, 127], [8, 8], [-1, 0]),
    # https://github.com/llvm/llvm-project/issues/218191
    ("RIGHT", "int64", [4], [32], [0]),
    # https://github.com/halide/Halide/pull/3647
    ("LEFT", "uint8", [3], [7], [128]),
    # https://github.com/FStarLang/karamel/issues/691
    ("LEFT", "uint8", [128], [1], [0]),
    # https://github.com/pytorch/pytorch/pull/96659
    ("RIGHT", "int8", [-128, -1, 127, -128], [-1, 127, 8, 7], [-1, -1, 0, -1]),
]


@pytest.mark.parametrize(("direction", "dtype", "x", "y", "z"), KNOWN_MISTAKES)
def test_known_mistakes(direction, dtype, x, y, z):
    found = lw.onnx.bit_shift(np.array(x, dtype), np.array(y, dtype), direction=direction)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, z)


def test_vector_body_and_tail_agree():
    # https://github.com/ml-explore/mlx/pull/4271: zeros from whole vectors, ones from what was left over
    for length in (1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 1000):
        ones, counts = np.ones(2 * length, np.int32), np.full(2 * length, 32, np.int32)
        assert not lw.onnx.bit_shift(ones[:length], counts[:length], direction="LEFT").any()
        assert not lw.onnx.bit_shift(ones[::2], counts[::2], direction="LEFT").any()


def test_a_gray_code_is_decoded():
    # https://github.com/pytorch/pytorch/issues/149083: x ^= x >> 16, then 8, 4, 2, 1
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int64", ("n",))
    for count in (16, 8, 4, 2, 1):
        shifted = graph.node("BitShift", x, graph.constant(np.array(count)), direction="RIGHT")
        x = graph.node("BitwiseXor", x, shifted)
    graph.output("number", x)
    numbers = np.arange(2000)
    np.testing.assert_array_equal(graph.model().run(numbers ^ numbers >> 1).outputs["number"], numbers)
    assert graph.model().run(np.array([11])).outputs["number"] == 13


def test_opset_11_on_large_counts():
    # https://github.com/microsoft/onnxruntime/issues/28262: its text is silent, lanewise reads it as opset 28
    x, y = np.array([1000, 255, 1, 42], np.uint64), np.full(4, 64, np.uint64)
    np.testing.assert_array_equal(lw.onnx.bit_shift(x, y, direction="RIGHT", opset=11), [0, 0, 0, 0])


def test_opset_11_on_small_counts():
    # https://github.com/microsoft/onnxruntime/issues/2207
    x, y = np.array([16, 4, 1], np.uint8), np.array([1, 2, 3], np.uint8)
    np.testing.assert_array_equal(lw.onnx.bit_shift(x, y, direction="RIGHT", opset=11), [8, 1, 0])
    # https://github.com/onnx/onnx-mlir/issues/3185: LEFT and RIGHT exchanged
    x = np.array([1, 2], np.uint32)
    np.testing.assert_array_equal(lw.onnx.bit_shift(x, x, direction="LEFT", opset=11), [2, 8])


def test_signed_types_came_with_opset_28():
    # https://github.com/microsoft/onnxruntime/issues/25697: the message has to say type and opset
    x, y = np.array([4], np.int32), np.array([1], np.int32)
    message = r"BitShift-11: no row for inputs \(int32, int32\); .* It is allowed at opset 28"
    with pytest.raises(lw.InvalidError, match=message):
        lw.onnx.bit_shift(x, y, direction="RIGHT", opset=27)


def test_refusals():
    x = np.array([1], np.int8)
    with pytest.raises(lw.InvalidError, match="BitShift-28: attribute direction is missing; allowed: 'LEFT', 'RIGHT'"):
        lw.onnx.bit_shift(x, x)
    with pytest.raises(lw.InvalidError, match="BitShift-28: attribute direction is 'left'; allowed: 'LEFT', 'RIGHT'"):
        lw.onnx.bit_shift(x, x, direction="left")
    with pytest.raises(lw.InvalidError, match=r"BitShift-28: no row for inputs \(int8, uint8\)"):
        lw.onnx.bit_shift(x, x.astype(np.uint8), direction="LEFT")
    with pytest.raises(lw.InvalidError, match=r"BitShift-28: Y: 128 does not fit int8 \(-128 … 127\)"):
        lw.onnx.bit_shift(x, 128, direction="LEFT")
    with pytest.raises(
        lw.InvalidError, match=r"BitShift-28: X has shape \[2, 3\] and Y has shape \[2\]: axis -1 has 3 and 2"
    ):
        lw.onnx.bit_shift(np.zeros((2, 3), np.int8), np.zeros(2, np.int8), direction="LEFT")
    with pytest.raises(lw.InvalidError, match="BitShift: not in ONNX opset 10; its versions are 11, 28"):
        lw.onnx.bit_shift(x, x, direction="LEFT", opset=10)
