"""The parameters of an emitted graph: its inputs, in its order, whatever its nodes do with them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.graph.emit import graph_unit
from tests.engines.text_benches import compare, job, needs_gcc, needs_iverilog, run_c, run_sv


def difference(*, swapped: bool = True) -> lw.Model:
    """Of three inputs the second less the first, or the other way round."""
    graph = lw.Builder(onnx=28, name="difference")
    a, b, _ = (graph.input(name, "int32", (4,)) for name in "abc")
    operands = (b, a) if swapped else (a, b)
    graph.output("z", graph.node("Sub", *operands))
    return graph.model()


def parameters(model: lw.Model, lang: str) -> list[str]:
    """The names of the C function's parameters, or of the module's ports."""
    pattern = r"^int32_t f\(([^)]*)\);$" if lang == "c" else r"^module f \((.*?)\);$"
    (found,) = re.findall(pattern, lw.emit(model, lang=lang, name="f"), re.MULTILINE | re.DOTALL)
    return [part.split()[-1].lstrip("*") for part in found.split(",")]


def test_all_inputs_stand_in_the_order_of_the_graph():
    for model in (difference(), difference(swapped=False)):
        assert parameters(model, "c") == ["a", "b", "c", "unpredictable"]
        assert parameters(model, "sv") == ["a", "b", "c", "result", "unpredictable"]


def test_constants_of_several_values_come_after_the_inputs():
    graph = lw.Builder(onnx=28, name="scaled")
    several = graph.constant(np.arange(4, dtype=np.int32))
    a = graph.input("a", "int32", (4,))
    graph.output("z", graph.node("Mul", several, a))
    assert parameters(graph.model(), "c") == ["a", several.name, "unpredictable"]


@needs_gcc
def test_an_input_that_nothing_reads_changes_no_result(tmp_path: Path):
    assert "    (void)c;" in lw.emit(difference(), lang="c").splitlines()
    unit = graph_unit(difference())
    assert unit.operands == ("a", "b", "c")
    assert compare(run_c([job(unit)], tmp_path)) > 1000


def with_float(*, read: bool) -> lw.Model:
    """A sum of whole numbers beside a float, which a comparison reads or nothing does."""
    graph = lw.Builder(onnx=28, name="beside")
    x, a = graph.input("x", "float32", (4,)), graph.input("a", "int32", (4,))
    total = graph.node("Add", a, a)
    graph.output("z", graph.node("Where", graph.node("Less", x, x), a, total) if read else total)
    return graph.model()


def test_a_float_that_nothing_reads_is_a_port_of_bits():
    text = lw.emit(with_float(read=False), lang="sv", name="f")
    assert parameters(with_float(read=False), "sv") == ["x", "a", "result", "unpredictable"]
    assert "  input  logic [31:0] x," in text.splitlines()
    assert "// x takes the bits of a float32; nothing reads them." in text.splitlines()
    with pytest.raises(lw.UnsupportedError, match="float32 cannot be written in SystemVerilog"):
        lw.emit(with_float(read=True), lang="sv")


@needs_iverilog
def test_a_module_with_an_unread_float_gives_the_same(tmp_path: Path):
    assert compare(run_sv([job(graph_unit(with_float(read=False)))], tmp_path)) > 100
