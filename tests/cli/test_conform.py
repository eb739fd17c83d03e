"""`lanewise conform` as a person meets it: output, files, exit codes, errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanewise.conformance.judging.filters import matches
from lanewise.conformance.judging.questions import asked
from lanewise.conformance.targets.names import target_of
from tests.cli.test_commands import lanewise

RIGHT = "tests.conformance.conform.sample_targets:right"
MASKS = "tests.conformance.conform.sample_targets:masks_counts"


def test_a_target_that_agrees_ends_with_0(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    out, _ = lanewise("conform", RIGHT, "--operator", "^BitwiseAnd", "--type", "^int8$", "--json", file)
    assert out.splitlines()[-2:] == [f"written: {file}", "1 agrees"]
    (finding,) = json.loads(file.read_text())["findings"]
    assert (finding["cell"], finding["verdict"], finding["compared"]) == ("onnx BitwiseAnd 18 int8", "agrees", 65536)


def test_a_target_that_differs_ends_with_1_and_the_rule_is_told(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    page = tmp_path / "page.html"
    out, _ = lanewise("conform", MASKS, "--operator", "^BitShift-28", "--type", "^int8$", "--html", page, code=1)
    assert out.splitlines()[-1] == "2 differs"
    assert "as if: count masked by the width" in out
    assert page.read_text().startswith("<!doctype html>")


def test_targets_that_cannot_run_are_told_and_the_others_judged() -> None:
    out, _ = lanewise("conform", RIGHT, "nowhere.at_all:shift", "--operator", "^BitwiseAnd", "--type", "^int8$", code=1)
    assert "\nnowhere.at_all:shift: not run: ended with 1: ModuleNotFoundError" in out
    assert out.splitlines()[-1] == "1 agrees"


def test_versions_narrow_what_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    arguments = ("--operator", "^Bitwise(And|Or)-|^BITWISE_AND$", "--type", "^int8$", "--json", file)
    lanewise("conform", MASKS, *arguments, "--version", "18", "--version", "1.0", code=0)
    asked = [
        (cell["specification"], cell["operator"], cell["version"]) for cell in json.loads(file.read_text())["cells"]
    ]
    assert asked == [("onnx", "BitwiseAnd", 18), ("onnx", "BitwiseOr", 18), ("tosa", "BITWISE_AND", "1.0")]
    lanewise(
        "conform", MASKS, "--operator", "^BitShift-", "--type", "^uint8$", "--version", "20", "--json", file, code=0
    )
    assert {cell["version"] for cell in json.loads(file.read_text())["cells"]} == {11}


@pytest.mark.parametrize(("operator", "kind", "found"), [
    ("MUL-1.1", "^INT16 → INT32$", {"tosa MUL 1.1"}),
    ("mul-1.1", "^int16 → int32$", {"tosa MUL 1.1"}),
    ("TOSA MUL 0.23.0", "^int16 → int32$", {"tosa MUL 0.23.0"}),
    ("^mul$", "^Int16( → int32)?$", {"onnx Mul 14", "tosa MUL 0.23.0", "tosa MUL 1.0", "tosa MUL 1.1"}),
    ("BitwiseAnd", "^int8$", {"onnx BitwiseAnd 18"}),
    ("Mul-14/13", "^int32$", {"onnx Mul 14", "onnx Mul 13"}),
])  # fmt: skip
def test_what_a_report_shows_finds_what_it_stands_for(operator: str, kind: str, found: set[str]) -> None:
    target = target_of(RIGHT)
    cells = [cell for cell in asked(target) if cell.listed and matches(cell, [operator], [kind])]
    assert {f"{cell.specification} {cell.record.name} {cell.record.release.since}" for cell in cells} == found


def test_what_is_no_function_is_not_run() -> None:
    printed, _ = lanewise("conform", "os:sep", "--operator", "^Add-14", "--type", "^int8$", code=1)
    assert "os:sep: not run: ended with 1: TypeError: os:sep is a str, not a function" in printed


@pytest.mark.parametrize(("operators", "found"), [
    (("^Add-14", "^BitShift-11"), {"onnx Add 14", "onnx BitShift 11"}),
    (("Mul-14/13", "^Add-14"), {"onnx Mul 14", "onnx Mul 13", "onnx Add 14"}),
    (("^Add-14", "(?i)^bitshift-28"), {"onnx Add 14", "onnx BitShift 28"}),
    ((r"^(B)itShift-11", r"^(A)(d)\2-14"), {"onnx Add 14", "onnx BitShift 11"}),
])  # fmt: skip
def test_every_pattern_given_counts_by_itself(operators: tuple[str, ...], found: set[str], tmp_path: Path) -> None:
    options = [word for pattern in operators for word in ("--operator", pattern)]
    file = tmp_path / "found.json"
    lanewise("conform", RIGHT, *options, "--type", "^uint32$", "--type", "(?i)UINT64$", "--json", file)
    cells = json.loads(file.read_text())["cells"]
    assert {f"{cell['specification']} {cell['operator']} {cell['version']}" for cell in cells} == found
    assert {cell["type"] for cell in cells} == {"uint32", "uint64"}


@pytest.mark.parametrize(("arguments", "words"), [
    (("nump",), "target 'nump'; allowed: numpy, onnx,"),
    (("program:/nowhere/at/all",), "there is no program '/nowhere/at/all'"),
    ((RIGHT, "--operator", "("), "--operator '(': no regular expression"),
    ((RIGHT, "--operator", "(", "--operator", "Add"), "--operator '(': no regular expression"),
    ((RIGHT, "--type", "complex"), "no question to these targets matches --operator and --type"),
    ((RIGHT, "--type", "complex", "--operator", "BitwiseNot"),
     "--type 'complex' is none of their types; allowed: int8, "),
    ((RIGHT, "--operator", "Add", "--operator", "Mull"), "--operator 'Mull' is none of their operators; did you mean"),
    ((RIGHT, "--operator", "^Add-14", "--type", "int8", "--type", "int9"), "--type 'int9' is none of their types"),
    ((RIGHT, "--operator", "Mull"), "--operator 'Mull' is none of their operators; did you mean MUL"),
    ((RIGHT, "--version", "29"), "--version '29': no version of a specification; ONNX has opsets from 1 to 28, "),
    ((RIGHT, "--version", "0.22"), "releases 0.23.0, 1.0, 1.1"),
    ((RIGHT, "--version", "newest"), "--version 'newest': no version of a specification"),
    ((RIGHT, "--operator", "^BitwiseAnd", "--version", "17"), "matches --operator, --type and --version"),
    ((RIGHT, "--json", "/nowhere/file.json"), "--json /nowhere/file.json: /nowhere: no such folder"),
    ((RIGHT, "--html", "/nowhere/file.html"), "--html /nowhere/file.html: /nowhere: no such folder"),
])  # fmt: skip
def test_mistakes_are_told(arguments: tuple[str, ...], words: str) -> None:
    _, errors = lanewise("conform", *arguments, code=4)
    assert words in errors
    assert len(errors.splitlines()) == 1
