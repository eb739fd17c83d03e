"""A lowered graph's tensors have the names of the source's, so that both can be looked at side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import lanewise as lw


def average(sort: str = "int32") -> lw.Model:
    graph = lw.Builder(onnx=28)
    x, y = graph.input("x", sort, (2, 3)), graph.input("y", sort, (2, 3))
    change = graph.node("Sub", x, y, name="change")
    step = graph.node(
        "BitShift", change, graph.constant(np.array(3, sort), name="three"), direction="RIGHT", name="step"
    )
    graph.output("z", graph.node("Add", y, step, name="z"))
    return graph.model()


def results(model: lw.Model) -> list[str]:
    return [node.output for node in model.nodes]


def test_results_keep_their_names():
    lowered = lw.lower(average(), to="tosa", version="1.0").model
    assert [name for name in results(lowered) if not name.startswith("tensor")] == ["change", "step", "z"]
    assert lowered.outputs["z"].tensor == "z"
    older = lw.lower(average(), to="onnx", version=13).model
    assert [name for name in results(older) if not name.startswith("tensor")] == ["change", "step", "z"]


def test_names_pass_through_files(tmp_path: Path):
    lowered = lw.lower(average(), to="tosa", version="1.0").model
    lowered.save(tmp_path / "z.tosa")
    assert {"change", "step", "z"} < set(results(lw.load(tmp_path / "z.tosa")))
    x, y = np.arange(6, dtype=np.int32).reshape(2, 3) - 3, np.full((2, 3), 1, np.int32)
    want = average().run({"x": x, "y": y}).outputs["z"]
    assert (lw.load(tmp_path / "z.tosa").run({"x": x, "y": y}).outputs["z"] == want).all()


def test_words_in_two_tensors_have_two_names():
    lowered = lw.lower(average("int64"), to="tosa", version="1.0", wide="pairs").model
    assert {"change.high", "change.low", "step.high", "step.low"} < set(results(lowered))


def test_names_that_a_lowering_gives_make_room():
    """The source's `tensor0` is the lowered graph's last result; its own `tensor0` gets another name."""
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", (2,))
    graph.output("z", graph.node("Add", x, x))  # tensor0
    lowered = lw.lower(graph.model(), to="tosa", version="1.0").model
    assert results(lowered)[0] == "tensor0.2"
    assert results(lowered)[-1] == "tensor0"
    assert lowered.run(np.int32([2**31 - 1, -5])).outputs["z"].tolist() == [-2, -10]


def test_a_result_that_only_moves_has_the_name_of_what_it_is():
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", (2,))
    same = graph.node("Identity", graph.node("Neg", x, name="first"), name="second")
    graph.output("z", graph.node("Identity", graph.node("Identity", x, name="third"), name="fourth"))
    graph.output("w", same)
    lowered = lw.lower(graph.model(), to="tosa", version="1.0").model
    assert results(lowered)[-1] == "first"
    assert lowered.outputs["w"].tensor == "first" and lowered.outputs["z"].tensor == "x"
