"""Graphs on targets: node by node, whole, and what is said where a target refuses, dies, hangs or gives other types."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.first_difference import compare
from lanewise.conformance.sides.ran import Crashes, Hangs
from tests.cli.test_commands import lanewise
from tests.conformance.conform.sample_targets import PROGRAM
from tests.conformance.test_first_difference import X, chain

SECONDS = 5.0  # for the answer that never comes

# Node by node: everything of `chain`, right but for the fault that an environment variable names.
TARGET = """
import os, signal, time
import numpy as np

FAULT = os.environ["FAULT"]


def run(case, *arrays):
    x, y = arrays
    if case.operator == "BitShift":
        return np.right_shift(x, y)
    if case.operator == "Add":
        return x - y if "subtracts" in FAULT else x + y
    if case.operator == "BitwiseXor":
        if "lacks" in FAULT:
            raise NotImplementedError
        if "refuses" in FAULT:
            raise ValueError("no exclusive or")
        if "dies" in FAULT:
            os.kill(os.getpid(), signal.SIGFPE)
        if "hangs" in FAULT:
            time.sleep(600)
        if "widens" in FAULT:
            return (x ^ y).astype(np.int64)
        if "flattens" in FAULT:
            return (x ^ y).ravel()
        return x ^ y
    return x * y
"""

# In the place of the real package: computes as the reference evaluator does, but for one operator.
RUNTIME = """
import os, signal, time
import onnx
from onnx.reference import ReferenceEvaluator

FAULT = os.environ["FAULT"]


class SessionOptions:
    pass


class GraphOptimizationLevel:
    ORT_DISABLE_ALL = 0


def set_default_logger_severity(level):
    pass


class OrtValue:
    def __init__(self, array):
        self.array = array

    ortvalue_from_numpy = classmethod(lambda cls, array: cls(array))
    data_type = lambda self: "of NumPy's"
    numpy = lambda self: self.array


class InferenceSession:
    def __init__(self, model, options, providers):
        self.model = onnx.load_from_string(model)
        if any(node.op_type == "BitwiseXor" for node in self.model.graph.node):
            if "refuses" in FAULT:
                raise RuntimeError("no exclusive or")
            if "dies" in FAULT:
                os.kill(os.getpid(), signal.SIGFPE)
            if "hangs" in FAULT:
                time.sleep(600)

    def run_with_ort_values(self, outputs, given):
        found = ReferenceEvaluator(self.model).run(outputs, {name: one.array for name, one in given.items()})
        wrong = [node.output[0] for node in self.model.graph.node if node.op_type == "Add" and "subtracts" in FAULT]
        return [OrtValue(one + 1 if name in wrong else one) for name, one in zip(outputs, found)]
"""


@pytest.fixture(params=["mine:run", "onnxruntime"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A target with the fault that FAULT names: asked node by node, or given whole graphs."""
    (tmp_path / "mine.py").write_text(TARGET)
    (tmp_path / "onnxruntime").mkdir()
    (tmp_path / "onnxruntime" / "__init__.py").write_text(RUNTIME)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("FAULT", "")
    found: str = request.param
    if found == "onnxruntime":
        pytest.importorskip("onnxruntime")
    return found


def test_a_target_that_agrees(target: str):
    found = compare(chain(), X, target, "exact")
    assert (found.difference, found.stopped, found.compared, found.left_out) == (None, None, 4, ())


@pytest.mark.parametrize("fault", ["subtracts", "subtracts and dies"])
def test_the_first_node_that_differs_comes_before_a_death_after_it(
    target: str, fault: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FAULT", fault)
    found = lw.first_difference(chain(), X, "native", target)
    assert found is not None
    assert (found.node.place, found.count, found.second) == ("node 1 (Add)", 6, target)
    assert dict(found.elements[0].operands) == {"A": 3, "B": 1}
    assert found.elements[0].first == 4


def test_what_is_refused_is_not_compared_and_what_follows_is(target: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAULT", "refuses")
    found = compare(chain(), X, "native", target)
    assert (found.difference, found.stopped, found.compared) == (None, None, 3)
    (left,) = found.left_out
    assert str(left).startswith("node 2 (BitwiseXor): BitwiseXor-18, tensor 'tensor2': ")
    assert f"{target} refuses it: " in str(left)
    assert left.why.endswith("no exclusive or")


@pytest.mark.parametrize("fault", ["dies", "hangs"])
def test_a_death_and_a_silence_name_their_node(target: str, fault: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAULT", fault)
    found = compare(chain(), X, "native", target, seconds=SECONDS)
    assert isinstance(found.stopped, Crashes if fault == "dies" else Hangs)
    assert (found.difference, found.compared, found.stopped.node.place) == (None, 2, "node 2 (BitwiseXor)")
    why = "crashes: ended by SIGFPE" if fault == "dies" else "hangs: no answer within 5 s"
    assert str(found.stopped).startswith(f"node 2 (BitwiseXor): BitwiseXor-18, tensor 'tensor2': {target} {why}")


@pytest.mark.parametrize("target", ["mine:run"], indirect=True)
def test_another_type_or_shape_is_a_difference(target: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAULT", "widens")
    found = lw.first_difference(chain(), X, "native", target)
    assert str(found) == "node 2 (BitwiseXor): BitwiseXor-18, tensor 'tensor2': native gives int8, mine:run int64"
    with pytest.raises(lw.InvalidError, match="mine:run and mine:run give int64 for 'tensor2', which is int8"):
        lw.first_difference(chain(), X, target, target)
    monkeypatch.setenv("FAULT", "flattens")
    found = lw.first_difference(chain(), X, "native", target)
    assert found is not None
    assert found.shapes == ((2, 3), (6,))


@pytest.mark.parametrize("target", ["mine:run"], indirect=True)
def test_command_tells_all_of_it(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    chain().save(tmp_path / "chain.onnx")
    np.save(tmp_path / "x.npy", X)
    arguments = ("diff-run", tmp_path / "chain.onnx", "-i", tmp_path / "x.npy", "--engines", f"native,{target}")
    monkeypatch.setenv("FAULT", "lacks")
    printed, _ = lanewise(*arguments)
    assert printed.splitlines() == [
        f"{tmp_path / 'chain.onnx'}: native and mine:run agree at each of 3 nodes compared, of 4",
        "not compared: node 2 (BitwiseXor): BitwiseXor-18, tensor 'tensor2': mine:run has no such operator: "
        "no such operator",
    ]
    report = json.loads(lanewise(*arguments, "--json")[0])
    assert (report["difference"], report["died"], report["hung"], report["compared"]) == (None, None, None, 3)
    assert [(one["engine"], one["operator"]) for one in report["not_compared"]] == [("mine:run", "BitwiseXor")]
    monkeypatch.setenv("FAULT", "hangs")
    report = json.loads(lanewise(*arguments, "--timeout", str(SECONDS), "--json", code=1)[0])
    assert report["hung"]["message"].endswith("mine:run hangs: no answer within 5 s")
    assert (report["died"], report["hung"]["engine"], report["hung"]["operator"]) == (None, "mine:run", "BitwiseXor")


def test_a_program_with_commas_of_its_own(tmp_path: Path):
    script = tmp_path / "a,b.py"
    script.write_text(PROGRAM)
    graph = lw.Builder(onnx=18)
    x = graph.input("x", "uint8", (3,))
    graph.output("z", graph.node("BitwiseNot", graph.node("BitwiseAnd", x, graph.constant(np.uint8(12)))))
    graph.model().save(tmp_path / "masks.onnx")
    np.save(tmp_path / "x.npy", np.array([1, 15, 255], np.uint8))
    program = f"program:{sys.executable} {script}"
    for engines in (f"exact,{program}", f"{program},exact"):
        arguments = ("diff-run", tmp_path / "masks.onnx", "-i", tmp_path / "x.npy", "--engines", engines)
        assert "agree at the one node compared, of 2" in lanewise(*arguments)[0]
    graph = lw.Builder(onnx=18)
    graph.output("z", graph.node("BitwiseNot", graph.input("x", "uint8", (3,))))
    with pytest.raises(lw.UnsupportedError, match=r"nothing to compare: node 0 \(BitwiseNot\): .* only BitwiseAnd"):
        lw.first_difference(graph.model(), np.array([1, 2, 3], np.uint8), "exact", program)
    assert "give two, such as native,exact" in lanewise(*arguments[:-1], "native,exact,onnx", code=4)[1]


def test_a_target_that_cannot_start(tmp_path: Path):
    with pytest.raises(lw.UnsupportedError, match="nowhere:run: ended with 1: ModuleNotFoundError"):
        lw.first_difference(chain(), X, "native", "nowhere:run")
    with pytest.raises(lw.InvalidError, match="there is no program 'nothing-of-this-name'"):
        lw.first_difference(chain(), X, "native", "program:nothing-of-this-name")
    with pytest.raises(lw.InvalidError, match="seconds is 0; it is the time for one answer"):
        lw.first_difference(chain(), X, "native", "numpy", seconds=0)
    with pytest.raises(lw.UnsupportedError, match="tosa: .*no such file"):
        lw.first_difference(chain(), X, "native", "tosa", tosa_tools=tmp_path)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_libraries_node_by_node(library: str):
    pytest.importorskip(library)
    graph = lw.Builder(tosa="0.23.0")
    a = graph.input("a", "int32", (3,))
    total = graph.node("ADD", a, graph.constant(np.array([5], np.int32)))
    graph.output("z", graph.node("MUL", total, graph.node("SUB", total, a), shift=0))
    model = graph.model()
    assert lw.first_difference(model, np.array([1, 2, -5], np.int32), "native", library) is None
    graph = lw.Builder(tosa="0.23.0")
    b = graph.input("b", "int8", (2, 2))
    graph.output("z", graph.node("NEGATE", b, input1_zp=0, output_zp=0))
    found = lw.first_difference(graph.model(), np.array([[1, -128], [3, 4]], np.int8), "native", library)
    assert found is not None  # their negatives wrap, TOSA's are the nearest number
    assert [element.index for element in found.elements] == [(0, 1)]


@pytest.mark.parametrize("library", ["numpy", "jax"])
@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3)])
def test_lone_numbers_beside_lists(library: str, shape: tuple[int, ...]):
    pytest.importorskip(library)
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", shape)
    row = graph.constant(np.full(shape[-1:], 3, np.int32))
    graph.output("z", graph.node("Sub", graph.constant(np.int32(7)), graph.node("Add", row, x)))
    found = compare(
        graph.model(), np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape), "exact", library
    )
    assert (found.difference, found.compared, found.left_out) == (None, 2, ())


def test_broadcasting_of_old_versions_is_not_asked_for():
    graph = lw.Builder(onnx=6)
    x, y = graph.input("x", "int32", (2, 3)), graph.input("y", "int32", (2,))
    graph.output("z", graph.node("Neg", graph.node("Add", x, y, broadcast=1, axis=0)))
    given = {"x": np.ones((2, 3), np.int32), "y": np.array([1, 2], np.int32)}
    found = compare(graph.model(), given, "exact", "numpy")
    assert (found.difference, found.compared) == (None, 1)
    assert "decides shapes" in found.left_out[0].why


def model_1_0() -> lw.Model:
    graph = lw.Builder(tosa="1.0")
    a = graph.input("a", "int32", (3,))
    graph.input("unused", "float32", (2,))
    total = graph.node("ADD", a, graph.constant(np.array([1], np.int32)))
    quotient = graph.node("INTDIV", graph.constant(np.array([7], np.int32)), total)
    graph.output("z", graph.node("CLZ", graph.node("SELECT", graph.node("GREATER", total, a), quotient, a)))
    return graph.model()


def given_1_0(*numbers: int) -> dict[str, Any]:
    return {"a": np.array(numbers, np.int32), "unused": np.zeros(2, np.float32)}


def test_the_reference_model(tmp_path: Path):
    tools = Path(os.environ.get("LANEWISE_TOSA_TOOLS") or "/nowhere")
    if not (tools / "bin" / "tosa_reference_model").is_file():
        pytest.skip("LANEWISE_TOSA_TOOLS names no virtual environment with tosa-tools")
    found = compare(model_1_0(), given_1_0(1, 2, -5), "native", "tosa")
    assert (found.difference, found.stopped, found.compared, found.left_out) == (None, None, 5, ())
    # It dies of a division by zero, which the specification calls unpredictable.
    found = compare(model_1_0(), given_1_0(1, -1, -5), "native", "tosa")
    assert isinstance(found.stopped, Crashes)
    assert (found.stopped.node.place, found.compared) == ("node 1 (INTDIV)", 1)

    def faulty(model: lw.Model, inputs: Any) -> Any:
        tensors = dict(model.run(dict(inputs)).outputs)
        tensors[model.nodes[-1].output] = tensors[model.nodes[-1].output] ^ 1
        return tensors

    differing = lw.first_difference(model_1_0(), given_1_0(1, 2, -5), faulty, "tosa", tosa_tools=tools)
    assert differing is not None
    assert (differing.node.operator.name, differing.count) == ("CLZ", 3)
    graph = lw.Builder(tosa="0.23.0")
    graph.output("z", graph.node("CLZ", graph.input("a", "int32", (3,))))
    with pytest.raises(lw.UnsupportedError, match=r"tosa runs graphs of TOSA 1.0 and 1.1, not 0.23.0; .* rewrites it"):
        lw.first_difference(graph.model(), np.array([1, 2, 3], np.int32), "native", "tosa")
    model_1_0().save(tmp_path / "m.tosa")
    np.savez(tmp_path / "given.npz", **given_1_0(1, 2, -5))
    arguments = ("diff-run", tmp_path / "m.tosa", "-i", tmp_path / "given.npz", "--engines", "exact,tosa")
    assert "agree at each of 5 nodes" in lanewise(*arguments, "--tosa-tools", tools)[0]


def test_iree():
    pytest.importorskip("iree.compiler")
    found = compare(model_1_0(), given_1_0(1, 2, -5), "native", "iree")
    assert (found.difference, found.stopped, found.compared, found.left_out) == (None, None, 5, ())


@pytest.mark.parametrize("target", ["mine:run"], indirect=True)
def test_two_that_give_one_wrong_shape_are_told_apart_from_who_is_right(target: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAULT", "flattens")
    with pytest.raises(lw.InvalidError, match="mine:run and mine:run give shape "):
        compare(chain(), X, target, target)
