"""Unsqueeze, ONNX: shapes against NumPy's, elements bit for bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import versions_of


@pytest.mark.parametrize("record", versions_of("onnx")["Unsqueeze"], ids=lambda record: record.label)
def test_elements_stay_as_they_are(record):
    """Every type of every version: the bits of 6 elements, the NaNs among them."""
    generator = np.random.default_rng(3)
    for row in record.rows:
        dtype = dtype_of(row.output)
        raw = generator.integers(0, 2 if dtype == np.bool_ else 256, 6 * dtype.itemsize, dtype=np.uint8)
        x = raw.view(dtype).reshape((2, 3))
        found = lw.onnx.unsqueeze(x, axes=[0, 3], opset=record.release.since)
        assert (found.dtype, found.shape) == (dtype, (1, 2, 3, 1))
        assert found.tobytes() == x.tobytes()


@pytest.mark.parametrize("opset", [11, 13, 28])
def test_axes_that_numpy_has_as_well(opset):
    x = np.arange(6).reshape(2, 3)
    for count in range(4):
        for axes in itertools.product(range(-6, 6), repeat=count):
            try:
                want = np.expand_dims(x, axes)
            except ValueError:  # outside, or twice
                with pytest.raises(lw.InvalidError, match=r"Unsqueeze-\d+: axes "):
                    lw.onnx.unsqueeze(x, axes=axes, opset=opset)
            else:
                np.testing.assert_array_equal(lw.onnx.unsqueeze(x, axes=axes, opset=opset), want)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([4], r"axes \[4\]: 4 is outside -3 … 2 \(the result has rank 3\)"),
        ([0, -4], r"axes \[0, -4\] name an axis twice \(the result has rank 4\)"),
        (list(range(63)), "the result has rank 65; arrays have at most 64 axes"),
    ],
)
def test_refusals(axes, message):
    with pytest.raises(lw.InvalidError, match=f"Unsqueeze-25: {message}"):
        lw.onnx.unsqueeze(np.zeros((2, 3)), axes)


def test_negative_axes_came_with_opset_11():
    x = np.zeros(2, np.float32)
    with pytest.raises(lw.InvalidError, match=r"Unsqueeze-1: axes \[-1\]: -1 is outside 0 … 1"):
        lw.onnx.unsqueeze(x, axes=[-1], opset=10)
    assert lw.onnx.unsqueeze(x, axes=[-1], opset=11).shape == (2, 1)


def test_axes_are_one_list_from_opset_23_on():
    x, axis = np.zeros(2), np.array(0)
    assert lw.onnx.unsqueeze(x, axis, opset=13).shape == (1, 2)
    with pytest.raises(lw.InvalidError, match="Unsqueeze-23: axes has rank 0; ONNX opset 23 allows 1"):
        lw.onnx.unsqueeze(x, axis, opset=23)
    with pytest.raises(lw.InvalidError, match="Unsqueeze-21: axes has rank 2; ONNX opset 21 allows 0 to 1"):
        lw.onnx.unsqueeze(x, axis.reshape(1, 1), opset=22)


def test_axes_are_required():
    with pytest.raises(lw.InvalidError, match="Unsqueeze-25: axes is missing; it takes data, axes"):
        lw.onnx.unsqueeze(np.zeros(2))
    with pytest.raises(lw.InvalidError, match="Unsqueeze-11: attribute axes is missing"):
        lw.onnx.unsqueeze(np.zeros(2), opset=11)
