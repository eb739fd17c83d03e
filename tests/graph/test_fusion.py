"""Fused graphs against the oracle, which runs node by node: outputs, masks and violations."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from tests.graph.random_graphs import Generator

GRAPHS = 150


def without_nan_sign(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}") if array.dtype.kind in "fV" or array.dtype.name == "bfloat16" else array


def close(name: str, found: np.ndarray, want: np.ndarray) -> None:
    assert found.dtype == want.dtype
    assert found.shape == want.shape, name
    np.testing.assert_array_equal(without_nan_sign(found), without_nan_sign(want), err_msg=name)


def has_power(model: lw.Model) -> bool:
    return any(node.operator.name == "POW" for node in model.nodes)


@pytest.mark.parametrize("seed", range(GRAPHS))
@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_fused_equals_node_by_node(specification: str, seed: int):
    model, inputs = Generator(specification, seed).model(nodes=1 + seed % 12)
    fused = model.run(inputs, on_unpredictable="mask")
    plain = model.run(inputs, on_unpredictable="mask", engine="exact")
    assert fused.status is plain.status, str(model)
    for name in model.outputs:
        np.testing.assert_array_equal(fused.unpredictable[name], plain.unpredictable[name], err_msg=f"{model}\n{name}")
        if not has_power(model):  # within one ulp only; what later nodes make of that is their own affair
            close(f"{model}\n{name}", fused.outputs[name], plain.outputs[name])

    def key(outcome: lw.Outcome) -> set[tuple]:
        return {(v.node, v.operator, v.requirement, v.count, v.index) for v in outcome.violations}

    if not has_power(model):
        assert key(fused) == key(plain), str(model)
    assert bool(fused.violations) == (fused.status is lw.Status.UNPREDICTABLE)
    again = model.run(inputs)
    for name in model.outputs:
        close(name, again.outputs[name], fused.outputs[name])


def test_outputs_are_the_callers_own():
    """Writable, no view of an input, of a constant or of each other."""
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", (3,))
    total = graph.node("Add", x, graph.constant(np.int32(1)))
    for name, tensor in (
        ("same", x),
        ("sum", total),
        ("again", total),
        ("fixed", graph.constant(np.arange(3, dtype=np.int32))),
    ):
        graph.output(name, tensor)
    grown = graph.node("Expand", x, graph.constant(np.array([2, 3], np.int64)))
    graph.output("grown", grown)
    model, x_value = graph.model(), np.array([1, 2, 3], np.int32)
    first = model.run(x_value).outputs
    for array in first.values():
        assert array.flags.writeable
        array[...] = 77
    assert x_value.tolist() == [1, 2, 3]
    second = model.run(x_value).outputs
    assert {name: array.tolist() for name, array in second.items()} == {
        "same": [1, 2, 3],
        "sum": [2, 3, 4],
        "again": [2, 3, 4],
        "fixed": [0, 1, 2],
        "grown": [[1, 2, 3], [1, 2, 3]],
    }
