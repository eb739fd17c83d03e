"""Emitted SystemVerilog in Icarus Verilog: no difference from lanewise, and no X."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanewise.engines.text import systemverilog
from lanewise.operators.catalogue import versions_of
from tests.engines.test_text_c import TOSA_BINARY, graphs
from tests.engines.text_benches import compare, kind_jobs, needs_iverilog, operator_jobs, run_sv

pytestmark = needs_iverilog

CHANGED = ["LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT", "MUL", "TABLE"]  # between 0.23.0 and 1.1, without floats


def test_every_kind_of_words(tmp_path: Path):
    assert compare(run_sv(kind_jobs((1, 4, 48)), tmp_path), oracle=True) > 10_000


def test_binary_operators_of_tosa(tmp_path: Path):
    """Every integer and boolean row of 0.23.0, and every pair of 8-bit operands."""
    assert compare(run_sv(operator_jobs("tosa", "0.23.0", TOSA_BINARY), tmp_path)) > 800_000


def test_what_later_releases_changed(tmp_path: Path):
    assert compare(run_sv(operator_jobs("tosa", "1.1", CHANGED, exhaustive=8), tmp_path)) > 5000


def test_bit_shift(tmp_path: Path):
    jobs = operator_jobs("onnx", 28, ["BitShift"])
    assert len(jobs) == 2 * 8
    assert compare(run_sv(jobs, tmp_path)) > 4 * 65536


@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_all_the_others(specification: str, tmp_path: Path):
    others = [name for name in versions_of(specification) if name not in (*TOSA_BINARY, "BitShift")]
    version = 28 if specification == "onnx" else "1.1"
    jobs = operator_jobs(specification, version, others, most=3, exhaustive=8, randoms=50)
    assert compare(run_sv(jobs, tmp_path)) > 5000


def test_graphs(tmp_path: Path):
    assert compare(run_sv(graphs(), tmp_path)) > 65536


def test_a_wrong_rule_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(systemverilog.RULES, "slt", systemverilog.RULES["ult"])
    with pytest.raises(AssertionError, match="text 0x.*lanewise 0x"):
        compare(run_sv(operator_jobs("tosa", "0.23.0", ["ARITHMETIC_RIGHT_SHIFT"]), tmp_path))
