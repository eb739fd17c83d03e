"""Random TOSA graphs, written by lanewise, run by the public reference model: the same status and numbers?

    python -m tools.against_reference_model [--graphs 500] [--version 1.1] [--tools FOLDER]

The model comes from the PyPI package tosa-tools, in a virtual environment of its own (made on first
use in .tosa-tools, because its pins would fight with ours). Integers and booleans must be equal; a
float may be one unit in the last place away for each float operator on its way, and as far as POW's
bound allows for each POW.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import lanewise as lw
from lanewise.conformance.suite import distance, power_bound
from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import sort_of
from lanewise.formats.tensors import read_tensors, write_npy
from tests.graph.random_graphs import Generator

# Requirements that the model does not check: it calls such graphs valid.
UNCHECKED = {
    ("CAST", "input is not NaN"),
    ("RESCALE", "-2 ** (shift - 1) <= value < 2 ** (shift - 1)"),  # with INEXACT_ROUND
}
STATUS = {0: "valid", 1: "unpredictable", 2: "error"}


def reference_tools(folder: Path | None) -> tuple[Path, Path]:
    """The model's program and its schema."""
    if folder is None:
        folder = Path(".tosa-tools")
        if not (folder / "bin" / "tosa_reference_model").exists():
            print(f"installing tosa-tools into {folder}")
            venv.create(folder, with_pip=True, clear=True)
            subprocess.run([folder / "bin" / "pip", "install", "--quiet", "tosa-tools"], check=True)
    schema = next(iter(folder.rglob("tosa.fbs")))
    return folder / "bin" / "tosa_reference_model", schema


def run_reference(folder: Path, program: Path, schema: Path) -> str:
    done = subprocess.run(
        [program, "--test_desc", folder / "desc.json", "--operator_fbs", schema], capture_output=True, check=False
    )
    return STATUS.get(done.returncode, f"ended with {done.returncode}")


def describe(folder: Path, model: lw.Model, inputs: dict[str, np.ndarray]) -> None:
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


def compare(folder: Path, model: lw.Model, inputs: dict[str, np.ndarray], theirs: str) -> str:
    """ "same", or what differs."""
    outcome = model.run(inputs, on_unpredictable="mask")
    if theirs.startswith("ended") and outcome.status is lw.Status.UNPREDICTABLE:
        return "same (the model died on it)"
    broken = {(violation.operator, violation.requirement) for violation in outcome.violations}
    if theirs == "valid" and broken and broken <= UNCHECKED:
        return "same but for a requirement that the model does not check"
    if theirs != outcome.status.value:
        return f"status: lanewise {outcome.status.value}, model {theirs}"
    if outcome.status is not lw.Status.VALID:
        return "same"
    steps = sum(1 for node in model.nodes if getattr(model.types[node.output].sort, "kind", "") == "float")
    for name, ours in outcome.outputs.items():
        sort = sort_of(ours.dtype)
        assert sort is not None
        (found,) = read_tensors(folder / f"{name}.npy").values()
        if found.shape != ours.shape:
            return f"{name}: shape {ours.shape}, model {found.shape}"
        if sort.kind != "float":
            if not np.array_equal(ours, found):
                return f"{name}: {ours[ours != found][0]}, model {found[ours != found][0]}"
            continue
        powers = sum(node.operator.name == "POW" for node in model.nodes)
        theirs_flat = found.ravel().view(ours.dtype)
        for k, (a, b) in enumerate(zip(patterns(ours.ravel(), sort), patterns(theirs_flat, sort), strict=True)):
            if distance(a, b, sort) > steps + powers * power_bound(float(theirs_flat[k]), sort):
                return f"{name}: bits {a:#x}, model {b:#x} ({sort.name}, {steps} float operators)"
    return "same"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--version", default="1.1", choices=("1.0", "1.1"))
    parser.add_argument("--tools", type=Path, help="a virtual environment with tosa-tools")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    program, schema = reference_tools(arguments.tools)
    results: Counter[str] = Counter()
    with TemporaryDirectory() as root, ThreadPoolExecutor(2) as pool:

        def one(number: int) -> tuple[int, str, str]:
            seed = arguments.seed + number
            generator = Generator("tosa", seed, arguments.version, calm=number % 4 != 0, modelled=True)
            model, inputs = generator.model(1 + number % 12)
            folder = Path(root) / str(number)
            folder.mkdir()
            describe(folder, model, inputs)
            theirs = run_reference(folder, program, schema)
            return number, compare(folder, model, inputs, theirs), f"{model}\nmodel: {theirs}"

        for number, answer, text in pool.map(one, range(arguments.graphs)):
            results["same" if answer.startswith("same") else "different"] += 1
            results["unchecked"] += answer.endswith("does not check")
            results["died"] += answer.endswith("died on it)")
            if not answer.startswith("same"):
                print(f"graph {number}: {answer}\n{text}\n")
    print(
        f"{results['same']} of {arguments.graphs} graphs the same, {results['different']} different "
        f"(among the same: {results['unchecked']} where the model does not check a requirement that fails, "
        f"{results['died']} unpredictable ones on which it died)"
    )
    return 1 if results["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
