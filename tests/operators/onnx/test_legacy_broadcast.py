"""Broadcasting before opset 7: B is one element, or a part of A's shape at an axis, and only if asked for."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw

A = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)


@pytest.mark.parametrize(
    ("shape", "axis", "aligned"),
    [
        ((), None, ()),
        ((1, 1), None, (1, 1)),
        ((1,), 2, (1,)),
        ((5,), None, (5,)),
        ((4, 5), None, (4, 5)),
        ((3, 4), 1, (3, 4, 1)),
        ((2,), 0, (2, 1, 1, 1)),
        ((4,), 2, (4, 1)),
        ((2, 3, 4, 5), None, (2, 3, 4, 5)),
        ((2, 3, 4, 5), 0, (2, 3, 4, 5)),
    ],
)
def test_shapes_that_fit(shape, axis, aligned):
    b = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) + 1
    attributes = {} if axis is None else {"axis": axis}
    for opset in (1, 6):
        found = lw.onnx.sub(A, b, broadcast=1, **attributes, opset=opset)
        np.testing.assert_array_equal(found, A - b.reshape(aligned))


@pytest.mark.parametrize(
    ("shape", "axis", "message"),
    [
        ((4,), None, r"A has shape \[2, 3, 4, 5\] and B has shape \[4\]: axis 3 has 5 and 4; B is one element"),
        ((4, 1), None, "axis 3 has 5 and 1; B is one element or a part of A's shape"),
        ((3, 4), 0, "axis 0 has 2 and 3; B is one element or a part of A's shape"),
        ((4, 5), 3, r"A has shape \[2, 3, 4, 5\] and B has shape \[4, 5\]: B does not fit into A at axis 3"),
        ((1, 2, 3, 4, 5), None, "B does not fit into A at axis -1"),
    ],
)
def test_shapes_that_do_not_fit(shape, axis, message):
    b = np.zeros(shape, np.float32)
    attributes = {} if axis is None else {"axis": axis}
    with pytest.raises(lw.InvalidError, match=f"Sub-6: .*{message}"):
        lw.onnx.sub(A, b, broadcast=1, **attributes, opset=6)


def test_without_the_attribute_shapes_are_equal():
    for b in (A[0], np.float32(1)):
        with pytest.raises(lw.InvalidError, match="this operator needs equal shapes"):
            lw.onnx.sub(A, b, axis=0, opset=6)
    np.testing.assert_array_equal(lw.onnx.sub(A, A, axis=3, opset=6), np.zeros_like(A))


def test_axes_are_counted_from_the_front():
    with pytest.raises(lw.InvalidError, match="Sub-6: attribute axis is -1; allowed: whole numbers from 0 to 63"):
        lw.onnx.sub(A, A, broadcast=1, axis=-1, opset=6)


def test_in_a_graph():
    graph = lw.Builder(onnx=6)
    a, b = graph.input("a", "float32", (2, 3, 4, 5)), graph.input("b", "float32", (3,))
    graph.output("c", graph.node("Mul", graph.node("Add", a, b, broadcast=1, axis=1), b, broadcast=1, axis=1))
    b = np.array([1, 2, 3], np.float32)
    found = graph.model().run(A, b).outputs["c"]
    np.testing.assert_array_equal(found, (A + b[:, None, None]) * b[:, None, None])
