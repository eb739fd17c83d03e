"""The parameters of an emitted graph: its inputs, in its order, whatever its nodes do with them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import lanewise as lw
from lanewise.graph.emit import graph_unit
from tests.engines.text_benches import compare, job, needs_gcc, run_c


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
