"""Random ONNX graphs and what they are lowered to, beside ONNX Runtime; `tools/lowered_graphs.py` runs many more."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import lanewise as lw
from lanewise.formats.tensors import write_npy
from lanewise.graph.model import Model
from lanewise.lowering.onnx_to_tosa import integers
from tests.lowering.onnx_graphs import NAMES, onnx_graph
from tools.lowered_graphs import DIFFERENT, SAME, Trial, nodes_of
from tools.reference_model import difference

FIRST, GRAPHS, PARTS = 50_000, 32, 4
EACH = GRAPHS // PARTS


@pytest.mark.parametrize("part", range(PARTS))
def test_graphs(part):
    counts: Counter[str] = Counter()
    for seed in range(FIRST + part * EACH, FIRST + (part + 1) * EACH):
        trial = Trial(onnx_graph(seed, nodes_of(seed)), seed).complete()
        assert not trial.faults, f"seed {seed}: {trial.faults}\n{trial.model}"
        counts += trial.counts
    assert counts["TOSA 1.1: same"] >= EACH - 1
    assert counts["TOSA 0.23.0: same"] >= EACH - 2
    assert counts["ONNX Runtime, whole graph as it is: same"] >= EACH // 2
    assert counts["ONNX Runtime, nodes one by one: same"] > 0.8 * counts["nodes"]


def test_graphs_have_every_operator():
    made = {node.operator.name for seed in range(150) for node in onnx_graph(seed, 8).nodes}
    assert made == set(NAMES)


def shift(direction: str, kind: str = "int32") -> Model:
    graph = lw.Builder(onnx=28, name="shift")
    x, y = graph.input("x", kind, (40,)), graph.input("y", kind, (40,))
    graph.output("z", graph.node("BitShift", x, y, direction=direction))
    return graph.model()


def counts_masked(w, source, x, y):
    return w.shift_left(x, w.t("BITWISE_AND", w.count(y), w.sort.width - 1))


def counts_as_they_are(w, source, x, y):
    return w.shift_left(x, w.count(y))


@pytest.mark.parametrize(("rule", "fault"), [(counts_masked, "elements differ"), (counts_as_they_are, "new violation")])
@pytest.mark.parametrize(("version", "wide", "kind"), [("1.1", None, "int64"), ("0.23.0", "pairs", "uint8")])
def test_a_wrong_rule_is_found(rule, fault, version, wide, kind, monkeypatch):
    trial = Trial(shift("LEFT", kind), 1)
    trial.tosa(version, wide)
    assert not trial.faults
    monkeypatch.setitem(integers.RULES, "BitShift", rule)
    trial.tosa(version, wide)
    assert any(fault in found for found in trial.faults), trial.faults
    assert trial.counts[f"TOSA {version}: {SAME}"] == trial.counts[f"TOSA {version}: {DIFFERENT}"] == 1


def test_another_result_of_onnx_runtime_is_found():
    trial = Trial(shift("LEFT"), 1)
    trial.onnx_runtime("whole", shift("LEFT"))
    trial.nodes()
    assert not trial.faults
    trial.onnx_runtime("whole", shift("RIGHT"))
    assert trial.faults
    trial.faults.clear()
    trial.runs[2].tensors[trial.model.nodes[0].output][7] += 1
    trial.nodes()
    assert len(trial.faults) == 1 and "node 0 (BitShift)" in trial.faults[0]


def test_what_is_not_defined_is_not_compared():
    """ONNX Runtime would end this process."""
    graph = lw.Builder(onnx=28, name="divide")
    x, y = (graph.constant(np.array(numbers, np.int32)) for numbers in ([-(2**31), 5, -7], [-1, 0, 2]))
    graph.output("z", graph.node("Div", x, y))
    trial = Trial(graph.model(), 1).complete()
    assert not trial.faults
    assert trial.counts["ONNX Runtime, whole graph as it is: not run, some element is not defined on all inputs"] == 1
    assert trial.counts["ONNX Runtime, nodes one by one: same"] == 1
    trial.runs[0].tensors[trial.model.nodes[0].output][2] += 1
    trial.nodes()
    assert len(trial.faults) == 1


def test_float16_that_is_not_rounded_between_nodes_is_left_out():
    graph = lw.Builder(onnx=28, name="scale")
    x, y = graph.input("x", "float16", (40,)), graph.input("y", "float16", (40,))
    product = graph.node("Mul", x, y)
    graph.output("product", product)
    graph.output("rest", graph.node("Sub", product, y))
    graph.output("least", graph.node("Min", x, y))
    trial = Trial(graph.model(), 1).complete()
    assert not trial.faults
    what = "ONNX Runtime, whole graph as it is"
    assert trial.counts[f"{what}: outputs left out, float16 is not rounded between nodes"] == 1
    assert trial.counts[f"{what}: {SAME}"] == 1
    assert trial.counts["ONNX Runtime, nodes one by one: same"] == 3


def test_another_result_of_the_reference_model_is_found(tmp_path):
    ours = {"whole": np.array([1, 2, 3], np.int16), "real": np.array([1.0, 2.5], np.float32)}
    for name, array in ours.items():
        write_npy(tmp_path / f"{name}.npy", array)
    assert difference(tmp_path, ours, lambda number: 0) is None
    write_npy(tmp_path / "real.npy", np.nextafter(ours["real"], np.float32(9)))
    assert difference(tmp_path, ours, lambda number: 1) is None
    assert "real: bits" in str(difference(tmp_path, ours, lambda number: 0))
    write_npy(tmp_path / "whole.npy", np.array([1, 2, 4], np.int16))
    assert "whole: 3, model 4" in str(difference(tmp_path, ours, lambda number: 1))
