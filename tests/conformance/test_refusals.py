"""What counts as a refused graph, what is skipped, and what is the test's own fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.formats.flatbuffer import Writer
from lanewise.formats.tosa_schema import IDENTIFIER, OPERATORS_1, SCHEMA_0_23, SCHEMA_1, UNIONS_0_23, UNIONS_1
from tests.conformance.test_suite import A, B, make, verdict
from tests.formats.onnx_models import shift_model
from tests.formats.test_tosa_file import ABC, adder, file, operator, tensor

WRONG = adder(operators=[operator("ADD", ["a"], ["c"])])
FOREIGN = adder(operators=[operator("CONV2D", ["a", "b"], ["c"])])


def newer(version: tuple[int, int, int], identifier: bytes | None = IDENTIFIER) -> bytes:
    """A file of the 1.x schema."""
    block = {
        "name": "main",
        "operators": [{"op": OPERATORS_1.index("ADD"), "inputs": ["a", "b"], "outputs": ["c"]}],
        "tensors": [{"name": name, "shape": [4], "type": 5} for name in "abc"],
        "inputs": ["a", "b"],
        "outputs": ["c"],
    }
    stated = dict(zip(("major", "minor", "patch"), version, strict=True))
    root = {"version": stated, "regions": [{"name": "main", "blocks": [block]}]}
    return Writer(SCHEMA_1, UNIONS_1).root("Graph", root, identifier)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ifm_name": ["a", "z"]}, "no input 'z'"),
        ({"ifm_name": [], "ifm_file": []}, "input 'a' is missing"),
        ({"ifm_name": ["a"], "ifm_file": ["a.npy"]}, "input 'b' is missing"),
        ({"ifm_name": ["a", "a"]}, "ifm_name lists 'a' twice"),
        ({"b": B[:3]}, "has shape [3]; the graph declares int32[4]"),
        ({"b": B.astype(np.float32)}, "float32 values are no int32"),
        ({"b": np.array([1, 2, 3, 2**40])}, "holds values outside int32"),
        ({"ifm_file": ["a.npy", "test.tosa"]}, "not a tensor file"),
    ],
)
@pytest.mark.parametrize("must_fail", [True, False])
def test_wrong_inputs_are_no_refused_graph(changes: dict[str, Any], says: str, must_fail: bool, tmp_path: Path):
    found = verdict(make(tmp_path / "t", adder(), reference=A + B, expected_failure=must_fail, **changes))
    assert found.verdict == "failed"
    assert says in found.reason


def test_a_graph_that_a_run_refuses_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refusing(self: lw.Model, *inputs: Any, **options: Any) -> None:
        raise lw.InvalidError("the graph breaks a rule when it runs")

    monkeypatch.setattr(lw.Model, "run", refusing)
    for must_fail, expected in ((True, "passed"), (False, "failed")):
        found = verdict(make(tmp_path / expected, adder(), reference=A + B, expected_failure=must_fail))
        assert (found.verdict, found.reason) == (expected, "refused: the graph breaks a rule when it runs")


@pytest.mark.parametrize("must_fail", [True, False])
def test_what_is_no_tosa_file_of_a_known_version_fails(must_fail: bool, tmp_path: Path):
    def failed(name: str, content: bytes, says: str, **changes: Any) -> None:
        folder = make(tmp_path / name, content, reference=A + B, expected_failure=must_fail, **changes)
        (folder / "garbage").write_bytes(b"garbage, and a good deal of it")
        (folder / "model.onnx").write_bytes(shift_model().SerializeToString())
        (folder / "model.mlir").write_text("func.func @main() { return }")
        found = verdict(folder)
        assert found.verdict == "failed", name
        assert says in found.reason, name

    for file_ in ("garbage", "desc.json", "model.onnx", "model.mlir", "a.npy"):
        failed(file_, adder(), "broken flatbuffer", tosa_file=file_)
    failed("newer", newer((1, 9, 0)), "TOSA version 1.9.0")
    failed("older", adder(version=(0, 50, 0)), "TOSA version 0.50.0")
    failed("foreign", adder(version=(0, 80, 0), operators=[operator("CONV2D", ["a"], ["c"])]), "TOSA version 0.80.0")
    failed("unsigned", newer((1, 0, 0), None), "")
    failed("old-as-new", adder(version=(1, 0, 0)), "has no file identifier")
    failed("unversioned", Writer(SCHEMA_0_23, UNIONS_0_23).root("Graph", {"blocks": []}), "states no TOSA version")


def test_what_is_refused_and_what_is_skipped(tmp_path: Path):
    cases = {
        "wrong": (WRONG, "passed", "failed"),
        "foreign": (FOREIGN, "skipped", "skipped"),
        "newer": (newer((1, 1, 0)), "failed", "passed"),
    }
    for name, (content, negative, positive) in cases.items():
        for must_fail, expected in ((True, negative), (False, positive)):
            folder = make(tmp_path / f"{name}{must_fail}", content, reference=A + B, expected_failure=must_fail)
            assert verdict(folder).verdict == expected, name


def test_only_operators_and_element_types_are_skipped(tmp_path: Path):
    def several(operators: list[dict[str, Any]]) -> bytes:
        block = {"name": "main", "operators": operators, "tensors": ABC, "inputs": ["a", "b"], "outputs": ["c"]}
        stated = {"major": 0, "minor": 23, "patch": 0}
        return Writer(SCHEMA_0_23, UNIONS_0_23).root("Graph", {"version": stated, "blocks": [block, block]})

    for name, content, expected in (
        ("operator", FOREIGN, "skipped"),
        ("control-flow", several([operator("COND_IF", ["a", "b"], ["c"])]), "skipped"),
        ("blocks", several([operator("ADD", ["a", "b"], ["c"])]), "failed"),
        ("no-operator", adder(operators=[operator("UNKNOWN", ["a", "b"], ["c"])]), "failed"),
        (
            "no-type",
            file([operator("ADD", ["a", "b"], ["c"])], [tensor("a", "UNKNOWN"), *ABC[1:]], ["a"], ["c"]),
            "failed",
        ),
    ):
        for must_fail in (True, False):
            folder = make(tmp_path / f"{name}{must_fail}", content, reference=A + B, expected_failure=must_fail)
            assert verdict(folder).verdict == expected, (name, verdict(folder))
