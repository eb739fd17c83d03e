"""The command line as a person meets it: output, exit codes, errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.cli.run import safe_name
from tests.formats.onnx_models import shift_model


def lanewise(*arguments: object, code: int = 0) -> tuple[str, str]:
    """Standard output and error of a command that must end with `code`; a traceback is never right."""
    done = subprocess.run(
        [sys.executable, "-m", "lanewise", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "shift.onnx"
    path.write_bytes(shift_model().SerializeToString())
    return path


@pytest.fixture
def adder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> lw.Model:
    graph = lw.Builder(tosa="0.23.0", name="adder")
    total = graph.node("ADD", graph.input("a", "int32", (3,)), graph.input("b", "int32", (3,)))
    graph.output("total", total)
    return graph.model()


def test_help_lists_the_commands():
    out, _ = lanewise("--help")
    for command in ("run", "check", "show", "ops", "explain"):
        assert f"  {command} " in out
    assert "0 valid, 1 a check failed, 2 usage, 3 unpredictable, 4 error" in out
    assert lanewise("--version")[0] == f"lanewise {lw.__version__}\n"


def test_run_writes_outputs(model: Path, tmp_path: Path):
    np.save(tmp_path / "x.npy", np.array([1, 2, 3, 255], np.uint8))
    out, _ = lanewise("run", model, "-i", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "out")
    assert out.startswith(f"{model}: valid (")
    assert f"z: uint8[4] → {tmp_path / 'out' / 'z.npy'}" in out
    assert np.load(tmp_path / "out" / "z.npy").tolist() == [2, 4, 12, 252]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["z.npy"]


def test_run_prints_small_outputs_and_json(model: Path, tmp_path: Path):
    np.savez(tmp_path / "in.npz", x=np.array([1, 2, 3, 255], np.uint8))
    out, _ = lanewise("run", model, "-i", tmp_path / "in.npz")
    assert "[  2,   4,  12, 252]" in out
    report = json.loads(lanewise("run", model, "-i", tmp_path / "in.npz", "--json", "--mask", "--engine", "exact")[0])
    assert report["status"] == "valid"
    assert report["outputs"]["z"] == {"dtype": "uint8", "shape": [4], "values": [2, 4, 12, 252], "unpredictable": 0}
    assert report["violations"] == []


def test_run_needs_its_inputs(model: Path, tmp_path: Path):
    assert "input 'x' is missing; it is uint8[4]" in lanewise("run", model, code=4)[1]
    np.save(tmp_path / "x.npy", np.zeros(4, np.int8))
    assert "has dtype int8; the graph declares uint8" in lanewise("run", model, "-i", tmp_path / "x.npy", code=4)[1]
    assert "no input 'y'" in lanewise("run", model, "-i", f"y={tmp_path / 'x.npy'}", code=4)[1]
    assert "No such file" in lanewise("run", model, "-i", f"x={tmp_path / 'nope.npy'}", code=4)[1]


def test_a_failed_run_leaves_what_was_there(model: Path, tmp_path: Path):
    target = tmp_path / "out" / "z.npy"
    target.parent.mkdir()
    target.write_bytes(b"before")
    lanewise("run", model, "-o", tmp_path / "out", code=4)
    assert target.read_bytes() == b"before"


def test_check_and_show(model: Path, tmp_path: Path):
    assert lanewise("check", model)[0] == f"{model}: valid (1 nodes, 1 inputs, 1 outputs)\n"
    assert "z = BitShift(x, y) {direction=LEFT} : uint8[4]" in lanewise("show", model)[0]
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(shift_model(direction="UP").SerializeToString())
    _, err = lanewise("check", bad, code=4)
    says = "BitShift-28: attribute direction is 'UP'; allowed: 'LEFT', 'RIGHT'"
    assert err == f"lanewise: {bad}, node 0 (BitShift 'hash'): {says}\n"
    assert json.loads(lanewise("check", bad, "--json", code=4)[0])["status"] == "error"
    future = tmp_path / "future.onnx"
    future.write_bytes(shift_model(29).SerializeToString())
    lanewise("check", future, code=5)
    assert json.loads(lanewise("check", future, "--json", code=5)[0])["status"] == "unsupported"
    lanewise("check", tmp_path / "missing.onnx", code=4)


def test_usage_errors_exit_with_2():
    for arguments in ((), ("run",), ("fly",), ("run", "m.onnx", "--nope")):
        lanewise(*arguments, code=2)


def test_ops():
    listing, _ = lanewise("ops")
    assert "  BitShift" in listing
    assert "  ARITHMETIC_RIGHT_SHIFT" in listing
    one, _ = lanewise("ops", "MUL")
    assert "(int32, int32, uint6) -> int32  BI, MI, MT" in one
    assert "requires 2 <= shift <= 62  [int32]" in one
    assert "example int32 5, int32 2, uint6 2 → 3" in one
    both = json.loads(lanewise("ops", "BitShift", "--json")[0])
    assert [record["since"] for record in both] == [11, 28]
    assert "did you mean BitShift" in lanewise("ops", "bitshift", code=5)[1]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (
            ("ARITHMETIC_RIGHT_SHIFT", "int8", "-7", "1", "--attr", "round=true"),
            0,
            "result = -3  1111_1101  0xfd  (int8)",
        ),
        (("ARITHMETIC_RIGHT_SHIFT", "int8", "1", "8"), 3, "unpredictable, because it breaks: 0 <= input2 <= 7"),
        (("LOGICAL_LEFT_SHIFT", "int8", "1", "8"), 0, "result = 0  0000_0000"),
        (("LOGICAL_LEFT_SHIFT", "int8", "1", "31"), 0, "result = 0  0000_0000"),
        (("LOGICAL_LEFT_SHIFT", "int8", "1", "32"), 3, "unpredictable, because it breaks: 0 <= input2 <= 31"),
        (("MUL", "int32", "5", "2", "--attr", "shift=1"), 3, "unpredictable, because it breaks: 2 <= shift <= 62"),
        (("MUL", "int32", "5", "-2", "--attr", "shift=2"), 3, "unpredictable, because it breaks: input2 >= 0"),
        (("INTDIV", "int32", "7", "0"), 3, "unpredictable, because it breaks: input2 != 0"),
        (("INTDIV", "int32", "-2147483648", "-1"), 3, "unpredictable, because it breaks: "),
        (("ADD", "int32", "2147483647", "1"), 3, "unpredictable, because it breaks: input1 + input2 fits int32"),
        (("BitShift", "int8", "-8", "-1", "--attr", "direction=RIGHT"), 0, "result = -1  1111_1111"),
        (("SELECT", "int8", "true", "1", "2"), 0, "result = 1  0000_0001"),
        (("CAST", "float32", "2.5", "--attr", "output_type=int8"), 0, "result = 2  0000_0010"),
        (
            (
                "RESCALE",
                "int32",
                "64",
                "--attr",
                "multiplier=16384",
                "--attr",
                "shift=21",
                "--attr",
                "output_type=int16",
            ),
            0,
            "result = 1  ",
        ),
        (("TABLE", "int8", "5", "--attr", "table=" + ",".join(map(str, range(-128, 128)))), 0, "result = 5  "),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_explain(arguments: tuple[str, ...], code: int, says: str):
    out, _ = lanewise("explain", *arguments, code=code)
    squeezed = " ".join(out.split())
    assert " ".join(says.split()) in squeezed


def test_explain_json_and_errors():
    report = json.loads(lanewise("explain", "ADD", "int32", "1", "2", "--json")[0])
    assert report["result"]["value"] == 3
    assert report["status"] == "valid"
    assert (
        "300 does not fit int8"
        in lanewise("explain", "BitShift", "int8", "300", "1", "-a", "direction=LEFT", code=4)[1]
    )
    missing = lanewise("explain", "BitShift", "int8", "3", "1", code=4)[1]
    assert "attribute direction is missing" in missing and "give it as -a direction=VALUE" in missing
    assert "1 values are given; it takes input1, input2" in lanewise("explain", "ADD", "int32", "3", code=4)[1]
    assert "type 'int7'" in lanewise("explain", "ADD", "int7", "3", "4", code=4)[1]
    assert (
        "allowed at opset 28"
        in lanewise("explain", "BitShift", "int8", "3", "1", "-a", "direction=LEFT", "--version", "11", code=4)[1]
    )


def test_names_of_outputs_never_leave_the_folder():
    assert safe_name("z") == "z"
    assert safe_name("../../x") == "%2E.%2F..%2Fx"
    assert safe_name("/etc/passwd") == "%2Fetc%2Fpasswd"
    assert safe_name(".hidden") == "%2Ehidden"
    assert "/" not in safe_name("a/b\\c")
    assert len(safe_name("x" * 1000)) == 200
    assert safe_name("x" * 1000) != safe_name("x" * 999 + "y")
    assert safe_name("x" * 200) == "x" * 200


def test_no_output_takes_the_file_of_another(tmp_path: Path):
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", (2,))
    names = ["z", "z.unpredictable", "z.unpredictable~2", "n" * 250 + "a", "n" * 250 + "b"]
    for number, name in enumerate(names):
        graph.output(name, graph.node("Add", x, graph.constant(np.int32(number))))
    graph.model().save(tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", np.array([0, 0], np.int32))
    arguments = ("run", tmp_path / "m.onnx", "-i", tmp_path / "x.npy", "-o", tmp_path / "out", "--mask", "--json")
    report = json.loads(lanewise(*arguments)[0])
    for number, name in enumerate(names):
        found = report["outputs"][name]
        assert np.load(found["file"]).tolist() == [number, number]
        assert np.load(found["mask"]).dtype == np.bool_
    assert len(list((tmp_path / "out").iterdir())) == 2 * len(names)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("command", [("ops",), ("--help",), ("ops", "ADD", "--json")])
def test_output_that_cannot_be_written(command: tuple[str, ...]):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lanewise", *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 4
    assert done.stderr == "lanewise: output: No space left on device\n"


def test_a_reader_that_has_gone():
    process = subprocess.Popen(
        [sys.executable, "-m", "lanewise", "ops", "RESCALE"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == ""
    assert process.wait() == 0


def test_names_do_not_steer_the_terminal(tmp_path: Path):
    graph = lw.Builder(onnx=28, name="g")
    name = "x\x1b[2J\u202e"
    graph.output("z\x1b]0;t\x07", graph.node("BitwiseNot", graph.input(name, "int8", ("n\x1b[1m",)), name="t\x9b"))
    path = tmp_path / "m.onnx"
    graph.model().save(path)
    np.save(tmp_path / "x.npy", np.array([0], np.int8))
    shown = lanewise("show", path)[0] + lanewise("run", path, "-i", tmp_path / "x.npy")[0]
    shown += lanewise("run", path, code=4)[1]
    assert all(line.isprintable() for line in shown.split("\n"))
    assert "input  x\\x1b[2J\\u202e: int8[n\\x1b[1m]" in shown
    odd = shift_model()
    odd.graph.node[0].op_type = "Shift\x1b[2J"
    path.write_bytes(odd.SerializeToString())
    assert "node 0 (Shift\\x1b[2J" in lanewise("check", path, code=5)[1]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (("float32", "1e300", "1"), "input1: 1e+300 does not fit float32"),
        (("float32", "1e400", "1"), "input1: '1e400' does not fit float32"),
        (("float32", "1", "16777217"), "input2: 16777217 does not fit float32; the nearest is 16777216.0"),
        (("int8", "9" * 500, "1"), "input1: (a whole number of 1661 bits) does not fit int8"),
        (("int8", "9" * 5000, "1"), "is no int8"),
    ],
)
def test_explain_takes_no_number_that_does_not_fit(values: tuple[str, ...], says: str):
    _, err = lanewise("explain", "ADD", *values, code=4)
    assert says in err
    assert len(err) < 200


def test_explain_reads_floats_as_they_are_written():
    out, _ = lanewise("explain", "ADD", "float32", "-inf", "-0")
    assert "input2 = -0.0  1000_0000" in out
    assert "result = -inf" in out


def test_differences_between_versions_in_words_and_values():
    """Requirements with their types, ranks, constants, the output's shape, and what a new attribute does."""
    pow_ = lanewise("ops", "POW", "--diff", "0.23.0", "1.0.2")[0]
    assert "argument input1: rank 1 to 4 → any rank" in pow_
    assert "now requires for float16, float32, bfloat16: input1 >= 0" in pow_
    assert "output shape: not checked" in pow_
    maximum = lanewise("ops", "MAXIMUM", "--diff", "0.23.0", "1.0")[0]
    assert "float32 → float32: 0.0, nan nan_mode=IGNORE: nan → 0.0" in maximum
    table = lanewise("ops", "TABLE", "--diff", "0.23.0", "1.1")[0]
    assert "argument table: an attribute in BI, MI → a compile-time constant in PRO-INT" in table
    assert "one size may be -1" in lanewise("ops", "RESHAPE", "--diff", "0.23.0", "1.0")[0]
    assert lanewise("ops", "CONST", "--diff", "1.0", "1.0.1")[0].splitlines()[1:] == ["  no difference found"]


def test_a_text_is_read_as_the_version_and_level_asked_for(tmp_path: Path):
    path = tmp_path / "sum.mlir"
    path.write_text(
        "func.func @f(%a: tensor<1x1x1x1x1x1x2xi32>) -> tensor<1x1x1x1x1x1x2xi32> {\n"
        "  %0 = tosa.add %a, %a : (tensor<1x1x1x1x1x1x2xi32>, tensor<1x1x1x1x1x1x2xi32>) -> tensor<1x1x1x1x1x1x2xi32>\n"
        "  return %0 : tensor<1x1x1x1x1x1x2xi32>\n}\n"
    )
    assert "TOSA 1.0" in lanewise("show", path, "--tosa-version", "1.0")[0]
    assert "TOSA 1.1" in lanewise("show", path)[0]
    for command in ("check", "show", "run"):
        assert "level 8K allows up to 6" in lanewise(command, path, "--level", "8K", code=4)[1]
        assert "TOSA version 7" in lanewise(command, path, "--tosa-version", "7", code=5)[1]
