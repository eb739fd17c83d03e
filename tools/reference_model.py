"""The public TOSA reference model: its program, how it is given a graph with inputs, and what it answers.

The model comes from the PyPI package tosa-tools, in a virtual environment of its own, because its pins
would fight with ours.
"""

from __future__ import annotations

import json
import subprocess
import venv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lanewise as lw
from lanewise.conformance.suite import distance
from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import sort_of
from lanewise.formats.tensors import read_tensors, write_npy

STATUS = {0: "valid", 1: "unpredictable", 2: "error"}


class ReferenceModel(NamedTuple):
    """The program and the schema that it reads graphs by."""

    program: Path
    schema: Path

    def run(self, folder: Path) -> str:
        """The status of a described graph; how the program ended, if that is none. Outputs are files beside it."""
        command = [self.program, "--test_desc", folder / "desc.json", "--operator_fbs", self.schema]
        done = subprocess.run(command, capture_output=True, check=False)
        return STATUS.get(done.returncode, f"ended with {done.returncode}")


def reference_model(folder: Path | None) -> ReferenceModel:
    """The model of a virtual environment; without one, of .tosa-tools, which is made on first use."""
    if folder is None:
        folder = Path(".tosa-tools")
        if not (folder / "bin" / "tosa_reference_model").exists():
            print(f"installing tosa-tools into {folder}")
            venv.create(folder, with_pip=True, clear=True)
            subprocess.run([folder / "bin" / "pip", "install", "--quiet", "tosa-tools"], check=True)
    return ReferenceModel(folder / "bin" / "tosa_reference_model", next(iter(folder.rglob("tosa.fbs"))))


def describe(folder: Path, model: lw.Model, inputs: Mapping[str, np.ndarray]) -> None:
    """A test folder as the model's tools have it."""
    model.save(folder / "test.tosa")
    for name, array in inputs.items():
        write_npy(folder / f"{name}.npy", array)
    description = {
        "tosa_file": "test.tosa",
        "ifm_name": list(inputs),
        "ifm_file": [f"{name}.npy" for name in inputs],
        "ofm_name": list(model.outputs),
        "ofm_file": [f"{name}.npy" for name in model.outputs],
        "expected_failure": False,
    }
    (folder / "desc.json").write_text(json.dumps(description))


def difference(folder: Path, outputs: Mapping[str, np.ndarray], allowed: Callable[[float], float]) -> str | None:
    """How the outputs that the model has written differ from ours, if they do.

    Integers and booleans must be equal; `allowed` tells of the model's float by how many units in the
    last place ours may be away.
    """
    for name, ours in outputs.items():
        sort = sort_of(ours.dtype)
        assert sort is not None
        (found,) = read_tensors(folder / f"{name}.npy").values()
        if found.shape != ours.shape:
            return f"{name}: shape {ours.shape}, model {found.shape}"
        if sort.kind != "float":
            if not np.array_equal(ours, found):
                return f"{name}: {ours[ours != found][0]}, model {found[ours != found][0]}"
            continue
        theirs = found.ravel().view(ours.dtype)
        for k, (a, b) in enumerate(zip(patterns(ours.ravel(), sort), patterns(theirs, sort), strict=True)):
            if distance(a, b, sort) > (units := allowed(float(theirs[k]))):
                return f"{name}: bits {a:#x}, model {b:#x} ({sort.name}, {units:g} units allowed)"
    return None


def float_operators(model: lw.Model) -> int:
    """How many nodes of a graph give floats: each may be one unit in the last place away."""
    return sum(1 for node in model.nodes if getattr(model.types[node.output].sort, "kind", "") == "float")
