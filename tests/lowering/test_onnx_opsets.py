"""ONNX to older opsets: every form is proven, and BitShift-28 equals lanewise's in ONNX Runtime."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import onnxruntime
import pytest

import lanewise as lw
from lanewise.graph.model import Output
from lanewise.language.sorts import INTEGERS
from lanewise.lowering.lower import lower_graph
from lanewise.lowering.onnx_opsets import OnnxToOnnx
from lanewise.lowering.rule import Refused, Source
from lanewise.operators.catalogue import find
from lanewise.proof.prove import prove_functions
from tests.operators.battery import interesting, random_patterns

onnxruntime.set_default_logger_severity(4)
TYPES = [sort.name for sort in INTEGERS]
DIRECTIONS = ("LEFT", "RIGHT")


def shift_model(sort, direction, count=None, opset=28):
    graph = lw.Builder(onnx=opset, name="shift")
    x = graph.input("x", sort, ("n",))
    y = graph.input("y", sort, ("n",)) if count is None else graph.constant(np.array(count, sort))
    graph.output("z", graph.node("BitShift", x, y, direction=direction))
    return graph.model()


def run_in_onnx_runtime(model, path, feeds):
    """The saved file in ONNX Runtime."""
    model.save(path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds), strict=True))


def elements(sort):
    """Every boundary number with every count of interest, and random ones; as unsigned patterns read in the type."""
    generator = np.random.default_rng(5)
    unsigned = np.dtype(f"u{np.dtype(sort.name).itemsize}")
    pairs = list(product(interesting(sort), interesting(sort)))
    columns = [[*column] for column in zip(*pairs, strict=True)]
    return [np.array(column + random_patterns(sort, 1000, generator), unsigned).view(sort.name) for column in columns]


@pytest.mark.parametrize("opset", [11, 13, 17, 18, 21])
@pytest.mark.parametrize("sort", INTEGERS, ids=str)
def test_shifts_in_onnx_runtime(sort, opset, tmp_path):
    x, y = elements(sort)
    for direction in DIRECTIONS:
        model = shift_model(sort.name, direction)
        lowered = lower_graph(model, OnnxToOnnx(opset))
        assert lowered.report.exact and lowered.model.version == opset
        want = model.run({"x": x, "y": y}).outputs["z"]
        np.testing.assert_array_equal(lowered.model.run({"x": x, "y": y}).outputs["z"], want)
        found = run_in_onnx_runtime(lowered.model, tmp_path / "x.onnx", {"x": x, "y": y})["z"]
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(("sort", "direction"), list(product(TYPES, DIRECTIONS)))
def test_counts_that_the_graph_fixes(sort, direction, tmp_path):
    """Inside the width they are not normalised; outside they are."""
    width = np.dtype(sort).itemsize * 8
    info = np.iinfo(sort)
    x = np.array([0, 1, 2, 3, 5, 100, info.max, info.max - 1, info.min, info.min + 1], sort)
    for count in (0, 1, width - 1, width, width + 3, -1):
        if not info.min <= count <= info.max:
            continue
        model = shift_model(sort, direction, count)
        lowered = lower_graph(model, OnnxToOnnx(11))
        inside = 0 <= count < width
        assert ("And" in lowered.report.steps[0].operators) != inside
        if inside and sort.startswith("u"):
            assert lowered.report.steps[0].operators == ("BitShift",)
        want = model.run({"x": x}).outputs["z"]
        np.testing.assert_array_equal(run_in_onnx_runtime(lowered.model, tmp_path / "x.onnx", {"x": x})["z"], want)


@pytest.mark.parametrize("opset", [11, 12, 13, 18, 27, 28])
def test_every_form_is_proven(opset):
    direction = OnnxToOnnx(opset)
    shifts = set()
    for source in direction.instances():
        verdict = prove_functions(source.function(), direction.lowered(source))
        assert verdict.status == "proven", (source.label, str(verdict))
        if source.operator.label == "BitShift-28":
            shifts.add((source.sort, source.attributes["direction"], source.premise is not None))
    assert len(shifts) == (32 if opset < 28 else 16)


def test_a_wrong_form_is_refuted():
    """Without the mirror a negative number gets zeros where its sign should come in."""
    record = find("onnx", "BitShift", 28)
    direction = OnnxToOnnx(11)
    for sort in INTEGERS[:4]:
        right, unsigned = (
            Source(record, (s, s), s, {"direction": "RIGHT"}) for s in (sort, INTEGERS[INTEGERS.index(sort) + 4])
        )
        logical = direction.lowered(unsigned)
        shifted = type(logical)((sort, sort), (sort,), logical.results, logical.requirements)
        verdict = prove_functions(right.function(), shifted)
        assert verdict.status == "refuted", str(verdict)


def test_the_old_record_passes_as_it_is():
    model = shift_model("uint8", "LEFT", opset=11)
    assert lower_graph(model, OnnxToOnnx(13)).report.steps[0].operators == ("BitShift",)
    assert lower_graph(model, OnnxToOnnx(28)).report.steps[0].operators == ("BitShift",)


def test_counts_are_inside_the_width_when_the_unsigned_shift_sees_them():
    """Opset 11 says nothing about larger ones."""
    graph = lower_graph(shift_model("int16", "RIGHT"), OnnxToOnnx(11)).model
    (shift,) = [node for node in graph.nodes if node.operator.name == "BitShift"]
    assert graph.types[shift.inputs[1]].sort.name == "uint32"
    counts = replace(graph, outputs={"n": Output(shift.inputs[1])}).check()
    y = np.arange(-(2**15), 2**15).astype(np.int16)
    found = counts.run({"x": y, "y": y}).outputs["n"]
    np.testing.assert_array_equal(found, np.where((y >= 0) & (y < 16), y, 31))


@pytest.mark.parametrize("opset", [11, 12, 13, 17, 21])
def test_a_graph_with_shapes_and_bounds_runs_in_onnx_runtime(opset, tmp_path):
    graph = lw.Builder(onnx=28, name="mixed")
    x = graph.input("x", "float32", ("n", 3))
    low, high = graph.constant(np.float32(-2)), graph.constant(np.float32(2.5))
    clipped = graph.node("Clip", x, low, high)
    wide = graph.node("Unsqueeze", clipped, graph.constant(np.array([-1, 0])))
    back = graph.node("Squeeze", wide, graph.constant(np.array([0])))
    flat = graph.node("Reshape", back, graph.constant(np.array([0, 3])))
    graph.output("y", graph.node("Where", graph.node("Less", flat, graph.node("Neg", flat)), flat, high))
    graph.output("only_low", graph.node("Clip", x, low, None))
    model = graph.model()
    lowered = lower_graph(model, OnnxToOnnx(opset))
    names = [node.operator.name for node in lowered.model.nodes]
    assert "Unsqueeze" in names and "Squeeze" in names and "Reshape" in names
    axes = next(node for node in lowered.model.nodes if node.operator.name == "Unsqueeze")
    assert len(axes.inputs) == (1 if opset < 13 else 2)
    feeds = {"x": np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32) * 3}
    found = run_in_onnx_runtime(lowered.model, tmp_path / "x.onnx", feeds)
    for name, want in model.run(feeds).outputs.items():
        np.testing.assert_array_equal(found[name], want)


def test_old_spellings_become_new_ones():
    graph = lw.Builder(onnx=6, name="old")
    x, row = graph.input("x", "float32", (2, 3)), graph.input("row", "float32", (2,))
    total = graph.node("Add", x, row, broadcast=1, axis=0)
    graph.output("y", graph.node("Clip", total, min=-1.0, max=1.5))
    model = graph.model()
    lowered = lower_graph(model, OnnxToOnnx(13))
    assert [node.operator.label for node in lowered.model.nodes] == ["Reshape-13", "Add-13", "Clip-13"]
    feeds = {"x": np.array([[0, 1, -4], [2, 3, 0.25]], np.float32), "row": np.array([1, -1], np.float32)}
    np.testing.assert_array_equal(lowered.model.run(feeds).outputs["y"], model.run(feeds).outputs["y"])


def test_an_axis_with_open_sizes_is_refused():
    graph = lw.Builder(onnx=6, name="old")
    x, row = graph.input("x", "float32", ("n", 3)), graph.input("row", "float32", ("n",))
    graph.output("y", graph.node("Add", x, row, broadcast=1, axis=0))
    model = graph.model()
    with pytest.raises(Refused, match=r"old, node 0 \(Add\): axis places an operand of open sizes; give the shapes"):
        lower_graph(model, OnnxToOnnx(13))
    lowered = lower_graph(model, OnnxToOnnx(13), {"x": (2, 3), "row": (2,)})
    feeds = {"x": np.ones((2, 3), np.float32), "row": np.array([1, 2], np.float32)}
    np.testing.assert_array_equal(lowered.model.run(feeds).outputs["y"], [[2, 2, 2], [3, 3, 3]])


@pytest.mark.parametrize(
    ("operator", "sort", "keywords", "opset", "since"),
    [
        ("BitwiseAnd", "int8", {}, 17, 18),
        ("Sub", "int8", {}, 13, 14),
        ("Max", "int32", {}, 11, 12),
        ("Mod", "float32", {}, 27, 28),
        ("GreaterOrEqual", "int32", {}, 11, 12),
        ("Mul", "bfloat16", {}, 12, 13),
    ],
)
def test_what_the_opset_lacks_is_refused_with_the_opset_that_has_it(operator, sort, keywords, opset, since):
    graph = lw.Builder(onnx=28, name="new")
    x, y = graph.input("x", sort, (2,)), graph.input("y", sort, (2,))
    graph.output("z", graph.node(operator, x, y, **keywords))
    model = graph.model()
    message = rf"new, node 0 \({operator}\): {operator}-\d+ \({sort}, {sort}\) .*: ONNX has it from opset {since} on; "
    with pytest.raises(Refused, match=message + f"the target is opset {opset}. Lower to opset {since} or later"):
        lower_graph(model, OnnxToOnnx(opset))
    lower_graph(model, OnnxToOnnx(since))


def test_targets_without_bit_shift_are_refused():
    for opset in (10, 29, "11"):
        with pytest.raises(lw.InvalidError, match=f"the target is ONNX opset {opset!r}; allowed: 11 to 28"):
            OnnxToOnnx(opset)


def test_empty_tensors_need_opset_14():
    graph = lw.Builder(onnx=28, name="empty")
    x = graph.input("x", "int8", (0, 3))
    graph.output("y", graph.node("Reshape", x, graph.constant(np.array([4, 0])), allowzero=1))
    with pytest.raises(Refused, match=r"takes shape \[4, 0\], and Reshape reads 0 as the size it had before opset 14"):
        lower_graph(graph.model(), OnnxToOnnx(13))
    lowered = lower_graph(graph.model(), OnnxToOnnx(14)).model
    assert lowered.run({"x": np.zeros((0, 3), np.int8)}).outputs["y"].shape == (4, 0)
