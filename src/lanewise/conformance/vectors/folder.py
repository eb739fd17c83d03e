"""The corpus in a folder: writing it in one format, and comparing a folder with what would be written today."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lanewise.conformance.vectors import c_header, onnx_folders, readmemh, tables, tosa_folders
from lanewise.conformance.vectors.corpus import Corpus, VectorSet, records, row_name
from lanewise.conformance.vectors.whole_folder import whole_folder
from lanewise.formats.files import path_of, read_bytes
from lanewise.language.errors import InvalidError, brief

INDEX = "index.json"
INDEX_BYTES = 1 << 28
FORMATS: dict[str, Callable[[VectorSet], Iterator[tuple[str, bytes]]]] = {
    "onnx": onnx_folders.files,
    "tosa": tosa_folders.files,
    "npz": tables.npz_files,
    "csv": tables.csv_files,
    "json": tables.json_files,
    "c": c_header.files,
    "readmemh": readmemh.files,
}
ABOUT: dict[str, Callable[[VectorSet], dict[str, Any]]] = {  # what a format's index says more of a set
    "c": lambda vectors: {"prefix": c_header.prefix(vectors)},
    "npz": lambda vectors: {"stored_as": tables.stored_as(vectors)},
}
WITHOUT_FLAGS = ("onnx", "tosa")  # formats that cannot say that an element has no result


class Selection:
    """Which sets are meant: those of a version, whose name or row matches an expression."""

    def __init__(self, filter: str | None, version: str | None) -> None:
        self.filter, self.version = filter, version
        try:
            self._pattern = re.compile(filter or "")
        except re.error as error:
            raise InvalidError(f"--filter {brief(filter)}: not a regular expression: {error}") from None
        self.records = list(records(version))

    def wants(self, row: str, name: str) -> bool:
        """Whether a set of that row and name is meant."""
        return bool(self._pattern.search(row) or self._pattern.search(name))

    def sets(self, corpus: Corpus | None = None) -> Iterator[VectorSet]:
        """The sets that are meant; the corpus then knows which choices made none."""
        corpus = corpus or Corpus()
        for record in self.records:
            for row in record.rows:
                yield from corpus.sets(record, row, partial(self.wants, row_name(record, row)))


class Counts:
    """What was written, and what a format could not take."""

    def __init__(self) -> None:
        self.sets = self.elements = self.files = 0
        self.unpredictable = 0  # written with their flag
        self.left_out = 0  # unpredictable elements that the format has no place for
        self.sets_left_out = 0


def _contents(selection: Selection, format: str, counts: Counts) -> Iterator[tuple[str, bytes]]:
    """Every file of the folder; the index last."""
    entries = []
    corpus = Corpus()
    for vectors in selection.sets(corpus):
        made = list(FORMATS[format](vectors))
        if format in WITHOUT_FLAGS and vectors.operator.release.specification != format:
            continue
        bad = sum(map(bool, vectors.broken))
        if not made:
            counts.sets_left_out += 1
            continue
        counts.sets += 1
        counts.files += len(made)
        counts.elements += len(vectors.results) - (bad if format in WITHOUT_FLAGS else 0)
        left_out = bad if format in WITHOUT_FLAGS else 0
        counts.left_out += left_out
        counts.unpredictable += bad - left_out
        more = ABOUT[format](vectors) if format in ABOUT else {}
        files = [path for path, _ in made]
        entries.append({**tables.summary(vectors), **more, "left_out": left_out, "files": files})
        yield from made
    without = [{"title": vectors.title, "breaks": reason} for vectors, reason in corpus.without]
    head = {"format": format, "filter": selection.filter, "version": selection.version}
    yield INDEX, (json.dumps({**head, "sets": entries, "without_result": without}, indent=1) + "\n").encode()


def write(folder: Path, format: str, selection: Selection) -> Counts:
    """Writes the corpus as a new folder, or in the place of an older corpus; whole, or nothing."""
    if format not in FORMATS:
        raise InvalidError(f"--format {brief(format)}; allowed: {', '.join(FORMATS)}")
    folder = path_of(folder, "vectors")
    counts = Counts()
    try:
        _check_place(folder)
        with whole_folder(folder) as fresh:
            for path, content in _contents(selection, format, counts):
                if path == INDEX and not counts.sets:
                    raise InvalidError(f"--filter {brief(selection.filter)}: no set of vectors matches for {format}")
                (fresh / path).parent.mkdir(parents=True, exist_ok=True)
                (fresh / path).write_bytes(content)
    except OSError as error:
        raise InvalidError(f"{folder}: {error.strerror or error}") from None
    return counts


def _check_place(folder: Path) -> None:
    """Raises InvalidError unless nothing is lost where the folder is replaced: it is new, empty, or a corpus."""
    for parent in folder.absolute().parents:
        if os.path.lexists(parent):
            if not parent.is_dir():
                raise InvalidError(f"{folder}: {parent} is no folder; give a new folder")
            break
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise InvalidError(f"{folder}: is there and no folder; give a new folder")
    if folder.samefile(Path.cwd()):
        raise InvalidError(f"{folder}: is the current folder, which cannot be replaced; give a folder inside it")
    if any(folder.samefile(parent) for parent in Path.cwd().parents):
        raise InvalidError(f"{folder}: the current folder is inside it, so it cannot be replaced; give another folder")
    there = list(_files(folder))
    if not there and not any(folder.iterdir()):
        return
    what_to_do = "give a new or an empty folder, or one that 'lanewise vectors' wrote, whose place the new one takes"
    if INDEX not in there:
        shown = brief(there[0] if there else next(folder.iterdir()).name)
        raise InvalidError(f"{folder}: holds files already ({shown}), and no {INDEX}; {what_to_do}")
    listed = {INDEX}
    for entry in read_index(folder)["sets"]:
        listed.update(entry.get("files", ()))
    foreign = [path for path in there if path not in listed]
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise InvalidError(f"{folder}: holds {brief(foreign[0])}{more}, which its {INDEX} does not list; {what_to_do}")


def _files(folder: Path) -> Iterator[str]:
    """Everything below a folder that is no folder, and folders that hold nothing, by their paths from there."""
    for base, folders, names in os.walk(folder, onerror=_unreadable):
        path = Path(base)
        for name in (*names, *(name for name in folders if (path / name).is_symlink())):
            yield (path / name).relative_to(folder).as_posix()
        if not folders and not names and path != folder:
            yield f"{path.relative_to(folder).as_posix()}/"


def _unreadable(error: OSError) -> None:
    raise InvalidError(f"{error.filename}: {error.strerror}: what it holds cannot be told; make it readable") from error


def compare(folder: Path) -> tuple[int, list[str]]:
    """How many files were compared with what would be written today, and a line for each difference."""
    head = read_index(folder)
    selection = Selection(head["filter"], head["version"])
    found: list[str] = []
    expected: set[str] = set()
    for path, content in _contents(selection, head["format"], Counts()):
        expected.add(path)
        target = folder / path
        if not target.is_file():
            found.append(f"{path}: missing")
        elif read_bytes(target, max(len(content) * 2, INDEX_BYTES)) != content:
            found.append(f"{path}: differs")
    found += [f"{path}: not of the corpus" for path in _files(folder) if path not in expected]
    return len(expected), found


def read_index(folder: Path) -> dict[str, Any]:
    """What a folder says it holds."""
    path = path_of(folder, "vectors") / INDEX
    try:
        head = json.loads(read_bytes(path, INDEX_BYTES))
        filter, version, format = head["filter"], head["version"], head["format"]
        good = format in FORMATS and all(value is None or isinstance(value, str) for value in (filter, version))
        listed = [path for entry in head["sets"] for path in entry.get("files", ())]
        good = good and all(isinstance(path, str) for path in listed)
    except InvalidError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        good = False
    if not good:
        raise InvalidError(f"{path}: not the index of a folder that 'lanewise vectors' wrote")
    return head  # type: ignore[no-any-return]
