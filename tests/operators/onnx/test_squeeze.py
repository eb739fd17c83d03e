"""Squeeze, ONNX: shapes against NumPy's, elements bit for bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import versions_of


@pytest.mark.parametrize("record", versions_of("onnx")["Squeeze"], ids=lambda record: record.label)
def test_elements_stay_as_they_are(record):
    """Every type of every version: the bits of 12 elements, the NaNs among them."""
    generator = np.random.default_rng(3)
    for row in record.rows:
        dtype = dtype_of(row.output)
        raw = generator.integers(0, 2 if dtype == np.bool_ else 256, 12 * dtype.itemsize, dtype=np.uint8)
        x = raw.view(dtype).reshape((1, 3, 1, 4))
        found = lw.onnx.squeeze(x, axes=[2], opset=record.release.since)
        assert (found.dtype, found.shape) == (dtype, (1, 3, 4))
        assert found.tobytes() == x.tobytes()


@pytest.mark.parametrize("opset", [11, 13, 28])
def test_axes_that_numpy_has_as_well(opset):
    x = np.arange(6).reshape(1, 2, 1, 3, 1)
    for count in range(1, 4):
        for axes in itertools.product(range(-6, 6), repeat=count):
            try:
                want = x.squeeze(axes)
            except ValueError:  # outside, twice, or not of size 1
                with pytest.raises(lw.InvalidError, match=r"Squeeze-\d+: axes "):
                    lw.onnx.squeeze(x, axes=axes, opset=opset)
            else:
                np.testing.assert_array_equal(lw.onnx.squeeze(x, axes=axes, opset=opset), want)


@pytest.mark.parametrize("opset", [1, 11, 13, 28])
def test_without_axes_all_that_are_1_go(opset):
    assert lw.onnx.squeeze(np.zeros((1, 2, 1, 0, 1)), opset=opset).shape == (2, 0)
    assert lw.onnx.squeeze(np.zeros((1, 1)), opset=opset).shape == ()
    assert lw.onnx.squeeze(np.zeros(()), opset=opset).shape == ()


@pytest.mark.parametrize("opset", [1, 11, 13, 28])
def test_an_empty_list_of_axes_removes_nothing(opset):
    assert lw.onnx.squeeze(np.zeros((1, 2)), axes=[], opset=opset).shape == (1, 2)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([1], r"axes \[1\]: data has shape \[1, 2, 1\]; axis 1 has 2, not 1"),
        ([3], r"axes \[3\]: 3 is outside -3 … 2 \(data has rank 3\)"),
        ([0, -3], r"axes \[0, -3\] name an axis twice \(data has rank 3\)"),
    ],
)
def test_refusals(axes, message):
    with pytest.raises(lw.InvalidError, match=f"Squeeze-25: {message}"):
        lw.onnx.squeeze(np.zeros((1, 2, 1)), axes)


def test_negative_axes_came_with_opset_11():
    x = np.zeros((2, 1), np.float32)
    with pytest.raises(lw.InvalidError, match=r"Squeeze-1: axes \[-1\]: -1 is outside 0 … 1"):
        lw.onnx.squeeze(x, axes=[-1], opset=10)
    assert lw.onnx.squeeze(x, axes=[-1], opset=11).shape == (2,)


def test_axes_are_one_list():
    with pytest.raises(lw.InvalidError, match="Squeeze-25: axes has rank 0; ONNX opset 25 allows 1"):
        lw.onnx.squeeze(np.zeros((1, 2)), np.array(0))
    assert lw.onnx.squeeze(np.zeros((1, 2)), 0).shape == (2,)  # a plain number is a list of one


def test_in_a_graph():
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", (1, 3, 1))
    graph.output("all", graph.node("Squeeze", x))
    graph.output("one", graph.node("Squeeze", graph.node("Neg", x), axes=[0]))
    model = graph.model()
    assert model.types[model.outputs["one"].tensor].shape == (3, 1)
    outputs = model.run(np.array([[[1], [2], [3]]], np.int32)).outputs
    np.testing.assert_array_equal(outputs["all"], [1, 2, 3])
    np.testing.assert_array_equal(outputs["one"], [[-1], [-2], [-3]])
