"""Building graphs: what the builder takes, what it refuses, how it names."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest

import lanewise as lw


def says(call) -> str:
    with pytest.raises(lw.InvalidError) as caught:
        call()
    return str(caught.value)


@pytest.fixture
def graph() -> lw.Builder:
    return lw.Builder(onnx=28, name="g")


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((-5,), "g, input 'x': the shape has the dimension -5; allowed: sizes, names and None"),
        ((1.5,), "g, input 'x': the shape has the dimension 1.5; allowed: sizes, names and None"),
        ((True,), "g, input 'x': the shape has the dimension True; allowed: sizes, names and None"),
        (("",), "g, input 'x': the shape has the dimension ''; allowed: sizes, names and None"),
        ((1 << 63,), "g, input 'x': the shape has the dimension 9223372036854775808; allowed: sizes, names and None"),
        ("n", "g, input 'x': the shape is 'n'; it is a list of sizes, names and None"),
        (5, "g, input 'x': the shape is 5; it is a list of sizes, names and None"),
        (None, "g, input 'x': the shape is None; it is a list of sizes, names and None"),
    ],
)
def test_shapes(graph, shape, message):
    assert says(lambda: graph.input("x", "int8", shape)) == message
    assert graph.input("x", "int8", [2, np.int64(3), "n", None]).name == "x"


def test_names_are_strings(graph):
    message = "g: a tensor's name is 5; it is a string that is not empty"
    assert says(lambda: graph.input(5, "int8", ())) == message
    assert says(lambda: graph.constant(np.int8(1), name=5)) == message
    x = graph.input("x", "int8", ())
    assert says(lambda: graph.node("BitwiseNot", x, name=5)) == message
    assert says(lambda: graph.output("", x)) == "g: an output's name is ''; it is a string that is not empty"
    assert says(lambda: graph.output("z", "x")) == "g, output 'z': 'x' is no tensor of the graph"
    assert says(lambda: graph.input("x", "int8", ())) == "g: tensor 'x' is defined twice"


def test_automatic_names_go_round_those_that_are_taken(graph):
    graph.constant(np.int8(1), name="constant1")
    x = graph.input("tensor0", "int8", ())
    assert [graph.constant(np.int8(k)).name for k in range(3)] == ["constant0", "constant2", "constant3"]
    assert [graph.node("BitwiseNot", x).name for _ in range(2)] == ["tensor1", "tensor2"]


def test_a_refused_node_leaves_nothing_behind():
    graph = lw.Builder(tosa="0.23.0", name="g")
    x = graph.input("x", "int32", (1,))
    assert "unknown attribute 'nope'" in says(lambda: graph.node("MUL", x, x, shift=2, nope=1, name="y"))
    graph.output("z", graph.node("MUL", x, x, shift=2, name="y"))
    assert graph.model().run(np.array([4], np.int32)).outputs["z"].tolist() == [4]


def test_operands(graph):
    x = graph.input("x", "int8", ())
    assert says(lambda: graph.node("Add", x, x, x)) == "g, node 0 (Add): 3 operands; Add-14 takes A, B"
    assert says(lambda: graph.node("Max")).endswith("Max-13 needs at least one operand, and none may be None")
    assert says(lambda: graph.node("Add", x, 5)) == "g, node 0 (Add): 5 is no tensor of the graph; see constant()"
    mul = lw.Builder(tosa="0.23.0", name="m")
    y = mul.input("y", "int32", (1,))
    assert says(lambda: mul.node("MUL", y, y, shift=[1, 2])).endswith("tensor0.shift has shape [2]; it is one number")


def test_constants_are_not_cast(graph):
    assert "holds values that are no bool" in says(lambda: graph.constant([0, 2], "bool"))
    assert "float64 values are no bool" in says(lambda: graph.constant(0.5, "bool"))
    assert "holds 16777217, which does not fit float32" in says(lambda: graph.constant([1, 2**24 + 1], "float32"))
    assert "holds 1e+300, which does not fit float32" in says(lambda: graph.constant([1.0, 1e300], "float32"))
    assert "does not fit float64" in says(lambda: graph.constant([2**63 - 1], "float64"))
    assert "does not fit float64" in says(lambda: graph.constant(np.array([2**64 - 1], np.uint64), "float64"))
    assert "does not fit float16" in says(lambda: graph.constant([70000], "float16"))
    for value, sort in (([0, 1], "bool"), ([True], "bool"), ([0.1, np.inf], "float32"), ([2**63], "float64")):
        graph.constant(value, sort)


def test_tosa_has_no_empty_tensors():
    message = r"tensor 'x' is int32\[0\]; TOSA needs every dimension to be at least 1"
    graph = lw.Builder(tosa="0.23.0", name="g")
    graph.output("z", graph.input("x", "int32", (0,)))
    with pytest.raises(lw.InvalidError, match=message):
        graph.model()
    graph = lw.Builder(tosa="0.23.0", name="g")
    graph.output("z", graph.constant(np.zeros(0, np.int32), name="x"))
    with pytest.raises(lw.InvalidError, match=message):
        graph.model()
    graph = lw.Builder(tosa="1.0", name="g")  # the list of no sizes is a shape
    graph.output("z", graph.node("RESHAPE", graph.input("x", "int32", (1, 1)), shape=()))
    assert graph.model().run(np.array([[7]], np.int32)).outputs["z"].shape == ()


def test_long_graphs_are_built_in_linear_time(graph):
    started = time.process_time()
    x = graph.input("x", "int8", ())
    for _ in range(5000):
        x = graph.node("BitwiseNot", x)
        graph.constant(np.int8(1))
    assert time.process_time() - started < 5


def test_models_pickle(graph):
    x = graph.input("x", "int32", ("n",))
    graph.output("z", graph.node("Add", x, graph.constant(np.int32(3))))
    model = graph.model()
    again = pickle.loads(pickle.dumps(model))
    assert str(again) == str(model)
    assert again.nodes[0].operator is model.nodes[0].operator
    assert again.run(np.array([1, 2], np.int32)).outputs["z"].tolist() == [4, 5]
    tosa = lw.Builder(tosa="1.0", name="t")
    y = tosa.input("y", "int32", (1,))
    tosa.output("z", tosa.node("MUL", y, y, shift=0))
    again = pickle.loads(pickle.dumps(tosa.model()))
    assert again.nodes[0].operator.release.since == "1.0"
    assert again.run(np.array([3], np.int32)).outputs["z"].tolist() == [9]


def test_wrong_paths(graph, tmp_path):
    graph.output("z", graph.input("x", "int32", ()))
    model = graph.model()
    with open(__file__) as file:
        for value in (None, 3, file):
            assert "load: " in says(lambda value=value: lw.load(value))
    assert says(lambda: lw.load("a\0b")) == "load: the path 'a\\x00b' holds a zero byte"
    assert says(lambda: model.save(None)) == "save: None is no path; give a string or a pathlib.Path"
    assert says(lambda: model.save("a\0.onnx")) == "save: the path 'a\\x00.onnx' holds a zero byte"
