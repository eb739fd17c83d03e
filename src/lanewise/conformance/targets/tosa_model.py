"""The TOSA reference model (tosa-tools): graphs as files, run by its program; as a target, graphs of one node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Case, Died, NotThere
from lanewise.conformance.targets.process import ending
from lanewise.conformance.targets.tosa_graphs import graph_of
from lanewise.formats import tosa_writer
from lanewise.formats.tensors import read_tensors, write_npy
from lanewise.language.errors import UnsupportedError

Array = np.ndarray[Any, Any]
STATUS = {1: "unpredictable", 2: "error"}  # return codes besides 0
WRAPPED = 192  # codes above are signals, counted down from 256


class Program:
    """The model's program, found in a virtual environment with tosa-tools."""

    def __init__(self, folder: Path) -> None:
        name = "tosa_reference_model"
        entry = folder / "bin" / name  # starts Python first, so the program itself is taken where it is found
        self.path = next(iter(sorted(folder.glob(f"lib/python*/site-packages/bin/{name}"))), entry)
        self.schema = next(iter(folder.rglob("tosa.fbs")), None)

    def command(self, description: Path) -> list[str]:
        """What runs a described test."""
        schema = ["--operator_fbs", str(self.schema)] if self.schema else []
        return [str(self.path), "--test_desc", str(description), *schema]

    def run(self, place: Path, model: bytes, given: Mapping[str, Array], outputs: Mapping[str, str]) -> list[Array]:
        """The outputs of a graph, by name and type; files lie in `place`. ValueError if it refuses, Died if it dies."""
        results = [place / f"result{k}.npy" for k in range(len(outputs))]
        _describe(place, model, given, dict(zip(outputs, results, strict=True)))
        done = subprocess.run(self.command(place / "desc.json"), capture_output=True, check=False)
        printed = done.stderr.decode(errors="replace").strip().splitlines()
        said = f": {printed[-1][:200]}" if printed else ""
        if done.returncode in STATUS:
            raise ValueError(STATUS[done.returncode] + said)
        if done.returncode:
            raise Died(_ending(done.returncode) + said)
        return [_read(path, sort) for path, sort in zip(results, outputs.values(), strict=True)]


def runner(_: str, folder: str) -> Any:
    program = Program(Path(folder))

    def run(case: Case, operands: list[Any]) -> Any:
        if case.specification != "tosa":
            raise NotThere("it speaks TOSA only")
        with TemporaryDirectory(prefix="lanewise-") as made:
            model, given = graph_of(case, operands)
            try:
                content = tosa_writer.model_bytes(model)
            except UnsupportedError as error:
                raise NotThere(f"no file can ask it: {error}") from None
            (result,) = program.run(Path(made), content, given, {"z": case.output})
            return result

    return run


def _read(path: Path, sort: str) -> Array:
    (result,) = read_tensors(path).values()
    if sort == "bfloat16" and result.dtype.itemsize == 2:
        import ml_dtypes

        return result.view(ml_dtypes.bfloat16)
    return result


def _ending(code: int) -> str:
    """How the model ended; its Python entry point turns signal 8 into code 248."""
    return ending(code - 256) if code > WRAPPED else ending(code)


def _describe(folder: Path, model: bytes, given: Mapping[str, Array], results: Mapping[str, Path]) -> None:
    (folder / "test.tosa").write_bytes(model)
    files = {name: f"input{k}.npy" for k, name in enumerate(given)}
    for name, array in given.items():
        write_npy(folder / files[name], np.ascontiguousarray(array) if array.ndim else array)
    description = {
        "tosa_file": "test.tosa",
        "ifm_name": list(files),
        "ifm_file": list(files.values()),
        "ofm_name": list(results),
        "ofm_file": [path.name for path in results.values()],
        "expected_failure": False,
    }
    (folder / "desc.json").write_text(json.dumps(description), encoding="utf-8")
