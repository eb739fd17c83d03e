"""Simplified graphs: fewer nodes, the same runs."""

from __future__ import annotations

import numpy as np
import pytest

from lanewise import Builder
from lanewise.engines.exact_kernel import patterns
from lanewise.graph.model import Model
from lanewise.graph.run import Status
from lanewise.lowering.lower import lower_graph
from lanewise.lowering.onnx_to_tosa import OnnxToTosa
from lanewise.lowering.simplify import simplify
from tests.graph.random_graphs import Generator


def operators(model: Model) -> list[str]:
    return [node.operator.name for node in model.nodes]


def same_runs(model: Model, inputs: dict) -> tuple[Model, Status]:
    """The simplified graph, after a run of both: results, masks and status are the same."""
    shorter = simplify(model)
    assert shorter.inputs == model.inputs and list(shorter.outputs) == list(model.outputs)
    before = model.run(inputs, on_unpredictable="mask", engine="exact")
    after = shorter.run(inputs, on_unpredictable="mask", engine="exact")
    assert before.status is after.status
    for name, want in before.outputs.items():
        sort = model.types[model.outputs[name].tensor].sort
        got = after.outputs[name]
        assert got.shape == want.shape and got.dtype == want.dtype
        assert patterns(got.ravel(), sort) == patterns(want.ravel(), sort)
        np.testing.assert_array_equal(after.unpredictable[name], before.unpredictable[name])
    return shorter, after.status


RANDOM = [("onnx", 28), ("onnx", 18), ("tosa", "0.23.0"), ("tosa", "1.0"), ("tosa", "1.1")]


@pytest.mark.parametrize(("specification", "version"), RANDOM)
def test_random_graphs(specification: str, version: int | str):
    seen, nodes, left = set(), 0, 0
    for seed in range(40):
        for calm in (True, False):
            model, inputs = Generator(specification, seed + 500, version, calm=calm).model(6)
            shorter, status = same_runs(model, inputs)
            seen.add(status)
            nodes, left = nodes + len(model.nodes), left + len(shorter.nodes)
    assert left < nodes / 1.5
    assert specification == "onnx" or seen == {Status.VALID, Status.UNPREDICTABLE}


def test_constants_are_computed_and_no_ops_left_out():
    graph = Builder(tosa="1.0")
    x = graph.input("x", "int32", (2, 3))
    ten = graph.node("MUL", graph.constant([[5]], "int32"), graph.constant([[2]], "int32"))
    none = graph.node("SUB", ten, graph.constant([[10]], "int32"))
    sum_ = graph.node("ADD", graph.node("IDENTITY", x), none)  # + 0, which never overflows
    turned = graph.node("BITWISE_NOT", graph.node("BITWISE_NOT", graph.node("RESHAPE", sum_, shape=(2, 3))))
    masked = graph.node("BITWISE_AND", turned, turned)
    graph.output("z", masked)
    graph.output("t", graph.node("RESHAPE", ten, shape=(1,)))
    shorter, status = same_runs(graph.model(), {"x": np.array([[1, 2, 3], [-4, 2147483647, -(1 << 31)]], np.int32)})
    assert status is Status.VALID and operators(shorter) == [] and shorter.outputs["z"].tensor == "x"
    assert shorter.constants[shorter.outputs["t"].tensor].array.tolist() == [10]


def test_folding_stops_where_an_element_is_unpredictable():
    """The node stays as it is, so that every run still says so; what uses it is not computed either."""
    graph = Builder(tosa="1.0")
    x = graph.input("x", "int32", (1,))
    broken = graph.node("ADD", graph.constant([2147483647], "int32"), graph.constant([1], "int32"))
    graph.output("z", graph.node("BITWISE_XOR", graph.node("BITWISE_AND", broken, broken), x))
    model = graph.model()
    shorter, status = same_runs(model, {"x": np.array([7], np.int32)})
    assert status is Status.UNPREDICTABLE and operators(shorter) == ["ADD", "BITWISE_XOR"]
    assert shorter.run(np.array([7], np.int32)).violations[0].requirement == "input1 + input2 fits int32"


def test_nodes_without_use_go_only_if_they_cannot_fail():
    graph = Builder(tosa="1.0")
    x, y = graph.input("x", "int8", (2,)), graph.input("y", "int8", (2,))
    graph.node("BITWISE_OR", x, y)
    graph.node("LOGICAL_LEFT_SHIFT", x, graph.constant([3], "int8"))  # a count that is known to be legal
    graph.node(
        "LOGICAL_LEFT_SHIFT", x, graph.node("BITWISE_AND", y, graph.constant([7], "int8"))
    )  # and one that is cut
    graph.node("LOGICAL_LEFT_SHIFT", x, y)
    graph.output("z", graph.node("BITWISE_AND", x, y))
    shorter, status = same_runs(graph.model(), {"x": np.array([1, 2], np.int8), "y": np.array([9, 1], np.int8)})
    assert status is Status.UNPREDICTABLE and operators(shorter) == ["LOGICAL_LEFT_SHIFT", "BITWISE_AND"]


def test_equal_nodes_become_one():
    graph = Builder(onnx=28)
    x, y = graph.input("x", "uint8", (2,)), graph.input("y", "uint8", (2,))
    one, two = graph.node("BitShift", x, y, direction="LEFT"), graph.node("BitShift", x, y, direction="LEFT")
    other = graph.node("BitShift", x, y, direction="RIGHT")
    graph.output(
        "z", graph.node("BitwiseXor", graph.node("BitwiseOr", one, other), graph.node("BitwiseOr", two, other))
    )
    graph.output("both", graph.node("BitwiseOr", one, two))
    shorter, _ = same_runs(graph.model(), {"x": np.array([200, 3], np.uint8), "y": np.array([1, 9], np.uint8)})
    assert operators(shorter) == ["BitShift"]  # the exclusive or of equals is 0, the or of equals is one of them
    assert shorter.constants[shorter.outputs["z"].tensor].array.tolist() == [0, 0]


def test_an_operand_that_could_be_unpredictable_is_not_forgotten():
    """x ^ x is 0, but not where x has no value: the mask of the result would be lost."""
    graph = Builder(tosa="1.0")
    x = graph.input("x", "int32", (2,))
    sum_ = graph.node("ADD", x, graph.constant([1], "int32"))
    graph.output("z", graph.node("BITWISE_XOR", sum_, sum_))
    model = graph.model()
    shorter, status = same_runs(model, {"x": np.array([2147483647, 5], np.int32)})
    assert status is Status.UNPREDICTABLE and operators(shorter) == ["ADD", "BITWISE_XOR"]


def test_open_sizes_are_left_to_the_run():
    graph = Builder(onnx=28)
    x, y = graph.input("x", "int32", ("n",)), graph.input("y", "int32", ("m",))
    graph.node("Add", x, y)  # an error where n and m do not fit
    graph.output("z", graph.node("Identity", x))
    model = graph.model()
    shorter = simplify(model)
    for sizes in ((3, 3), (3, 2)):
        inputs = {name: np.ones(size, np.int32) for name, size in zip("xy", sizes, strict=True)}
        want = model.run(inputs, on_error="status").status
        assert shorter.run(inputs, on_error="status").status is want
    assert want is Status.ERROR


def test_a_broadcast_is_no_copy():
    """x | 0 in the shape of the zeros is another tensor than x."""
    graph = Builder(tosa="1.0")
    x = graph.input("x", "int8", (1, 3))
    graph.output("z", graph.node("BITWISE_OR", x, graph.constant(np.zeros((2, 3), np.int8), "int8")))
    graph.output("y", graph.node("BITWISE_OR", x, graph.constant(np.zeros((1, 1), np.int8), "int8")))
    shorter, _ = same_runs(graph.model(), {"x": np.array([[1, 2, 3]], np.int8)})
    assert operators(shorter) == ["BITWISE_OR"] and shorter.outputs["y"].tensor == "x"


def test_large_results_are_not_made_constants():
    graph = Builder(tosa="1.0")
    long, high = np.zeros((1, 2000), np.int8), np.zeros((2000, 1), np.int8)
    graph.output("z", graph.node("BITWISE_OR", graph.constant(long, "int8"), graph.constant(high, "int8")))
    assert operators(simplify(graph.model())) == ["BITWISE_OR"]


def test_types_without_constants_are_not_made_constants():
    """TOSA 0.23.0 has no CONST of uint8, so a graph with one would be no graph of that release."""
    graph = Builder(tosa="0.23.0")
    given = graph.constant([[5, 7]], "int8")
    made = graph.node("RESCALE", given, multiplier=[1 << 30], shift=[30], output_type="uint8")
    graph.output("z", made)
    assert operators(same_runs(graph.model(), {})[0]) == ["RESCALE"]


def test_lowered_graphs_run_as_before():
    graph = Builder(onnx=28)
    x, y = graph.input("x", "int32", (3,)), graph.input("y", "int32", (3,))
    graph.output("z", graph.node("BitShift", graph.node("Add", x, y), y, direction="RIGHT"))
    model = lower_graph(graph.model(), OnnxToTosa("1.0")).model
    inputs = {"x": np.array([2147483647, -9, 5], np.int32), "y": np.array([1, 40, -1], np.int32)}
    assert same_runs(model, inputs)[1] is Status.VALID
