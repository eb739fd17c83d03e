"""ONNX's own node tests, as the onnx package makes them, driven through the backend interface."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.onnx_backend import LanewiseBackend
from lanewise.operators.catalogue import versions_of

# What a test may be left out for: element types (and one kind of value) that lanewise does not have.
ABSENT = ("float8", "float4", "int4", "uint4", "int2", "uint2", "string", "sequence", "optional", "complex")


@cache
def node_tests() -> dict[str, Any]:
    """Node tests whose graphs use operators of lanewise only."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = load_model_tests(kind="node")
    ours = set(versions_of("onnx"))
    return {
        test.name: test
        for test in found
        if test.model is not None and {n.op_type for n in test.model.graph.node} <= ours
    }


def data_sets(test: Any) -> list[tuple[list[np.ndarray], list[np.ndarray]]]:
    """Inputs and outputs as arrays, whatever the package keeps them in."""
    from onnx import TensorProto, numpy_helper

    def arrays(values: Any) -> list[np.ndarray]:
        return [numpy_helper.to_array(v) if isinstance(v, TensorProto) else np.asarray(v) for v in values]

    return [(arrays(inputs), arrays(outputs)) for inputs, outputs in test.data_sets]


def test_there_are_as_many_as_expected():
    tests = node_tests()
    assert sum(name.startswith("test_bitshift") for name in tests) == 28
    loaded = 0
    for name, test in tests.items():
        try:
            LanewiseBackend.prepare(test.model)
        except lw.UnsupportedError as error:
            # ... and powers whose operands are of two types, one of them a float (O16).
            assert any(kind in str(error) for kind in ABSENT) or "Pow-15: lanewise has no row" in str(error), name
        else:
            loaded += 1
    assert loaded >= 270


@pytest.mark.parametrize("share", range(8))
def test_results(share: int):
    """Bit for bit, powers within a unit in the last place; a node test's own tolerance is not used."""
    run = 0
    for name, test in list(node_tests().items())[share::8]:
        try:
            prepared = LanewiseBackend.prepare(test.model)
        except lw.UnsupportedError:
            continue  # counted above
        for inputs, outputs in data_sets(test):
            found = prepared.run(inputs)
            assert len(found) == len(outputs)
            for got, want in zip(found, outputs, strict=True):
                assert got.dtype == want.dtype, name
                assert got.shape == want.shape, name
                if got.dtype.name == "bfloat16":  # NumPy's comparison does not know its NaNs
                    got, want = got.astype(np.float32), want.astype(np.float32)
                if name.startswith("test_pow") and got.dtype.kind == "f":
                    np.testing.assert_array_max_ulp(got, want, 1)
                else:
                    np.testing.assert_array_equal(got, want, err_msg=name)
            run += 1
    assert run > 20


def test_backend_interface():
    assert LanewiseBackend.supports_device("CPU")
    assert not LanewiseBackend.supports_device("CUDA")
    test = node_tests()["test_bitshift_left_uint8"]
    (inputs, outputs), *_ = data_sets(test)
    assert LanewiseBackend.run_model(test.model, inputs)[0].tolist() == outputs[0].tolist()
    named = dict(zip(("x", "y"), inputs, strict=True))
    assert LanewiseBackend.prepare(test.model).run(named)[0].tolist() == outputs[0].tolist()
