"""`lanewise run`: files in, files out."""

from __future__ import annotations

import contextlib
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
from lanewise.language.errors import InvalidError

Array = np.ndarray[Any, Any]
SHOWN = 24  # elements of an output that are printed when it is not written to a file


def run_command(
    path: Path,
    inputs: list[str],
    output: Path | None,
    mask: bool,
    engine: str,
    profile: str | None,
    threads: int | None,
    max_tensor_bytes: int | None,
    as_json: bool,
) -> int:
    """Runs, writes and prints; the exit code."""
    limit = max_tensor_bytes or DEFAULT_TENSOR_BYTES
    if threads is not None:
        from lanewise.engines.native.threads import set_threads

        set_threads(threads)
    with _progress(f"running {path}"):
        model = load(path, profile=profile, max_tensor_bytes=limit)
        tensors = _read_inputs(model, inputs, limit)
        started = time.perf_counter()
        outcome = model.run(
            tensors, on_unpredictable="mask" if mask else "value", engine=engine, max_tensor_bytes=limit
        )
        seconds = time.perf_counter() - started
        files = _write(outcome, output)
    if as_json:
        print(json.dumps(_report(path, outcome, files, seconds), indent=2))
    else:
        _print(path, outcome, files, seconds)
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


def _read_inputs(model: Model, given: list[str], limit: int) -> dict[str, Array]:
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


def _write(outcome: Outcome, folder: Path | None) -> dict[str, Path]:
    """Every output (and mask) as a file of its own; names are made safe, and never leave the folder."""
    if folder is None:
        return {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidError(f"{folder}: {error.strerror or error}") from None
    files = {}
    arrays = dict(outcome.outputs) | {f"{name}.unpredictable": m for name, m in outcome.unpredictable.items()}
    for name, array in arrays.items():
        files[name] = folder / f"{safe_name(name)}.npy"
        write_npy(files[name], array)
    return files


def safe_name(name: str) -> str:
    """A tensor's name as a file name: separators and leading dots are percent-encoded."""
    encoded = quote(name, safe=" +,=@")
    encoded = encoded.replace(".", "%2E", 1) if encoded.startswith(".") else encoded
    return encoded[:200] or "%00"


def _report(path: Path, outcome: Outcome, files: dict[str, Path], seconds: float) -> dict[str, Any]:
    return {
        "model": str(path),
        "status": outcome.status.value,
        "seconds": seconds,
        "outputs": {
            name: {
                "dtype": array.dtype.name,
                "shape": list(array.shape),
                **({"file": str(files[name])} if name in files else {"values": _values(array)}),
                **_mask_report(outcome, name, files),
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


def _mask_report(outcome: Outcome, name: str, files: dict[str, Path]) -> dict[str, Any]:
    mask = outcome.unpredictable.get(name)
    if mask is None:
        return {}
    report: dict[str, Any] = {"unpredictable": int(mask.sum())}
    if f"{name}.unpredictable" in files:
        report["mask"] = str(files[f"{name}.unpredictable"])
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


def _print(path: Path, outcome: Outcome, files: dict[str, Path], seconds: float) -> None:
    print(f"{path}: {outcome.status.value} ({seconds * 1e3:.1f} ms)")
    for name, array in outcome.outputs.items():
        shape = ", ".join(map(str, array.shape))
        mask = outcome.unpredictable.get(name)
        count = "" if mask is None else f", {int(mask.sum())} unpredictable"
        target = f" → {files[name]}" if name in files else ""
        print(f"  {name}: {array.dtype.name}[{shape}]{count}{target}")
        if name not in files:
            text = np.array2string(array, threshold=SHOWN, edgeitems=3, separator=", ", prefix="    ")
            print("    " + text)
    for violation in outcome.violations:
        print(f"  {violation}")
    if outcome.violations and not outcome.unpredictable:
        print("  (--mask says which elements of the outputs have no defined value)")
