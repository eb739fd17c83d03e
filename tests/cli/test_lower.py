"""`lanewise lower`, `shifts` and `prove A B`: files in, files out, exit codes and messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "lanewise", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.fixture
def shift(tmp_path: Path) -> Path:
    graph = lw.Builder(onnx=28)
    x, y = graph.input("x", "uint8", ("n", 3)), graph.input("y", "uint8", (3,))
    graph.output("z", graph.node("BitShift", x, y, direction="RIGHT"))
    graph.model().save(tmp_path / "shift.onnx")
    return tmp_path / "shift.onnx"


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int64", (2, 3))
    graph.output("z", graph.node("Sub", x, graph.node("BitShift", x, x, direction="LEFT")))
    graph.model().save(tmp_path / "wide.onnx")
    return tmp_path / "wide.onnx"


@pytest.mark.parametrize("ending", ["tosa", "mlir", "onnx"])
def test_lowered_files(shift: Path, ending: str):
    target = shift.with_suffix(f".lowered.{ending}")
    version = ("--version", "21") if ending == "onnx" else ("--version", "1.0")
    done = run("lower", shift, "-o", target, *version, "--shape", "x=2,3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"written: {target}"
    assert "exact" in done.stdout.splitlines()[0]
    assert "proven" in done.stdout
    x, y = np.arange(6, dtype=np.uint8).reshape(2, 3) * 50, np.uint8([1, 7, 9])
    want = lw.load(shift).run({"x": x, "y": y}).outputs["z"]
    lowered = lw.load(target)
    kind = np.uint8 if ending == "onnx" else np.int8
    found = lowered.run({"x": x.view(kind), "y": y.view(kind)})
    assert found.status is lw.Status.VALID
    assert (next(iter(found.outputs.values())).view(np.uint8) == want).all()
    proven = run("prove", shift, target)
    assert proven.returncode == 0, proven.stdout
    assert proven.stdout.splitlines()[-1] == "1 proven, 0 refuted, 0 unknown"


def test_the_report_as_json(wide: Path):
    done = run("lower", wide, "-o", wide.with_suffix(".tosa"), "--pairs", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["exact"] is True
    assert report["target"] == "TOSA 0.23.0"
    assert [node["node"] for node in report["nodes"]] == ["node 0 (BitShift)", "node 1 (Sub)"]
    assert all(node["proof"].startswith("proven") for node in report["nodes"])
    assert report["interface"][0] == {
        "kind": "input",
        "name": "x",
        "names": ["x.high", "x.low"],
        "change": "int64 as two int32 tensors, the high and the low word",
    }
    assert report["file"] == str(wide.with_suffix(".tosa"))
    proven = run("prove", wide, wide.with_suffix(".tosa"))
    assert proven.stdout.splitlines()[-1] == "1 proven, 0 refuted, 0 unknown"


def test_what_is_refused(shift: Path, wide: Path, tmp_path: Path):
    out = tmp_path / "out.tosa"
    for arguments, code, message in (
        ((wide, "-o", out), 5, "int64: TOSA 0.23.0 has no 64-bit integers; lower to version 1.1"),
        (
            (shift, "-o", out),
            5,
            "a TOSA file needs every dimension: give the shapes of the graph's inputs (shapes=, --shape)",
        ),
        ((shift, "-o", out, "--shape", "q=2"), 4, "has no input 'q'; it has: x, y"),
        ((shift, "-o", out, "--shape", "x=2"), 4, "which [2] does not fit"),
        ((shift, "-o", out, "--shape", "x"), 4, "write NAME=2,3"),
        ((shift, "-o", out, "--shape", "x=٣,3"), 4, "write NAME=2,3"),
        ((shift, "-o", out, "--shape", "x=2,,3"), 4, "write NAME=2,3"),
        ((shift, "-o", out, "--shape", "x=2,3", "--shape", "x=4,3"), 4, "'x' has a shape already"),
        ((shift, "-o", out, "--shape", "x=0,3"), 5, "input 'x': is uint8[0, 3]; TOSA 0.23.0 has no empty tensors"),
        ((shift, "-o", tmp_path / "out.onnx", "--pairs"), 4, "(--pairs) is for TOSA"),
        ((shift, "-o", out, "--version", "0.22"), 5, "lanewise knows 0.23.0, 1.0, 1.1"),
        ((shift, "-o", tmp_path / "out.bin"), 4, "its ending does not say what to lower to"),
        ((shift, "-o", tmp_path / "out.bin", "--to", "tosa"), 5, "lanewise writes .onnx, .tosa and .mlir files"),
        ((shift, "-o", out, "--to", "c"), 4, "to is 'c'; allowed: 'onnx', 'tosa'"),
        ((tmp_path / "none.onnx", "-o", out), 4, "none.onnx"),
        ((shift, "-o", tmp_path / "out.onnx", "--version", "99"), 5, "opset 99"),
    ):
        done = run("lower", *arguments)
        assert (done.returncode, done.stdout) == (code, ""), (arguments, done)
        assert message in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
        assert not list(tmp_path.glob("out.*")), arguments
    assert run("lower", shift).returncode == 2


def test_a_text_is_of_a_version_that_has_texts(shift: Path, tmp_path: Path):
    done = run("lower", shift, "-o", tmp_path / "z.mlir", "--shape", "x=2,3")
    assert done.returncode == 0, done.stderr
    assert " to TOSA 1.0: exact" in done.stdout.splitlines()[0]
    assert lw.load(tmp_path / "z.mlir", version="1.0").version == "1.0"


def test_halves_have_no_number_in_files_of_0_23(tmp_path: Path):
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "float16", (2,))
    graph.output("z", graph.node("Max", x, x))
    graph.model().save(tmp_path / "half.onnx")
    done = run("lower", tmp_path / "half.onnx", "-o", tmp_path / "half.tosa")
    assert done.returncode == 5
    assert "is float16, which TOSA 0.23.0 files do not have; files of 1.0 have it" in done.stderr
    done = run("lower", tmp_path / "half.onnx", "-o", tmp_path / "half.tosa", "--version", "1.0")
    assert done.returncode == 0, done.stderr


def test_shifts(tmp_path: Path):
    graph = lw.Builder(onnx=13)
    x = graph.input("x", "int32", (4,))
    graph.output("z", graph.node("Div", x, graph.constant(np.int32(8))))
    old, new = tmp_path / "old.onnx", tmp_path / "new.onnx"
    graph.model().save(old)
    done = run("shifts", old)
    assert done.returncode == 1
    assert "if this was a right shift, it is wrong for:\n  x         = -1 " in done.stdout
    assert done.stdout.splitlines()[-1] == "1 found"
    found = json.loads(run("shifts", old, "--json").stdout)
    assert found["findings"][0]["counterexample"] == {"x": -1, "count": 3, "given": 0, "shifted": -1}
    done = run("shifts", old, "--repair", new)
    assert (done.returncode, done.stderr) == (0, "")
    assert "; repaired, it is a right shift now; it was wrong for:\n  x         = -1 " in done.stdout
    assert "if this was" not in done.stdout
    assert done.stdout.splitlines()[-2:] == ["1 found, 1 repaired", f"written: {new}"]
    data = np.int32([-9, -1, 8, 17])
    assert lw.load(new).run(data).outputs["z"].tolist() == (data >> 3).tolist()
    assert run("shifts", new).stdout.splitlines()[-1] == "0 found"
    proven = run("prove", old, new)
    assert proven.returncode == 1
    assert "x      = -1" in proven.stdout
    assert proven.stdout.splitlines()[-1] == "0 proven, 1 refuted, 0 unknown"
    assert run("shifts", old, "--repair", tmp_path / "new.tosa").returncode == 5
    assert run("shifts", tmp_path / "nothing.onnx").returncode == 4
