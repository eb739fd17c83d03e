"""Constant, ONNX: the tensor that an attribute gives."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import versions_of


@pytest.mark.parametrize("record", versions_of("onnx")["Constant"], ids=lambda record: record.label)
def test_every_type_of_every_version(record):
    for row in record.rows:
        value = np.array([[1, 0], [0, 1]], dtype_of(row.output))
        found = lw.onnx.constant(value=value, opset=record.release.since)
        assert found.dtype == value.dtype
        np.testing.assert_array_equal(found, value)


def test_the_result_is_a_copy():
    value = np.arange(4)
    found = lw.onnx.constant(value=value)
    assert not np.shares_memory(found, value)
    assert found.flags.writeable


def test_numbers_are_int64_and_float32():
    cases = [
        ({"value_int": -3}, np.array(-3, np.int64)),
        ({"value_ints": [1, 2**62]}, np.array([1, 2**62], np.int64)),
        ({"value_ints": []}, np.array([], np.int64)),
        ({"value_float": 0.1}, np.array(0.1, np.float32)),
        ({"value_floats": [1, 2.5]}, np.array([1, 2.5], np.float32)),
        ({"value_floats": []}, np.array([], np.float32)),
    ]
    for attributes, want in cases:
        for opset in (12, 13, 28):
            found = lw.onnx.constant(**attributes, opset=opset)
            assert (found.dtype, found.shape) == (want.dtype, want.shape), attributes
            np.testing.assert_array_equal(found, want)


def test_out_and_masks():
    value, out = np.array([1, 2], np.int8), np.empty(2, np.int8)
    assert lw.onnx.constant(value=value, out=out) is out
    np.testing.assert_array_equal(out, value)
    found, unpredictable = lw.onnx.constant(value=value, on_unpredictable="mask")
    np.testing.assert_array_equal(found, value)
    np.testing.assert_array_equal(unpredictable, [False, False])
    with pytest.raises(lw.InvalidError, match="Constant-25: out has dtype int8; the result is int16"):
        lw.onnx.constant(value=value.astype(np.int16), out=out)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "takes one of value, value_int, value_ints, value_float, value_floats; given: none"),
        ({"value_int": 1, "value_float": 1.0}, "takes one of .*; given: value_int, value_float"),
        ({"value": [1, 2]}, "value is .*: give an array, which has an element type"),
        ({"value": np.array([1j])}, "dtype complex128 is no element type of lanewise"),
        ({"value_int": 2**63}, "attribute value_int is 9223372036854775808; allowed: whole numbers"),
        ({"value_int": 1.5}, "attribute value_int is 1.5; allowed: whole numbers"),
        ({"value_ints": [2**64]}, "object values are no int64"),
        ({"value_float": 1e39}, "attribute value_float is 1e[+]39, which float32 does not reach"),
        ({"value_floats": ["a"]}, "attribute value_floats is 'a'; allowed: numbers"),
        ({"constant": 1}, "unknown attribute 'constant'; it has: value, "),
    ],
)
def test_refusals(attributes, message):
    with pytest.raises(lw.InvalidError, match=f"Constant-25: {message}"):
        lw.onnx.constant(**attributes)


@pytest.mark.parametrize(
    ("name", "what"),
    [("sparse_value", "sparse tensors"), ("value_string", "strings"), ("value_strings", "strings")],
)
def test_what_lanewise_has_not(name, what):
    with pytest.raises(lw.UnsupportedError, match=f"Constant-25: attribute {name} is given; lanewise has no {what}"):
        lw.onnx.constant(**{name: "x"})


def test_types_and_attributes_by_version():
    with pytest.raises(lw.InvalidError, match=r"Constant-1: no row for inputs \(\) -> int8"):
        lw.onnx.constant(value=np.array([1], np.int8), opset=8)
    with pytest.raises(lw.InvalidError, match=r"Constant-12: no row for inputs \(\) -> bfloat16"):
        lw.onnx.constant(value=np.array([1], ml_dtypes.bfloat16), opset=12)
    with pytest.raises(lw.InvalidError, match="Constant-1: attribute value is missing"):
        lw.onnx.constant(opset=1)
    with pytest.raises(lw.InvalidError, match="Constant-11: attribute value is missing"):
        lw.onnx.constant(opset=11)
    with pytest.raises(lw.InvalidError, match="Constant-11: unknown attribute 'value_int'; it has: value, "):
        lw.onnx.constant(value_int=1, opset=11)


def test_no_operands():
    with pytest.raises(lw.InvalidError, match="Constant-25: takes 0 operands"):
        lw.onnx.constant(np.array([1]))


def test_in_a_graph():
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int64", (2,))
    graph.output("y", graph.node("Add", x, graph.node("Constant", value_ints=[10, 20])))
    graph.output("c", graph.node("Constant", value=np.array([True])))
    outputs = graph.model().run(np.array([1, 2])).outputs
    np.testing.assert_array_equal(outputs["y"], [11, 22])
    np.testing.assert_array_equal(outputs["c"], [True])
    with pytest.raises(lw.UnsupportedError, match=r"graph, node 1 \(Constant\): Constant-25: attribute value_string"):
        graph.node("Constant", value_string="x")
