"""`lanewise run`: files in, files out."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from lanewise.formats import load
from lanewise.formats.tensors import read_tensors, write_npy
from lanewise.graph.model import DEFAULT_TENSOR_BYTES, Model
from lanewise.graph.run import Outcome, Status
from lanewise.language.errors import InvalidError, printable

Array = np.ndarray[Any, Any]
LONGEST = 200  # characters of a file name without its ending; systems allow 255 bytes
SHOWN = 24  # elements of an output that are printed when it is not written to a file


def run_command(
    path: Path,
    inputs: list[str],
    output: Path | None,
    mask: bool,
    engine: str,
    held_to: tuple[str | None, str | None, str | None],
    threads: int | None,
    max_tensor_bytes: int | None,
    as_json: bool,
) -> int:
    """Runs, writes and prints; the exit code. `held_to`: profile, level and version of TOSA."""
    profile, level, version = held_to
    limit = max_tensor_bytes or DEFAULT_TENSOR_BYTES
    if threads is not None:
        from lanewise.engines.native.threads import set_threads

        set_threads(threads)
    with _progress(f"running {path}"):
        model = load(path, profile=profile, level=level, version=version, max_tensor_bytes=limit)
        tensors = read_inputs(model, inputs, limit)
        started = time.perf_counter()
        outcome = model.run(
            tensors, on_unpredictable="mask" if mask else "value", engine=engine, max_tensor_bytes=limit
        )
        seconds = time.perf_counter() - started
        files, masks = _write(outcome, output)
    if as_json:
        print(json.dumps(_report(path, outcome, files, masks, seconds), indent=2))
    else:
        for line in _lines(path, outcome, files, seconds):
            print(printable(line))
    return 3 if outcome.status is Status.UNPREDICTABLE else 0


@contextlib.contextmanager
def _progress(text: str) -> Iterator[None]:
    """A sign of life on a terminal; silence in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def read_inputs(model: Model, given: list[str], limit: int) -> dict[str, Array]:
    """`NAME=FILE` for one input; a bare .npz gives every input that it has a member for."""
    result: dict[str, Array] = {}
    for item in given:
        name, separator, file = item.partition("=")
        if not separator:
            name, file = "", item
        tensors = read_tensors(file, max_tensor_bytes=limit)
        if name and len(tensors) == 1:
            tensors = {name: next(iter(tensors.values()))}
        elif name and name in tensors:
            tensors = {name: tensors[name]}
        elif name:
            raise InvalidError(f"{file}: has no member {name!r}; it has: {', '.join(tensors)}")
        elif "" in tensors and len(model.inputs) == 1:
            tensors = {next(iter(model.inputs)): tensors[""]}
        elif "" in tensors:
            raise InvalidError(
                f"{file}: say which input it is: --input NAME={file}; the graph has: {', '.join(model.inputs)}"
            )
        for key, array in tensors.items():
            if key in result:
                raise InvalidError(f"{file}: input {key!r} is given twice")
            result[key] = array
    return result


def _write(outcome: Outcome, folder: Path | None) -> tuple[dict[str, Path], dict[str, Path]]:
    """Every output and every mask as a file of its own; names are made safe, and never leave the folder."""
    if folder is None:
        return {}, {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidError(f"{folder}: {error.strerror or error}") from None
    taken: set[Path] = set()
    files = {name: _free(folder, safe_name(name), taken) for name in outcome.outputs}
    masks = {name: _free(folder, f"{safe_name(name)}.unpredictable", taken) for name in outcome.unpredictable}
    for paths, arrays in ((files, outcome.outputs), (masks, outcome.unpredictable)):
        for name, array in arrays.items():
            write_npy(paths[name], array)
    return files, masks


def _free(folder: Path, stem: str, taken: set[Path]) -> Path:
    """A file that no other output or mask of this run has: `stem.npy`, or with a number where that is taken."""
    endings = itertools.chain([""], (f"~{number}" for number in itertools.count(2)))
    path = next(path for ending in endings if (path := folder / f"{stem}{ending}.npy") not in taken)
    taken.add(path)
    return path


def safe_name(name: str) -> str:
    """A tensor's name as a file name: separators and leading dots are percent-encoded, long ones end in a hash."""
    encoded = quote(name, safe=" +,=@", errors="surrogatepass")
    encoded = encoded.replace(".", "%2E", 1) if encoded.startswith(".") else encoded
    if len(encoded) > LONGEST:
        digest = hashlib.sha256(encoded.encode()).hexdigest()[:16]
        encoded = f"{encoded[: LONGEST - 17]}~{digest}"
    return encoded or "%00"


def _report(
    path: Path, outcome: Outcome, files: dict[str, Path], masks: dict[str, Path], seconds: float
) -> dict[str, Any]:
    return {
        "model": str(path),
        "status": outcome.status.value,
        "seconds": seconds,
        "outputs": {
            name: {
                "dtype": array.dtype.name,
                "shape": list(array.shape),
                **({"file": str(files[name])} if name in files else {"values": _values(array)}),
                **_mask_report(outcome, name, masks),
            }
            for name, array in outcome.outputs.items()
        },
        "violations": [
            {
                "node": violation.node,
                "operator": violation.operator,
                "requirement": violation.requirement,
                "count": violation.count,
                "index": list(violation.index),
                "values": {name: _plain(value) for name, value in violation.values.items()},
            }
            for violation in outcome.violations
        ],
    }


def _mask_report(outcome: Outcome, name: str, masks: dict[str, Path]) -> dict[str, Any]:
    mask = outcome.unpredictable.get(name)
    if mask is None:
        return {}
    report: dict[str, Any] = {"unpredictable": int(mask.sum())}
    if name in masks:
        report["mask"] = str(masks[name])
    return report


def _values(array: Array) -> Any:
    """The elements as JSON has them: what is no JSON number (NaN, infinities) is a string."""
    plain = np.vectorize(_plain, otypes=[object])(array) if array.size else array
    return plain.tolist()


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, bool | int | float):
        value = float(value)
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def _lines(path: Path, outcome: Outcome, files: dict[str, Path], seconds: float) -> Iterator[str]:
    yield f"{path}: {outcome.status.value} ({seconds * 1e3:.1f} ms)"
    for name, array in outcome.outputs.items():
        shape = ", ".join(map(str, array.shape))
        mask = outcome.unpredictable.get(name)
        count = "" if mask is None else f", {int(mask.sum())} unpredictable"
        target = f" → {files[name]}" if name in files else ""
        yield f"  {name}: {array.dtype.name}[{shape}]{count}{target}"
        if name not in files:
            text = np.array2string(array, threshold=SHOWN, edgeitems=3, separator=", ", prefix="    ")
            yield from ("    " + text).splitlines()
    for violation in outcome.violations:
        yield f"  {violation}"
    if outcome.violations and not outcome.unpredictable:
        yield "  (--mask says which elements of the outputs have no defined value)"
