"""Emitted SystemVerilog in Icarus Verilog: no difference from lanewise, and no X."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lanewise.engines.text import systemverilog
from lanewise.operators.catalogue import versions_of
from tests.engines.test_text_c import TOSA_BINARY
from tests.engines.text_benches import compare, kind_jobs, needs_iverilog, operator_jobs, run_sv

pytestmark = needs_iverilog

CHANGED = ["LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT", "MUL", "TABLE"]  # between 0.23.0 and 1.1, without floats


def test_every_kind_of_words(tmp_path: Path):
    assert compare(run_sv(kind_jobs((1, 3, 4, 16, 32, 48, 64)), tmp_path), oracle=True) > 50_000


@pytest.mark.parametrize(("version", "names"), [("0.23.0", TOSA_BINARY), ("1.1", CHANGED)])
def test_binary_operators_of_tosa(version: str, names: list[str], tmp_path: Path):
    """Every integer and boolean row, and every pair of 8-bit operands."""
    assert compare(run_sv(operator_jobs("tosa", version, names), tmp_path)) > 6 * 65536


def test_bit_shift(tmp_path: Path):
    jobs = operator_jobs("onnx", 28, ["BitShift"])
    assert len(jobs) == 2 * 8
    assert compare(run_sv(jobs, tmp_path)) > 4 * 65536


@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_all_the_others(specification: str, tmp_path: Path):
    others = [name for name in versions_of(specification) if name not in (*TOSA_BINARY, "BitShift")]
    version = 28 if specification == "onnx" else "1.1"
    jobs = operator_jobs(specification, version, others, most=3, exhaustive=8, randoms=50)
    print(len(jobs), compare(run_sv(jobs, tmp_path)))
