"""`lanewise explain`: the deciding rule, every version, every installed runtime."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lanewise.cli.explain import explained
from lanewise.cli.said import answer_lines
from lanewise.conformance.answers import Answer
from lanewise.conformance.one_element import Judged
from lanewise.conformance.targets.names import TOOLS, target_of
from lanewise.language.sorts import i8
from lanewise.operators.catalogue import named
from tests.cli.test_commands import lanewise


def test_the_rule_and_one_line_a_version():
    out, _ = lanewise("explain", "MUL", "int32", "5", "2", "-a", "shift=1", code=3)
    lines = out.splitlines()
    assert '  decided by: require "2 <= shift <= 62" (TOSA 0.23.0, Elementwise Binary Operators)' in lines
    at = lines.index("  each version:")
    bits = "0000_0000_0000_0000_0000_0000_0000_0101  0x5  (int32)"
    assert lines[at + 1 :] == [
        "    TOSA 0.23.0  unpredictable: breaks 2 <= shift <= 62",
        f"    TOSA 1.0     5  {bits}",
        f"    TOSA 1.1     5  {bits}",
    ]


def test_versions_that_refuse_say_why():
    out, _ = lanewise("explain", "BitShift", "int8", "-8", "1", "-a", "direction=RIGHT")
    assert "    ONNX opset 11  refused: BitShift-11: no row for inputs (int8, int8)" in out
    assert "    ONNX opset 28  -4  1111_1100  0xfc  (int8)" in out
    out, _ = lanewise("explain", "MAXIMUM", "float32", "nan", "1", "-a", "nan_mode=IGNORE", "--version", "1.0")
    assert "    TOSA 0.23.0  refused: MAXIMUM: unknown attribute 'nan_mode'" in out


def test_json_keeps_its_keys_and_has_new_ones():
    report = json.loads(lanewise("explain", "MUL", "int32", "5", "2", "-a", "shift=1", "--json", code=3)[0])
    assert list(report)[:7] == [
        "operator",
        "specification",
        "inputs",
        "attributes",
        "requirements",
        "status",
        "result",
    ]
    assert report["rule"].startswith('require "2 <= shift <= 62"')
    assert [entry["status"] for entry in report["versions"]] == ["unpredictable", "valid", "valid"]
    assert report["versions"][1]["value"] == 5
    assert "runtimes" not in report


def test_runtimes_answer_in_processes_of_their_own():
    report = json.loads(lanewise("explain", "Div", "int32", "-2147483648", "-1", "--runtimes", "--json")[0])
    found = {entry["runtime"]: entry for entry in report["runtimes"]}
    assert list(found) == ["numpy", "onnx", "onnxruntime", "torch", "jax", "litert"]
    assert found["numpy"]["value"] == -2147483648
    assert found["numpy"]["agrees"] is True
    for name, entry in found.items():
        assert (entry["answer"] == "not installed") == (target_of(name).missing is not None), entry
        assert entry["answer"] in ("answers", "refuses", "crashes", "not installed"), entry


def test_iree_is_asked_at_the_version_that_it_speaks():
    missing = target_of("iree").missing
    out, _ = lanewise("explain", "MUL", "int32", "5", "2", "-a", "shift=1", "--runtimes", code=3)
    (line,) = [line for line in out.splitlines() if line.startswith("    iree")]
    assert "(TOSA 1.1)" in line
    assert line.endswith("  agrees") if missing is None else missing in line  # 1.1 decides what 0.23.0 does not
    report = json.loads(lanewise("explain", "MAXIMUM", "int32", "3", "4", "--runtimes", "--json")[0])
    (entry,) = [entry for entry in report["runtimes"] if entry["runtime"] == "iree"]
    assert entry["asked"] == "TOSA 1.1"
    assert all("asked" not in entry for entry in report["runtimes"] if entry["runtime"] in ("numpy", "torch", "jax"))


def test_the_reference_model_is_asked_where_it_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tools = os.environ.get(TOOLS)
    monkeypatch.delenv(TOOLS, raising=False)
    assert "tosa (" not in lanewise("explain", "ADD", "int32", "3", "4", "--runtimes")[0]
    out, _ = lanewise("explain", "ADD", "int32", "3", "4", "--runtimes", "--tosa-tools", str(tmp_path))
    assert f"tosa (TOSA 1.1)         not installed: {tmp_path}/bin/tosa_reference_model: no such file" in out
    assert "tosa (" not in lanewise("explain", "Add", "int32", "3", "4", "--runtimes", "--tosa-tools", str(tmp_path))[0]
    if not tools:
        pytest.skip(f"{TOOLS} does not say where tosa-tools is")
    out, _ = lanewise("explain", "ADD", "int32", "3", "4", "--runtimes", "--tosa-tools", tools)
    assert out.endswith("0111  0x7  (int32)  agrees\n")
    out, _ = lanewise("explain", "INTDIV", "int32", "7", "0", "--runtimes", "--tosa-tools", tools, code=3)
    assert "tosa (TOSA 1.1)         crashes: ended by SIGFPE" in out


@pytest.mark.parametrize(
    ("verdict", "reading", "says"),
    [
        ("agrees", "", "(int8)  agrees"),
        ("differs", "", "(int8)  DIFFERS"),
        ("", "", "(int8)"),
        ("reads it otherwise", "O3", "(int8)  reads it otherwise (O3)"),
    ],
)
def test_lines_say_whether_they_agree(verdict: str, reading: str, says: str):
    line = answer_lines([Answer("other", "1.0", "answers", "int8", 3, "", verdict, reading)], i8)[-1]
    assert line.endswith(says)


@pytest.mark.parametrize(
    ("operator", "types", "values", "attributes", "pattern", "verdict", "reading"),
    [
        ("Div", "int32", ["7", "0"], [], 0, "agrees", "O3"),
        ("Div", "int32", ["7", "0"], [], 0xFFFFFFFF, "reads it otherwise", "O3"),
        ("Div", "int32", ["7", "2"], [], 4, "differs", ""),
        ("INTDIV", "int32", ["7", "0"], [], 4, "", ""),
        ("Add", "float32", ["1e-45", "0"], [], 0, "reads it otherwise", "O9"),
        ("Add", "float32", ["1e-45", "0"], [], 0x42280000, "differs", "O9"),
        ("Add", "float32", ["nan", "0"], [], 0xFFC00001, "agrees", ""),
        ("Add", "float32", ["nan", "0"], [], 0x7F800000, "differs", ""),
        ("POW", "float32", ["0.16527634859085083", "2.928373098373413"], [], 0x3BA84C51, "agrees", ""),
        ("POW", "float32", ["0.16527634859085083", "2.928373098373413"], [], 0x3BA84D51, "differs", ""),
        ("Clip", "float32", ["nan", "0", "1"], [], 0, "reads it otherwise", "O7"),
        ("Cast", "float32", ["300"], ["to=int8"], 44, "reads it otherwise", "O8"),
        ("Max", "int8", ["1", "2", "3"], [], 3, "agrees", ""),
        ("Max", "int8", ["1", "2", "3"], [], 4, "differs", ""),
        ("Max", "float32", ["nan", "2", "3"], [], 0x40400000, "", ""),
        ("Max", "float32", ["1", "2", "3"], [], 0x40400000, "agrees", ""),
        ("MUL", "int32", ["3", "1"], ["shift=2"], 1, "agrees", ""),
    ],
)
def test_one_element_is_judged_as_conform_judges_it(
    operator: str, types: str, values: list[str], attributes: list[str], pattern: int, verdict: str, reading: str
):
    judged = Judged(explained(named(operator, None), types, values, attributes))
    assert (judged.verdict(pattern), judged.reading) == (verdict, reading)


def test_where_the_text_is_silent_the_reading_is_named_and_not_the_text():
    out, _ = lanewise("explain", "Div", "int32", "7", "0")
    assert "  decided by: lanewise's reading O3, as the text is silent here (ONNX opset 14, Div): " in out
    assert "    ONNX opset 14  0  0000_0000_0000_0000_0000_0000_0000_0000  0x0  (int32)  (reading O3)" in out
    report = json.loads(lanewise("explain", "Div", "int32", "7", "0", "--runtimes", "--json")[0])
    assert report["versions"][-1]["reading"] == "O3"
    numpy = next(entry for entry in report["runtimes"] if entry["runtime"] == "numpy")
    assert (numpy["agrees"], numpy["reading"]) == (True, "O3")
    jax = next(entry for entry in report["runtimes"] if entry["runtime"] == "jax")
    assert jax["answer"] == "not installed" or (jax["value"], jax["agrees"], jax["reading"]) == (-1, None, "O3")
    out, _ = lanewise("explain", "Div", "int32", "7", "2")
    assert "reading O3" not in out
