"""A folder of vectors is there whole or not at all, and nothing else is lost for it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lanewise.conformance.vectors import folder, tables
from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.folder import FORMATS, Selection
from lanewise.conformance.vectors.whole_folder import whole_folder
from tests.cli.test_commands import lanewise

FEW = r"^tosa 1.0 (CLZ|INTDIV)"


def write(path: Path, filter: str = FEW, format: str = "csv") -> None:
    folder.write(path, format, Selection(filter, None))


def content(path: Path) -> dict[str, bytes]:
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("a fault")])
@pytest.mark.parametrize("before", ["nothing", "empty", "corpus"])
def test_a_failure_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, before: str):
    out = tmp_path / "deep" / "out"
    if before == "empty":
        out.mkdir(parents=True)
    elif before == "corpus":
        write(out)
    there = sorted(tmp_path.rglob("*")), content(tmp_path)
    done = []

    def fails(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
        if done:
            raise error
        done.append(vectors)
        return tables.csv_files(vectors)

    monkeypatch.setitem(FORMATS, "csv", fails)
    with pytest.raises((folder.InvalidError, KeyboardInterrupt, ValueError)):
        write(out)
    assert done
    assert (sorted(tmp_path.rglob("*")), content(tmp_path)) == there


@pytest.mark.parametrize("moved", [".old", "out"])
@pytest.mark.parametrize("before", [True, False])
def test_a_signal_as_a_move_returns_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: str, before: bool
):
    out = tmp_path / "deep" / "out"
    if before:
        write(out)
        (out / "mine").write_text("the user's")
    there = sorted(tmp_path.rglob("*")), content(tmp_path)
    rename, came = Path.rename, []

    def interrupted(path: Path, target: Path) -> Path:
        found = rename(path, target)
        if target.name.endswith(moved) and not came:
            came.append(target)
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Path, "rename", interrupted)

    def replace() -> None:
        with whole_folder(out) as fresh:
            (fresh / "new").write_text("new")

    if moved == ".old" and not before:  # nothing is moved away then
        replace()
        assert content(out) == {"new": b"new"}
        return
    with pytest.raises(KeyboardInterrupt):
        replace()
    assert came
    assert (sorted(tmp_path.rglob("*")), content(tmp_path)) == there


def test_a_failing_exchange_brings_back_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out"
    write(out)
    there = content(tmp_path)
    rename = Path.rename

    def fails(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise PermissionError(13, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(folder.InvalidError, match="Permission denied"):
        write(out, "^tosa 1.1 CLZ")
    assert content(tmp_path) == there


def test_an_older_corpus_gives_way_and_leaves_nothing(tmp_path: Path):
    out = tmp_path / "out"
    for filter, format in ((FEW, "csv"), ("^tosa 1.1 CLZ", "readmemh"), (FEW, "csv")):
        write(out, filter, format)
        lanewise("vectors", out, "--check")
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
        listed = [path for entry in json.loads((out / "index.json").read_text())["sets"] for path in entry["files"]]
        assert set(content(out)) == {*listed, "index.json"}


def test_what_is_not_a_corpus_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    foreign, mixed, broken, old, file = (tmp_path / name for name in ("foreign", "mixed", "broken", "old", "file"))
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")
    write(mixed)
    (mixed / "notes").mkdir()
    (mixed / "notes" / "mine.txt").write_text("more")
    broken.mkdir()
    (broken / "index.json").write_text('{"format": "csv", "filter": null, "version": null, "sets": [3]}')
    write(old)
    index = json.loads((old / "index.json").read_text())
    for entry in index["sets"]:
        del entry["files"]  # so it was written before files were listed
    (old / "index.json").write_text(json.dumps(index))
    file.write_text("")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    monkeypatch.chdir(tmp_path)
    there = content(tmp_path)
    for place, found in [
        ("foreign", "foreign: holds files already ('thesis.txt'), and no index.json; give a new or an empty folder"),
        ("mixed", "mixed: holds 'notes/mine.txt', which its index.json does not list; give a new"),
        ("broken", "index.json: not the index of a folder that 'lanewise vectors' wrote"),
        ("old", "and 1 more, which its index.json does not list; give a new"),
        ("file", "file: is there and no folder; give a new folder"),
        ("nowhere", "nowhere: is there and no folder; give a new folder"),
        (".", ".: is the current folder, which cannot be replaced; give a folder inside it"),
        ("file/out", "file is no folder; give a new folder"),
    ]:
        _, error = lanewise("vectors", place, "--format", "csv", "--filter", FEW, code=4)
        assert found in error, place
    assert content(tmp_path) == there


def test_a_corpus_around_the_current_folder_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out"
    write(out, "^tosa 1.0 CLZ", "readmemh")
    there = content(out)
    (inside,) = (path for path in out.iterdir() if path.is_dir())
    monkeypatch.chdir(inside)
    for place in ("..", str(out)):
        _, error = lanewise("vectors", place, "--format", "csv", "--filter", FEW, code=4)
        assert f"{place}: the current folder is inside it, so it cannot be replaced" in error
    assert content(out) == there


def test_a_folder_without_a_file_is_not_of_the_corpus(tmp_path: Path):
    out = tmp_path / "out"
    write(out)
    (out / "mine" / "later").mkdir(parents=True)
    with pytest.raises(folder.InvalidError, match=r"holds 'mine/later/', which its index\.json does not list"):
        write(out)
    assert (out / "mine" / "later").is_dir()
    assert folder.compare(out)[1] == ["mine/later/: not of the corpus"]
    (out / "mine" / "later").rmdir()
    (out / "mine").rmdir()
    write(out)


def test_a_folder_that_cannot_be_read_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out"
    write(out)
    (out / "closed").mkdir()
    (out / "closed" / "mine.txt").write_text("years of work")
    scan = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    with monkeypatch.context() as patch:  # file modes do not hold a superuser
        patch.setattr(os, "scandir", closed)
        for read in (write, folder.compare):
            with pytest.raises(folder.InvalidError, match="closed: Permission denied: what it holds cannot be told"):
                read(out)
    assert (out / "closed" / "mine.txt").is_file()


@pytest.mark.parametrize("words", [("--check",), ("--pin",)])
@pytest.mark.parametrize("format", ["nonsense", "csv"])
def test_what_is_pinned_has_no_format(words: tuple[str, ...], format: str):
    _, error = lanewise("vectors", *words, "--format", format, "--filter", "^tosa 1.0 CLZ", code=4)
    assert f"--format '{format}': what is pinned is the corpus, which has no format; leave --format out" in error


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link")
    assert os.readlink(tmp_path / "link") == "real"
    assert "index.json" in content(tmp_path / "real")
