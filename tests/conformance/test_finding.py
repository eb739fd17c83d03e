"""Finding tests: links are followed, cycles end, and what cannot be read is a failed test, never a missing one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lanewise.conformance.suite import find_tests
from tests.conformance.test_suite import A, B, make, verdict
from tests.formats.test_tosa_file import adder


def found(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in find_tests(folder)]


def test_linked_folders_are_followed(tmp_path: Path):
    suite = tmp_path / "suite"
    test = make(tmp_path / "elsewhere" / "inner" / "t", adder(), reference=A + B)
    make(suite / "own", adder(), reference=A + B)
    (suite / "test").symlink_to(test)
    (suite / "many").symlink_to(tmp_path / "elsewhere")
    assert found(suite) == ["many/inner/t", "own", "test"]
    assert verdict(suite / "test").verdict == "passed"


def test_links_that_lead_round_and_round_end(tmp_path: Path):
    suite = tmp_path / "suite"
    for name in "ab":
        make(suite / name / "t", adder())
    (suite / "a" / "up").symlink_to(suite)
    (suite / "a" / "out").symlink_to("/")
    (suite / "a" / "self").symlink_to("self")
    (suite / "a" / "there").symlink_to(suite / "b")
    (suite / "b" / "back").symlink_to(suite / "a")
    assert found(suite) == ["a/t", "a/there/t", "b/back/t", "b/t"]


def test_many_links_to_each_other_do_not_multiply(tmp_path: Path):
    names = [f"n{k}" for k in range(12)]
    for name in names:
        make(tmp_path / name / "t", adder())
    for name in names:
        for other in names:
            if other != name:
                (tmp_path / name / f"to-{other}").symlink_to(tmp_path / other)
    assert len(found(tmp_path)) == 12 + 12 * 11


def test_a_dangling_description_is_a_failed_test(tmp_path: Path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "desc.json").symlink_to(tmp_path / "nowhere")
    assert found(tmp_path) == ["t"]
    dangling = verdict(tmp_path / "t")
    assert dangling.verdict == "failed"
    assert "No such file" in dangling.reason
    (tmp_path / "u" / "desc.json").mkdir(parents=True)
    assert found(tmp_path) == ["t", "u"]
    assert "no regular file" in verdict(tmp_path / "u").reason


def test_a_folder_that_cannot_be_listed_is_a_failed_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "closed").mkdir()
    listed = os.listdir

    def refusing(path: Path) -> list[str]:
        if path == tmp_path / "closed":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "listdir", refusing)
    assert found(tmp_path) == ["closed"]
    assert verdict(tmp_path / "closed").verdict == "failed"
