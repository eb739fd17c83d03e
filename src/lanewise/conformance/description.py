"""What a test says of itself: its `desc.json`, and the files that it names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.finding import DESCRIPTION
from lanewise.engines.storage import dtype_of
from lanewise.formats.files import read_bytes
from lanewise.formats.tensors import read_tensors
from lanewise.graph.arrays import list_as
from lanewise.graph.model import TensorType
from lanewise.language.errors import InvalidError, brief

Array = np.ndarray[Any, Any]

DESCRIPTION_BYTES = 1 << 20


def read_description(folder: Path) -> dict[str, Any]:
    """The description as it stands in the file."""
    path = folder / DESCRIPTION
    try:
        found = json.loads(read_bytes(path, DESCRIPTION_BYTES))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidError):
            raise
        raise InvalidError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidError(f"{path}: holds no description of a test")
    return found


def inside(folder: Path, file: Any) -> Path:
    """A file of the test; a description names nothing outside its folder."""
    if not isinstance(file, str) or not file or Path(file).is_absolute() or ".." in Path(file).parts:
        raise InvalidError(f"{folder / DESCRIPTION}: names the file {brief(file)}, which is not in its folder")
    try:
        stored = os.fsencode(file)
    except UnicodeEncodeError:  # half of a surrogate pair
        stored = b"\0"
    if b"\0" in stored:
        raise InvalidError(f"{folder / DESCRIPTION}: names the file {brief(file)}, which no file can be called")
    return folder / file


def read_inputs(folder: Path, description: Mapping[str, Any]) -> dict[str, Array]:
    """The arrays to run on, by the names of the graph's inputs."""
    given: dict[str, Array] = {}
    for name, path in _pairs(folder, description, "ifm"):
        if name in given:
            raise InvalidError(f"{folder / DESCRIPTION}: ifm_name lists {brief(name)} twice")
        given[name] = _array(path)
    return given


def as_declared(folder: Path, given: Mapping[str, Array], kinds: Mapping[str, TensorType]) -> dict[str, Array]:
    """Arrays of the declared types: the tools keep narrow integers in wider ones."""
    result = {}
    for name, array in given.items():
        kind = kinds.get(name)
        fits = kind is None or array.dtype == dtype_of(kind.sort)
        result[name] = array if fits else list_as(array, kind.sort, f"{folder}, input {name!r}")  # type: ignore[union-attr]
    return result


def read_references(folder: Path, description: Mapping[str, Any]) -> Iterator[tuple[str, Array | None]]:
    """What each listed output must be; None where the test brings no such file."""
    for name, path in _pairs(folder, description, "ofm"):
        try:
            path.lstat()
        except FileNotFoundError:
            yield name, None
        except OSError as error:
            raise InvalidError(f"{folder / DESCRIPTION}: the file {brief(path.name)}: {error.strerror}") from None
        else:
            yield name, _array(path)


def stated_bound(description: Mapping[str, Any], output: str) -> Mapping[str, Any] | None:
    """What the description states about an output's accuracy, if it does."""
    try:
        stated = description["meta"]["compliance"]["tensors"][output]
    except (KeyError, TypeError):
        return None
    return stated if isinstance(stated, Mapping) else None


def _pairs(folder: Path, description: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Path]]:
    names, files = description.get(f"{kind}_name"), description.get(f"{kind}_file")
    if not isinstance(names, list) or not isinstance(files, list) or len(names) != len(files):
        raise InvalidError(f"{folder / DESCRIPTION}: {kind}_name and {kind}_file are not two lists of one length")
    for name, file in zip(names, files, strict=True):
        yield str(name), inside(folder, file)


def _array(path: Path) -> Array:
    """The one array of a file."""
    found = list(read_tensors(path).values())
    if len(found) != 1:
        raise InvalidError(f"{path}: holds {len(found)} arrays; a tensor of a test is one")
    return found[0]
