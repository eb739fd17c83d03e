"""The benchmarks run, compare and judge; what they say about time is nobody's test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from benchmarks.bars import judge
from benchmarks.cases import CASES, TYPES
from benchmarks.graphs import GRAPHS
from benchmarks.measure import NOT_COUNTED, RUNS, race, ratio
from benchmarks.work import differing
from lanewise.operators import catalogue

ROOT = Path(__file__).parent.parent


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_quick_run(tmp_path: Path):
    pytest.importorskip("matplotlib")
    only = "ADD int32|TABLE int8|INTDIV|round|RGB565"
    out = run(tmp_path, "--quick", "--only", only, "--peers", "NumPy", "--rounds", "1")
    report = json.loads((tmp_path / "bench-output" / "bench.json").read_text())
    assert {"ADD int32", "TABLE int8", "INTDIV int32"} <= set(report["rows"])
    for name, row in {**report["rows"], **report["graphs"]}.items():
        assert row["fastest_correct_peer"] == "NumPy", row["absent"]
        assert name in out
    assert report["graphs"]
    assert {"ADD int32", "INTDIV int32"} <= set(report["checks"]["rows"])
    assert report["checks"]["rows_without_requirements"] == 1  # TABLE
    assert all(layout["differing"] == 0 for layout in report["layouts"].values())
    assert {"work", "bar", "reached", "met"} == set(report["bars"][0])
    for kind in ("png", "svg"):
        assert (tmp_path / "bench-output" / f"bench.{kind}").stat().st_size > 1000


def test_what_is_no_race(tmp_path: Path):
    run(tmp_path, "--quick", "--sections", "calls,cold,memory", "--peers", "")
    report = json.loads((tmp_path / "bench-output" / "bench.json").read_text())
    assert report["rows"] == {}
    assert all(call["microseconds"] > 0 for call in report["calls"].values())
    assert report["cold"]["kernels"] >= 5
    assert report["memory"]["tensor_bytes"] == 3 * 4 * report["memory"]["elements"]


def test_unknown_sections_are_refused():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--sections", "rows,speed"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "allowed, with commas between: rows," in done.stderr


def test_every_row_of_the_source_texts_is_there():
    measured = {(case.specification, case.operator, case.kind) for case in CASES}
    expected = {("onnx", "BitShift", row.inputs[0].name) for row in catalogue.find("onnx", "BitShift", 28).rows}
    for name, records in catalogue.versions_of("tosa").items():
        first = records[0]
        if (first.release.since, first.release.section) == ("0.23.0", "Elementwise Binary Operators"):
            expected |= {("tosa", name, row.inputs[0].name) for row in first.rows}
    assert measured == expected
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("item", [*CASES, *GRAPHS], ids=lambda item: item.name)
def test_operands_break_no_requirement(item):
    work = item.work(100)
    item.ours(work)()  # raises if one does
    assert work.out.dtype == (TYPES[item.output])
    assert all(array.ctypes.data % 64 == 0 for array in (*work.inputs, work.out))


def test_no_peer_no_bar():
    assert {bar.met for bar in judge({})} == {None}


def test_differing():
    integers = np.array([1, 2, 3], np.int8)
    assert differing(integers, integers) == 0
    assert differing(integers, integers + np.int8(1)) == 3
    for kind in (np.float16, np.float32, ml_dtypes.bfloat16):
        floats = np.array([0.0, np.nan, 1.0, -1.0], kind)
        others = np.array([-0.0, np.nan, 1.0, -1.0], kind)
        assert differing(floats, others) == 0
        near = floats.copy()
        near.view(np.uint32 if kind is np.float32 else np.uint16)[2:] += 1  # one step away from zero
        assert differing(floats, near) == 2
        assert differing(floats, near, units=1) == 0
        assert differing(floats, np.array([1.0, 1.0, np.nan, 1.0], kind), units=1) == 4


def test_turns_and_ratios():
    times = race({"a": lambda: None, "b": lambda: sum(range(100))}, rounds=3, pause=0.0)
    assert all(
        len(turns) == 3 and all(len(turn) in (1, RUNS - NOT_COUNTED) for turn in turns) for turns in times.values()
    )
    found = ratio([[2.0, 2.0], [6.0], [8.0, 4.0]], [[1.0, 1.0], [2.0], [1.0, 1.0]])
    assert found["ratio"] == 3.0
    assert found["lower"] <= 3.0 <= found["upper"]
