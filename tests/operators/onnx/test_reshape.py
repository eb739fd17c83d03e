"""Reshape, ONNX: shapes against NumPy's, elements bit for bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import versions_of


@pytest.mark.parametrize("record", versions_of("onnx")["Reshape"], ids=lambda record: record.label)
def test_elements_stay_as_they_are(record):
    """Every type of every version: the bits of 24 elements, the NaNs among them."""
    generator = np.random.default_rng(3)
    for row in record.rows:
        dtype = dtype_of(row.output)
        raw = generator.integers(0, 2 if dtype == np.bool_ else 256, 24 * dtype.itemsize, dtype=np.uint8)
        x = raw.view(dtype).reshape((2, 3, 4))
        found = lw.onnx.reshape(x, shape=(4, -1), opset=record.release.since)
        assert (found.dtype, found.shape) == (dtype, (4, 6))
        assert found.tobytes() == x.tobytes()


def test_shapes_that_numpy_has_as_well():
    x = np.arange(24).reshape(2, 3, 4)
    wanted = [w for rank in range(1, 4) for w in itertools.product((-1, 1, 2, 3, 4, 6, 24), repeat=rank)]
    accepted = 0
    for shape in wanted:
        try:
            want = x.reshape(shape)
        except ValueError:
            with pytest.raises(lw.InvalidError, match="Reshape-25: "):
                lw.onnx.reshape(x, shape)
            continue
        accepted += 1
        np.testing.assert_array_equal(lw.onnx.reshape(x, shape), want)
        np.testing.assert_array_equal(lw.onnx.reshape(x, np.array(shape)), want)
    assert accepted > 30


@pytest.mark.parametrize(
    ("data", "shape", "allowzero", "want"),
    [
        ((2, 3, 4), [0, -1], 0, (2, 12)),
        ((2, 3, 4), [-1, 0], 0, (8, 3)),
        ((2, 3, 4), [0, 0, 0], 0, (2, 3, 4)),
        ((2, 3, 4), [4, 0, 2], 0, (4, 3, 2)),
        ((0, 3), [0, 5], 1, (0, 5)),
        ((0, 3), [3, 0], 1, (3, 0)),
        ((0, 3), [-1, 3], 0, (0, 3)),
        ((0, 3), [0, 7], 0, (0, 7)),
        ((1, 1), [], 0, ()),
        ((), [1, 1], 0, (1, 1)),
        ((), [-1], 0, (1,)),
    ],
)
def test_zeros_and_scalars(data, shape, allowzero, want):
    x = np.arange(np.prod(data, dtype=int)).reshape(data)
    for opset in (14, 28):
        assert lw.onnx.reshape(x, shape, allowzero=allowzero, opset=opset).shape == want
    if not allowzero:
        assert lw.onnx.reshape(x, shape, opset=5).shape == want
        assert lw.onnx.reshape(x.astype(np.float32), shape=shape, opset=1).shape == want


@pytest.mark.parametrize(
    ("shape", "allowzero", "message"),
    [
        ([4, -1, 0], 0, r"24 elements do not fill shape \[4, -1, 0\]"),
        ([5, -1], 0, r"24 elements do not fill shape \[5, -1\]"),
        ([-1, -1], 0, r"shape \[-1, -1\] leaves more than one dimension \(-1\) open"),
        ([-2, 12], 0, r"shape \[-2, 12\] has the dimension -2"),
        ([24, 1, 1, 0], 0, r"shape \[24, 1, 1, 0\] copies axis 3, but the input has shape \[2, 3, 4\]"),
        ([0, 24], 1, r"shape \[2, 3, 4\] has 24 elements, shape \[0, 24\] has 0"),
        ([0, -1], 1, r"shape \[0, -1\] has 0 and -1, which allowzero forbids"),
        ([25], 0, r"shape \[2, 3, 4\] has 24 elements, shape \[25\] has 25"),
        ([2**62, 2**62], 0, r"shape \[2, 3, 4\] has 24 elements"),
        ([1] * 64 + [24], 0, "the result has rank 65; arrays have at most 64 axes"),
    ],
)
def test_refusals(shape, allowzero, message):
    x = np.zeros((2, 3, 4))
    with pytest.raises(lw.InvalidError, match=f"Reshape-25: {message}"):
        lw.onnx.reshape(x, shape, allowzero=allowzero)


def test_the_shape_is_a_list_of_int64():
    x = np.zeros(6, np.float32)
    with pytest.raises(lw.InvalidError, match="Reshape-25: shape has rank 2; ONNX opset 25 allows 1"):
        lw.onnx.reshape(x, np.array([[6]]))
    with pytest.raises(lw.InvalidError, match=r"Reshape-25: no row for inputs \(float32, int32\)"):
        lw.onnx.reshape(x, np.array([6], np.int32))
    with pytest.raises(lw.InvalidError, match="Reshape-25: shape: float64 values are no int64"):
        lw.onnx.reshape(x, [1.5, 4])
    with pytest.raises(lw.InvalidError, match="Reshape-25: shape is missing; it takes data, shape"):
        lw.onnx.reshape(x)
    with pytest.raises(lw.InvalidError, match="Reshape-1: attribute shape is missing"):
        lw.onnx.reshape(x, opset=1)
    with pytest.raises(lw.InvalidError, match="Reshape-13: unknown attribute 'allowzero'; it has: none"):
        lw.onnx.reshape(x, [6], allowzero=1, opset=13)


def test_a_strided_operand():
    x = np.arange(24).reshape(4, 6)[::-2, 1::2]
    np.testing.assert_array_equal(lw.onnx.reshape(x, [3, 2]), x.reshape(3, 2))


def test_a_shape_that_the_graph_is_given_or_computes():
    graph = lw.Builder(onnx=28)
    x, n = graph.input("x", "int8", ("n",)), graph.input("rows", "int64", (1,))
    shape = graph.node("Mul", n, graph.constant(np.array([1, -1])))  # rows × -1, or whatever fits
    shape = graph.node("Max", shape, graph.constant(np.array([-1, -1])))
    graph.output("y", graph.node("Neg", graph.node("Reshape", x, shape)))
    model = graph.model()
    for rows in (1, 2, 3):
        x = np.arange(6, dtype=np.int8)
        np.testing.assert_array_equal(model.run(x, np.array([rows])).outputs["y"], -x.reshape(rows, -1))
    with pytest.raises(lw.InvalidError, match=r"Reshape-25: 6 elements do not fill shape \[4, -1\]"):
        model.run(np.arange(6, dtype=np.int8), np.array([4]))
