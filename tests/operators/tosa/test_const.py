"""CONST, TOSA 0.23.0: the array that is given, and nothing else."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw

VALUES = [
    np.array([[True, False]]),
    np.int8([-128, 127]),
    np.int16([-32768]),
    np.int32([[[5]]]),
    np.float16([1.5, -0.0]),
    np.array([2.5], ml_dtypes.bfloat16),
    np.float32(np.pi),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.dtype.name)
def test_gives_a_copy(value):
    found = lw.tosa.const(value=value)
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    assert found.tobytes() == value.tobytes()
    assert not np.shares_memory(found, value)


@pytest.mark.parametrize("value", [np.uint8([1]), np.int64([1]), np.float64([1]), [1, 2]], ids=repr)
def test_other_types_are_refused(value):
    with pytest.raises(lw.InvalidError, match=r"CONST: no row for inputs \(\) -> .* lists \(\) -> bool; \(\) -> int8"):
        lw.tosa.const(value=value)


def test_what_is_no_array_is_refused():
    with pytest.raises(lw.InvalidError, match="CONST: dtype object is no element type"):
        lw.tosa.const(value=None)
    with pytest.raises(lw.InvalidError, match="CONST: attribute value is missing"):
        lw.tosa.const()
    with pytest.raises(lw.InvalidError, match="CONST: takes 0 operands"):
        lw.tosa.const(np.int8([1]))


def test_a_dimension_of_zero_is_an_error():
    with pytest.raises(lw.InvalidError, match="TOSA needs every dimension to be at least 1"):
        lw.tosa.const(value=np.zeros((2, 0), np.int8))


def test_floats_need_a_main_profile():
    assert lw.tosa.const(value=np.int8([1]), profile="BI").tolist() == [1]
    with pytest.raises(lw.InvalidError, match="CONST: profile BI has no row"):
        lw.tosa.const(value=np.float32([1]), profile="BI")


def test_results_go_where_the_caller_wants_them():
    out = np.zeros(2, np.int8)
    assert lw.tosa.const(value=np.int8([3, 4]), out=out) is out
    assert out.tolist() == [3, 4]
    value, unpredictable = lw.tosa.const(value=np.int8([3, 4]), on_unpredictable="mask")
    assert (value.tolist(), unpredictable.tolist()) == ([3, 4], [False, False])


def test_a_graph_holds_its_value():
    value = np.int32([[1], [2]])
    graph = lw.Builder(tosa="0.23.0")
    x, two = graph.input("x", "int32", (2, 1)), graph.node("CONST", value=value)
    graph.output("y", graph.node("SUB", x, two))
    model = graph.model()
    value[...] = 0
    assert model.run(np.int32([[5], [5]])).outputs["y"].tolist() == [[4], [3]]
