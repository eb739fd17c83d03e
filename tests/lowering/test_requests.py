"""`lower` and `simplify` as a user calls them: what is refused, and what the message says."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.lowering.rule import Refused


def added(x, y, operator="Add", **keywords):
    graph = lw.Builder(onnx=28, name="g")
    a, b = graph.input("x", "uint8", x), graph.input("y", "uint8", y)
    graph.output("z", graph.node(operator, a, b, **keywords))
    return graph.model()


@pytest.mark.parametrize("version", ["0.23.0", "1.0", "1.1"])
def test_empty_tensors(version):
    """TOSA has none; the message names what the source's user knows."""
    shift = added((0, 3), (1, 3), "BitShift", direction="LEFT")
    reason = rf"TOSA {version} has no empty tensors, every dimension is at least 1"
    with pytest.raises(Refused, match=rf"^g, input 'x': is uint8\[0, 3\]; {reason}"):
        lw.lower(shift, to="tosa", version=version)
    assert lw.lower(shift, to="onnx", version=18).model.run(
        {"x": np.zeros((0, 3), np.uint8), "y": np.zeros((1, 3), np.uint8)}
    ).outputs["z"].shape == (0, 3)
    graph = lw.Builder(onnx=28, name="g")
    x = graph.input("x", "uint8", (1, 3))
    graph.output("z", graph.node("Add", x, graph.constant(np.zeros((0, 3), np.uint8), name="none")))
    with pytest.raises(Refused, match=rf"^g, node 0 \(Add\): its result 'tensor0': is uint8\[0, 3\]; {reason}"):
        lw.lower(graph.model(), to="tosa", version=version)
    graph = lw.Builder(onnx=28, name="g")
    graph.output("z", graph.constant(np.zeros((0, 3), np.uint8), name="none"))
    with pytest.raises(Refused, match=rf"constant 'none': is uint8\[0, 3\]; {reason}"):
        lw.lower(graph.model(), to="tosa", version=version)


def test_a_list_without_sizes_is_no_empty_tensor():
    """Reshape to rank 0 has a shape of no numbers."""
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "uint8", (1, 1))
    flat = graph.node("Reshape", x, graph.constant(np.zeros(0, np.int64)))
    graph.output("z", graph.node("Add", flat, flat))
    lowered = lw.lower(graph.model(), to="tosa").model
    assert lowered.run({"x": np.int8([[7]])}).outputs["z"].tolist() == 14


def test_open_sizes_are_named():
    message = (
        r"node 0 \(Add\): sizes are open in 'x' \(uint8\[n\]\) and 'y' \(uint8\[m\]\), so the shape of 'tensor0' is"
    )
    with pytest.raises(Refused, match=message) as caught:
        lw.lower(added(("n",), ("m",)), to="tosa")
    assert "give the shapes of the graph's inputs (shapes=, --shape)" in str(caught.value)
    assert "rank" not in str(caught.value)
    with pytest.raises(Refused, match=r"sizes are open in 'y' \(uint8\[m\]\), so"):
        lw.lower(added((2,), ("m",)), to="tosa")
    assert lw.lower(added(("n",), ("m",)), to="tosa", shapes={"x": (3,), "y": [np.int64(1)]}).report.exact


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"y": 3}, r"lower: shapes\['y'\] is 3; allowed: a list of sizes, such as \(2, 3\)"),
        ({"y": "3"}, r"lower: shapes\['y'\] is '3'; allowed: a list of sizes"),
        ({"y": (2.0,)}, r"lower: shapes\['y'\] is \(2.0,\); allowed: a list of sizes"),
        ({"y": (-1,)}, r"lower: shapes\['y'\] is \(-1,\); allowed: a list of sizes"),
        ({"y": (True,)}, r"lower: shapes\['y'\] is \(True,\); allowed: a list of sizes"),
        ({"y": (1 << 63,)}, r"lower: shapes\['y'\] is .*; allowed: a list of sizes"),
        ({3: (1,)}, r"lower: shapes has the name 3; allowed: names of inputs"),
        ([1], r"lower: shapes is \[1\]; allowed: a dict"),
        ([], r"lower: shapes is \[\]; allowed: a dict"),
    ],
)
def test_shapes_that_are_none(shapes, message):
    with pytest.raises(lw.InvalidError, match=message):
        lw.lower(added(("n",), ("m",)), to="tosa", shapes=shapes)


def test_what_is_no_graph():
    with pytest.raises(lw.InvalidError, match=r"lower: 'a.onnx' is no graph; allowed: what load"):
        lw.lower("a.onnx", to="tosa")
    with pytest.raises(lw.InvalidError, match=r"simplify: 'a.onnx' is no graph; allowed: what load"):
        lw.simplify("a.onnx")


@pytest.mark.parametrize("wide", ["pairs", "triples"])
def test_pairs_are_for_tosa(wide):
    with pytest.raises(lw.InvalidError, match=f"wide is '{wide}' and to is 'onnx'; wide='pairs' .--pairs. is for TOSA"):
        lw.lower(added((2,), (2,)), to="onnx", wide=wide)


def test_an_opset_in_digits_of_another_script():
    assert lw.lower(added((2,), (2,)), to="onnx", version="18").model.version == 18
    with pytest.raises(lw.LanewiseError, match="opset is '١٨'; allowed: whole numbers"):
        lw.lower(added((2,), (2,)), to="onnx", version="١٨")
