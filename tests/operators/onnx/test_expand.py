"""Expand, ONNX: shapes against NumPy's broadcasting, elements bit for bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import versions_of


@pytest.mark.parametrize("record", versions_of("onnx")["Expand"], ids=lambda record: record.label)
def test_elements_stay_as_they_are(record):
    """Every type of every version: the bits of 6 elements, the NaNs among them."""
    generator = np.random.default_rng(3)
    for row in record.rows:
        dtype = dtype_of(row.output)
        raw = generator.integers(0, 2 if dtype == np.bool_ else 256, 6 * dtype.itemsize, dtype=np.uint8)
        x = raw.view(dtype).reshape(3, 1, 2)
        found = lw.onnx.expand(x, [2, 1, 4, 1], opset=record.release.since)
        assert (found.dtype, found.shape) == (dtype, (2, 3, 4, 2))
        assert found.tobytes() == np.broadcast_to(x, (2, 3, 4, 2)).tobytes()


def test_shapes_that_numpy_broadcasts_as_well():
    for data in ((), (1,), (3,), (2, 1), (1, 3), (2, 3), (0,), (2, 0)):
        x = np.arange(np.prod(data, dtype=int)).reshape(data)
        for shape in itertools.chain.from_iterable(itertools.product((0, 1, 2, 3), repeat=r) for r in range(4)):
            try:
                want = np.broadcast_to(x, np.broadcast_shapes(data, shape))
            except ValueError:
                with pytest.raises(lw.InvalidError, match=r"Expand-13: input has shape .* broadcasting needs equal"):
                    lw.onnx.expand(x, shape)
            else:
                found = lw.onnx.expand(x, shape)
                assert found.shape == want.shape
                np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([2, 2], r"input has shape \[2, 3\] and shape has shape \[2, 2\]: axis -1 has 3 and 2; broadcasting"),
        ([-1, 3], r"shape \[-1, 3\] has a negative size"),
        ([1] * 65, "the result has rank 65; arrays have at most 64 axes"),
    ],
)
def test_refusals(shape, message):
    with pytest.raises(lw.InvalidError, match=f"Expand-13: {message}"):
        lw.onnx.expand(np.zeros((2, 3)), shape)


def test_the_shape_is_a_list():
    with pytest.raises(lw.InvalidError, match="Expand-13: shape has rank 0; ONNX opset 13 allows 1"):
        lw.onnx.expand(np.zeros(1), np.array(3))


def test_a_graph_with_expanded_and_reshaped_views():
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int16", (2, 1))
    wide = graph.node("Expand", x, shape=[2, 3])
    flat = graph.node("Reshape", wide, shape=[-1])
    graph.output("wide", wide)
    graph.output("sum", graph.node("Add", flat, graph.constant(np.arange(6, dtype=np.int16))))
    outputs = graph.model().run(np.array([[10], [20]], np.int16)).outputs
    np.testing.assert_array_equal(outputs["wide"], [[10, 10, 10], [20, 20, 20]])
    np.testing.assert_array_equal(outputs["sum"], [10, 11, 12, 23, 24, 25])


def test_a_shape_may_not_take_all_memory():
    graph = lw.Builder(onnx=28)
    graph.output("y", graph.node("Expand", graph.input("x", "int8", (1,)), shape=[2**20, 2**20]))
    with pytest.raises(lw.InvalidError, match=r"the run needs 1,099,511,627,.* bytes of tensors; the limit is"):
        graph.model().run(np.zeros(1, np.int8))
