"""Emitted C99: nothing undefined, no difference from lanewise."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.text import c99
from lanewise.graph.emit import graph_unit, operator_unit
from lanewise.language.sorts import Sort, bf16, f16, f32, i8, i16, i32
from lanewise.operators.catalogue import versions_of
from tests.engines.text_benches import Job, build, compare, job, kind_jobs, needs_gcc, operator_jobs, run_c
from tests.operators.battery import interesting

pytestmark = needs_gcc

TOSA_BINARY = (
    "ADD ARITHMETIC_RIGHT_SHIFT BITWISE_AND BITWISE_OR BITWISE_XOR INTDIV LOGICAL_AND LOGICAL_LEFT_SHIFT "
    "LOGICAL_RIGHT_SHIFT LOGICAL_OR LOGICAL_XOR MAXIMUM MINIMUM MUL POW SUB TABLE"
).split()


def test_every_kind_of_words(tmp_path: Path):
    jobs = kind_jobs((1, 4, 16, 48, 64))
    assert compare(run_c(jobs, tmp_path), oracle=True) > 20_000


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
    assert compare(run_c(jobs, tmp_path)) > 10_000


def graphs() -> list[Job]:
    """The murmur3 finaliser, and a requantisation: widen, scale, shift with rounding, saturate."""
    graph = lw.Builder(onnx=28, name="murmur3")
    h = graph.input("h", "uint32", ("n",))
    for count, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, None)):
        h = graph.node("BitwiseXor", h, graph.node("BitShift", h, graph.constant(np.uint32(count)), direction="RIGHT"))
        if factor is not None:
            h = graph.node("Mul", h, graph.constant(np.uint32(factor)))
    graph.output("hash", h)
    chain = lw.Builder(tosa="0.23.0", name="requantise")
    x, y = chain.input("x", "int8", (1, 4)), chain.input("y", "int8", (1, 4))
    wide = chain.node("MUL", x, y, shift=0)
    scaled = chain.node("RESCALE", wide, multiplier=[1518500250], shift=[36], output_type="int8", output_zp=-3)
    chain.output("z", scaled)
    return [job(graph_unit(g.model())) for g in (graph, chain)]


def test_graphs(tmp_path: Path):
    assert compare(run_c(graphs(), tmp_path)) > 65536


def test_floats(tmp_path: Path):
    """Also those that C99 has not: they are computed in double and rounded once."""
    names = [name for name in versions_of("tosa") if name != "POW"]
    jobs = operator_jobs("tosa", "1.1", names, floats=True, randoms=2000)
    types = {sort for j in jobs for sort in (*j.unit.function.inputs, *j.unit.function.outputs)}
    assert {f16, bf16, f32} <= types
    assert compare(run_c(jobs, tmp_path)) > 100_000


def test_floats_of_onnx(tmp_path: Path):
    """64-bit words become float16 and bfloat16 in one rounding."""
    names = [name for name in versions_of("onnx") if name != "Pow"]
    jobs = operator_jobs("onnx", 28, names, floats=True, most=40)
    assert compare(run_c(jobs, tmp_path)) > 100_000


@pytest.mark.parametrize("sort", [f16, bf16], ids=str)
def test_every_number_of_16_bits(sort: Sort, tmp_path: Path):
    """Through each conversion and back; and every float16 sum, product and quotient with some numbers."""
    patterns_of = tuple(range(1 << 16))
    jobs = [
        Job(operator_unit("CAST", [sort], "1.1", {"output_type": to}), (patterns_of,)) for to in (f32, i8, i16, i32)
    ]
    for other in interesting(sort)[::5]:
        column = (other,) * len(patterns_of)
        for name in ("ADD", "SUB", "MUL"):
            unit = operator_unit(name, [sort, sort], "0.23.0", {"shift": 0} if name == "MUL" else {})
            jobs.append(Job(replace(unit, name=f"{unit.name}_{other}"), (patterns_of, column)))
        unit = operator_unit("Div", [sort, sort], 28, {})
        jobs.append(Job(replace(unit, name=f"{unit.name}_{other}"), (patterns_of, column)))
    assert compare(run_c(jobs, tmp_path)) > 2_000_000


def test_powers(tmp_path: Path):
    """The C library's pow in double, rounded; the specification bounds powers, it does not fix them."""
    jobs = operator_jobs("tosa", "0.23.0", ["POW"], floats=True) + operator_jobs("onnx", 28, ["Pow"], floats=True)
    assert len(jobs) >= 6
    assert compare(run_c(jobs, tmp_path), units=1) > 10_000


def test_a_wrong_rule_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(c99.RULES, "ashr", c99.RULES["lshr"])
    with pytest.raises(AssertionError, match="text 0x.*lanewise 0x"):
        compare(run_c(operator_jobs("tosa", "0.23.0", ["ARITHMETIC_RIGHT_SHIFT"]), tmp_path))


def test_a_file_stands_alone(tmp_path: Path):
    path = tmp_path / "shift.c"
    path.write_text(lw.emit("BitShift", "int8", lang="c", direction="RIGHT", name="shift"))
    build(["-c", str(path), "-o", str(tmp_path / "shift.o")])


def test_files_go_together(tmp_path: Path):
    """In one translation unit: helpers that both bring along, fixed tables of the same operand, names of headers."""
    table = list(range(-128, 128))
    texts = [
        lw.emit("ARITHMETIC_RIGHT_SHIFT", "int16", lang="c", round=True, name="one"),
        lw.emit("ARITHMETIC_RIGHT_SHIFT", "int16", lang="c", round=False, name="two"),
        lw.emit("TABLE", "int8", lang="c", table=table, name="three"),
        lw.emit("TABLE", "int8", lang="c", table=table[::-1], name="four"),
        lw.emit("ADD", "bfloat16", lang="c", name="five"),
        lw.emit("MUL", "bfloat16", lang="c", shift=0, name="six"),
    ]
    path = tmp_path / "all.c"
    path.write_text("\n".join(texts))
    build(["-c", str(path), "-o", str(tmp_path / "all.o")])


@pytest.mark.parametrize("name", ["pow", "ldexpf", "int8_t", "NAN", "s1", "result", "case", "module"])
def test_names_that_are_taken_are_refused(name: str):
    with pytest.raises(lw.InvalidError, match="no word of C or SystemVerilog"):
        lw.emit("Pow", "float16", lang="c", name=name)


def test_an_operand_may_have_the_units_name(tmp_path: Path):
    text = lw.emit("ADD", "int32", lang="sv", name="input1")
    assert "module input1 (" in text
    assert "input1_in," in text


def test_what_cannot_be_exact_is_refused():
    with pytest.raises(lw.UnsupportedError, match="has no floats"):
        lw.emit("ADD", "float32", lang="sv")
    with pytest.raises(lw.InvalidError, match="allowed: 'c'"):
        lw.emit("ADD", "int32", lang="vhdl")


@pytest.mark.parametrize("option", ["fast-math", "finite-math-only", "no-signed-zeros", "reciprocal-math"])
def test_a_compiler_that_takes_floats_for_something_else_is_refused(option: str, tmp_path: Path):
    file = tmp_path / "add.c"
    file.write_text(lw.emit("ADD", "float32", lang="c"))
    command = ["gcc", "-std=c99", "-Wundef", "-Werror", "-c", str(file), "-o", str(tmp_path / "add.o")]
    assert subprocess.run(command, check=False).returncode == 0
    done = subprocess.run([*command, f"-f{option}"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "this file is for exact floats" in done.stderr
