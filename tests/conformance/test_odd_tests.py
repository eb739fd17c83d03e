"""One odd test is one failed test: the others are judged, and the run ends as ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanewise.cli import suite as command
from lanewise.conformance import suite
from lanewise.conformance.suite import Verdict, run_tests
from lanewise.language.errors import InvalidError
from tests.cli.test_commands import lanewise
from tests.conformance.test_suite import A, B, make, verdict
from tests.formats.test_tosa_file import adder


def archive(path: Path, *arrays: np.ndarray) -> None:
    np.savez(path, **{f"n{k}": array for k, array in enumerate(arrays)})


def odd(folder: Path) -> dict[str, str]:
    """Odd tests by their folders' names, with what their verdicts must say."""
    says = {}
    for name, changes, expected in (
        ("no-reference", {"ofm_file": ["r.npz"]}, "r.npz: holds 0 arrays; a tensor of a test is one"),
        ("two-references", {"ofm_file": ["two.npz"]}, "two.npz: holds 2 arrays"),
        ("no-input", {"ifm_file": ["a.npy", "r.npz"]}, "r.npz: holds 0 arrays"),
        ("two-inputs", {"ifm_file": ["a.npy", "two.npz"]}, "two.npz: holds 2 arrays"),
        ("long", {"ofm_file": ["x" * 5000]}, "File name too long"),
        ("long-graph", {"tosa_file": "x" * 5000}, "File name too long"),
        ("nul", {"ofm_file": ["a\0b.npy"]}, "names the file 'a\\x00b.npy', which no file can be called"),
        ("nul-input", {"ifm_file": ["a\0.npy", "b.npy"]}, "which no file can be called"),
        ("nul-graph", {"tosa_file": "test.tosa\0"}, "which no file can be called"),
        ("surrogate", {"ofm_file": ["\ud800.npy"]}, "which no file can be called"),
        ("dangling", {"ofm_file": ["dangling.npy"]}, "No such file"),
    ):
        made = make(folder / name, adder(), reference=A + B, **changes)
        archive(made / "r.npz")
        archive(made / "two.npz", A + B, A + B)
        (made / "dangling.npy").symlink_to("nowhere")
        says[name] = expected
    endless = {"compliance": {"tensors": {"c": {"mode": "ULP", "ulp_info": {"ulp": float("inf")}}}}}
    make(folder / "endless", adder(), reference=A + B, meta=endless)
    make(folder / "nan", adder(), reference=np.array([6, 8, np.nan, 12]))
    return {**says, "endless": "mode ULP with ulp inf", "nan": "differs from the reference"}


def test_each_fails_and_says_why(tmp_path: Path):
    for name, says in odd(tmp_path).items():
        found = verdict(tmp_path / name)
        assert found.verdict == "failed", name
        assert says in found.reason, name
        assert "unexpected" not in found.reason, name
        assert len(found.reason) < 6000


def test_the_run_goes_on(tmp_path: Path):
    says = odd(tmp_path / "suite")
    for number in range(20):
        make(tmp_path / "suite" / f"good{number}", adder(), reference=A + B)
    out, _ = lanewise("suite", tmp_path / "suite", "--workers", 2, "--json", tmp_path / "r.json", code=1)
    assert out.splitlines()[-1] == f"20 passed, {len(says)} failed, 0 skipped"
    found = json.loads((tmp_path / "r.json").read_text())
    assert [test["test"] for test in found["tests"]] == sorted([*says, *(f"good{number}" for number in range(20))])


@pytest.mark.parametrize("error", [RuntimeError("no\x1b[2J such"), MemoryError(), RecursionError("deep"), KeyError(3)])
def test_what_nobody_thought_of_is_a_failed_test(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tests = [make(tmp_path / name, adder(), reference=A + B) for name in ("a", "b", "c")]
    load = suite.load

    def odd_load(path: Any, **options: Any) -> Any:
        if path.parent.name == "b":
            raise error
        return load(path, **options)

    monkeypatch.setattr(suite, "load", odd_load)
    heard: list[Verdict] = []
    found = run_tests(tests, tmp_path, 1, heard.append)
    assert [v.verdict for v in found] == ["passed", "failed", "passed"]
    assert found[1].reason.startswith(f"unexpected {type(error).__name__}: ")
    assert found[1].reason.isprintable()
    assert heard == found


def test_tests_of_one_name_are_all_counted(tmp_path: Path):
    """The folder itself may be a test, and one below it may have its name."""
    top = make(tmp_path / "t", adder(), reference=A + B)
    make(top / "t", adder(), reference=A)
    for number in range(20):
        make(top / f"n{number}", adder(), reference=A + B)
    assert lanewise("suite", top, "--workers", 2, code=1)[0].splitlines()[-1] == "21 passed, 1 failed, 0 skipped"


def test_what_a_test_says_does_not_steer_the_terminal(tmp_path: Path):
    folder = tmp_path / "suite"
    make(folder / "\x1b[2J", adder(), expected_failure=True, expected_failure_desc="a\x1b[31m \ud800")
    out, _ = lanewise("suite", folder, code=1)
    assert out.splitlines() == [
        "FAILED \\x1b[2J: was not refused, and must be: a\\x1b[31m \\ud800",
        "0 passed, 1 failed, 0 skipped",
    ]


def test_a_report_that_cannot_be_written_is_refused_first(tmp_path: Path):
    make(tmp_path / "t", adder(), reference=A + B)
    (tmp_path / "file").touch()
    for place, says in (
        (tmp_path / "none" / "r.json", "no such folder"),
        (tmp_path / "file" / "r.json", "no such folder"),
        (tmp_path / "t", "is there, and is no regular file"),
    ):
        out, error = lanewise("suite", tmp_path, "--json", place, code=4)
        assert out == ""
        assert says in error
    lanewise("suite", tmp_path, "--json", tmp_path / "file")
    assert json.loads((tmp_path / "file").read_text())["passed"] == 1


def test_a_folder_that_takes_no_report_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make(tmp_path / "t", adder(), reference=A + B)
    monkeypatch.setattr(command.os, "access", lambda path, mode: False)
    with pytest.raises(InvalidError, match="no file can be written there"):
        command.suite_command(tmp_path, None, tmp_path / "r.json", 1)


def test_the_count_is_there_even_if_the_report_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    make(tmp_path / "t", adder(), reference=A + B)

    def full(path: Path, write: Any) -> None:
        raise InvalidError(f"{path}: No space left on device")

    monkeypatch.setattr(command, "write_whole", full)
    with pytest.raises(InvalidError, match="No space left"):
        command.suite_command(tmp_path, None, tmp_path / "r.json", 1)
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"
