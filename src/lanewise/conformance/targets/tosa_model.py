"""The TOSA reference model (tosa-tools): graphs of one node, as files, run by its program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Case, Died, NotThere
from lanewise.conformance.targets.process import ending
from lanewise.conformance.targets.tosa_graphs import graph_of
from lanewise.formats.tensors import read_tensors, write_npy

STATUS = {1: "unpredictable", 2: "error"}  # return codes besides 0
WRAPPED = 192  # codes above are signals, counted down from 256


def runner(_: str, folder: str) -> Any:
    name = "tosa_reference_model"
    entry = Path(folder) / "bin" / name  # starts Python first, so the program itself is taken where it is found
    program = next(iter(sorted(Path(folder).glob(f"lib/python*/site-packages/bin/{name}"))), entry)
    schema = next(iter(Path(folder).rglob("tosa.fbs")), None)

    def run(case: Case, operands: list[Any]) -> Any:
        if case.specification != "tosa":
            raise NotThere("it speaks TOSA only")
        with TemporaryDirectory(prefix="lanewise-") as made:
            place = Path(made)
            _describe(place, case, operands)
            command = [str(program), "--test_desc", str(place / "desc.json")]
            command += ["--operator_fbs", str(schema)] if schema else []
            done = subprocess.run(command, capture_output=True, check=False)
            printed = done.stderr.decode(errors="replace").strip().splitlines()
            said = f": {printed[-1][:200]}" if printed else ""
            if done.returncode in STATUS:
                raise ValueError(STATUS[done.returncode] + said)
            if done.returncode:
                raise Died(_ending(done.returncode) + said)
            (result,) = read_tensors(place / "z.npy").values()
            if case.output == "bfloat16" and result.dtype.itemsize == 2:
                import ml_dtypes

                result = result.view(ml_dtypes.bfloat16)
            return result

    return run


def _ending(code: int) -> str:
    """How the model ended; its Python entry point turns signal 8 into code 248."""
    return ending(code - 256) if code > WRAPPED else ending(code)


def _describe(folder: Path, case: Case, operands: list[Any]) -> None:
    model, given = graph_of(case, operands)
    model.save(folder / "test.tosa")
    for name, array in given.items():
        write_npy(folder / f"{name}.npy", np.ascontiguousarray(array))
    description = {
        "tosa_file": "test.tosa",
        "ifm_name": list(given),
        "ifm_file": [f"{name}.npy" for name in given],
        "ofm_name": ["z"],
        "ofm_file": ["z.npy"],
        "expected_failure": False,
    }
    (folder / "desc.json").write_text(json.dumps(description), encoding="utf-8")
