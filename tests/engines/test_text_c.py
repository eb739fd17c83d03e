"""Emitted C99: nothing undefined, no difference from lanewise."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanewise.engines.text import c99
from lanewise.operators.catalogue import versions_of
from tests.engines.text_benches import compare, kind_jobs, needs_gcc, operator_jobs, run_c

pytestmark = needs_gcc

TOSA_BINARY = (
    "ADD ARITHMETIC_RIGHT_SHIFT BITWISE_AND BITWISE_OR BITWISE_XOR INTDIV LOGICAL_AND LOGICAL_LEFT_SHIFT "
    "LOGICAL_RIGHT_SHIFT LOGICAL_OR LOGICAL_XOR MAXIMUM MINIMUM MUL POW SUB TABLE"
).split()


def test_every_kind_of_words(tmp_path: Path):
    jobs = kind_jobs((1, 3, 4, 16, 32, 48, 64))
    print(len(jobs), compare(run_c(jobs, tmp_path), oracle=True))


@pytest.mark.parametrize(("version", "elements"), [("0.23.0", 800_000), ("1.1", 1_000_000)])
def test_binary_operators_of_tosa(version: str, elements: int, tmp_path: Path):
    """Every integer and boolean row, and every pair of 8-bit operands. What 1.0 has, 1.1 has as well."""
    assert compare(run_c(operator_jobs("tosa", version, TOSA_BINARY), tmp_path)) > elements


def test_bit_shift(tmp_path: Path):
    jobs = [j for opset in (11, 28) for j in operator_jobs("onnx", opset, ["BitShift"])]
    assert len(jobs) == 2 * (4 + 8)
    assert compare(run_c(jobs, tmp_path)) > 6 * 65536


@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_all_the_others(specification: str, tmp_path: Path):
    others = [name for name in versions_of(specification) if name not in (*TOSA_BINARY, "BitShift")]
    version = 28 if specification == "onnx" else "1.1"
    jobs = operator_jobs(specification, version, others, most=4, exhaustive=8, randoms=50)
    print(len(jobs), compare(run_c(jobs, tmp_path)))
