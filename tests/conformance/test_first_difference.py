"""The first node that differs: between engines, against runtimes, against a function with a planted fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from tests.cli.test_commands import lanewise

X = np.array([[7, -8, 127], [-128, 0, 5]], np.int8)


def chain() -> lw.Model:
    graph = lw.Builder(onnx=28, name="chain")
    x = graph.input("x", "int8", (2, 3))
    moved = graph.node("BitShift", x, graph.constant(np.int8(1)), direction="RIGHT")
    total = graph.node("Add", moved, graph.constant(np.array([1, 2, 3], np.int8), name="steps"))
    mixed = graph.node("BitwiseXor", total, x)
    graph.output("z", graph.node("Mul", mixed, mixed))
    return graph.model()


def test_engines_agree():
    assert lw.first_difference(chain(), X) is None
    assert lw.first_difference(chain(), {"x": X}, "exact", "native") is None


def test_a_planted_fault_is_found_where_it_is():
    def faulty(model, inputs):
        tensors = dict(model.run(dict(inputs)).outputs)
        node = model.nodes[1]
        wrong = tensors[node.output].copy()
        wrong[1, 2] ^= 4
        tensors[node.output] = wrong
        for later in model.nodes[2:]:
            tensors[later.output] = tensors[later.output] + np.int8(1)
        return tensors

    found = lw.first_difference(chain(), X, "native", faulty)
    assert found is not None
    assert (found.node.place, found.count, found.size) == ("node 1 (Add)", 1, 6)
    (element,) = found.elements
    assert element.index == (1, 2)
    assert element.operands == {"A": 2, "B": 3}
    assert (element.first, element.second) == (5, 1)
    assert str(found).splitlines()[2:] == ["    native  00000101  5", "    faulty  00000001  1"]


def test_unpredictable_elements_are_not_compared():
    graph = lw.Builder(tosa="0.23.0")
    a = graph.input("a", "int32", (2,))
    graph.output("z", graph.node("INTDIV", graph.constant(np.array([7, 7], np.int32)), a))
    model, given = graph.model(), np.array([0, 2], np.int32)

    def other(model, inputs):
        return {model.nodes[0].output: np.array([99, 3], np.int32)}

    assert lw.first_difference(model, given, "exact", other) is None
    assert lw.first_difference(model, np.array([1, 2], np.int32), "exact", other) is not None
    with pytest.raises(lw.UnsupportedError, match="runs ONNX graphs only, not TOSA"):
        lw.first_difference(model, given, "exact", "onnx")


def test_shapes_and_types_that_differ():
    def short(model, inputs):
        return {model.nodes[0].output: np.zeros(3, np.int8)}

    found = lw.first_difference(chain(), X, "native", short)
    assert found is not None
    assert str(found).endswith("native gives shape [2, 3], short [3]")
    with pytest.raises(lw.InvalidError, match=r"gives float64 for .*, which is int8"):
        lw.first_difference(chain(), X, "native", lambda model, inputs: {model.nodes[0].output: np.zeros((2, 3))})
    with pytest.raises(
        lw.InvalidError, match="engine 'fast'; allowed: native, exact, numpy, onnx, .*tosa, module:function"
    ):
        lw.first_difference(chain(), X, "native", "fast")


def test_a_function_that_gives_nothing_is_no_agreement():
    def empty(model, inputs):
        return {}

    with pytest.raises(lw.UnsupportedError, match=r"nothing to compare: node 0 \(BitShift\).*: empty gives no result"):
        lw.first_difference(chain(), X, "native", empty)
    with pytest.raises(lw.UnsupportedError, match="nothing to compare: .*: empty gives no result"):
        lw.first_difference(chain(), X, empty, empty)


@pytest.mark.parametrize("runtime", ["onnx", "onnxruntime"])
def test_runtimes(runtime: str):
    pytest.importorskip(runtime)
    graph = lw.Builder(onnx=18, name="hash")
    x = graph.input("x", "uint32", (3,))
    moved = graph.node("BitShift", x, graph.constant(np.uint32(16)), direction="RIGHT")
    graph.output("z", graph.node("BitwiseXor", x, moved))
    assert lw.first_difference(graph.model(), np.array([0, 1, 2**32 - 1], np.uint32), "native", runtime) is None


@pytest.mark.parametrize("before", [0, 1, 4])
def test_a_node_that_a_runtime_dies_of_is_named(before: int):
    pytest.importorskip("onnxruntime")
    graph = lw.Builder(onnx=14)
    a = graph.input("a", "int32", (1,))
    b = a
    for _ in range(before):
        b = graph.node("Neg", b)
    quotient = graph.node("Div", b, graph.constant(np.array([-1], np.int32)))
    graph.output("z", graph.node("Neg", graph.node("Abs", quotient)))
    where = rf"node {before} \(Div\): Div-14, tensor '.*': onnxruntime crashes: ended (with|by) "
    with pytest.raises(lw.UnsupportedError, match=where):
        lw.first_difference(graph.model(), np.array([-(2**31)], np.int32), "native", "onnxruntime")


def test_command(tmp_path: Path):
    chain().save(tmp_path / "chain.onnx")
    np.save(tmp_path / "x.npy", X)
    arguments = ("diff-run", tmp_path / "chain.onnx", "-i", f"x={tmp_path / 'x.npy'}")
    printed, _ = lanewise(*arguments)
    assert printed == f"{tmp_path / 'chain.onnx'}: native and exact agree at each of 4 nodes\n"
    assert json.loads(lanewise(*arguments, "--json")[0])["difference"] is None
    assert "give two, such as native,exact" in lanewise(*arguments, "--engines", "native", code=4)[1]
    # Its reference evaluator casts a float that is too large as the processor does; the specification saturates (O8).
    graph = lw.Builder(onnx=13)
    graph.output("z", graph.node("Cast", graph.input("f", "float32", (2,)), to="int8"))
    graph.model().save(tmp_path / "cast.onnx")
    np.save(tmp_path / "f.npy", np.array([1.5, 300.0], np.float32))
    arguments = ("diff-run", tmp_path / "cast.onnx", "-i", tmp_path / "f.npy", "--engines", "native,onnx")
    printed, _ = lanewise(*arguments, code=1)
    assert "Cast" in printed
    assert "native  01111111  127" in printed
    report = json.loads(lanewise(*arguments, "--json", code=1)[0])["difference"]
    assert (report["operator"], report["count"], report["elements"][0]["index"]) == ("Cast", 1, [1])
    assert report["elements"][0]["operands"] == {"input": 300.0}


@pytest.mark.parametrize("dies", [True, False])
def test_a_runtime_that_dies_differs_and_one_that_raises_is_unsupported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: bool
):
    folder = tmp_path / "onnxruntime"  # in the place of the real one, in the process that imports it
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "import os, signal\n" + ("os.kill(os.getpid(), signal.SIGKILL)" if dies else "raise RuntimeError('no kernel')")
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    chain().save(tmp_path / "chain.onnx")
    np.save(tmp_path / "x.npy", X)
    arguments = ["diff-run", str(tmp_path / "chain.onnx"), "-i", str(tmp_path / "x.npy")]
    arguments += ["--engines", "native,onnxruntime"]
    done = subprocess.run(
        [sys.executable, "-m", "lanewise", *arguments], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    if not dies:
        assert done.returncode == 5 and "onnxruntime refuses it: RuntimeError: no kernel" in done.stderr
        return
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout.startswith("node 0 (BitShift): BitShift-28, tensor ")
    assert done.stdout.endswith("onnxruntime crashes: ended by SIGKILL\n")
    done = subprocess.run(
        [sys.executable, "-m", "lanewise", *arguments, "--json"], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["difference"] is None
    assert (report["died"]["engine"], report["died"]["operator"]) == ("onnxruntime", "BitShift")
