"""TOSA 0.23.0 to 1.0 and 1.1: every rule against its operator, whole graphs, and what is refused."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from lanewise.engines.checks import masked
from lanewise.engines.exact_kernel import from_patterns, patterns
from lanewise.engines.native.kernel import kernel
from lanewise.engines.storage import dtype_of
from lanewise.graph.build import Builder
from lanewise.graph.model import TensorType
from lanewise.language.sorts import Sort, bf16, f16, f32, i8, i16, i32, u6
from lanewise.lowering.lower import Lowered, lower_graph
from lanewise.lowering.rule import Refused, Source
from lanewise.lowering.tosa_power import POWER
from lanewise.lowering.tosa_releases import SAME, TosaToTosa, small_counts
from lanewise.operators.catalogue import find
from tests.operators.battery import interesting, random_patterns

DIRECTION = TosaToTosa(version="1.0")
NAMES = sorted({source.operator.name for source in DIRECTION.instances()} - {"RESCALE"})


def columns(sorts: list[Sort]) -> list[list[int]]:
    """Every input of up to 16 bits; else the edges crossed, and random patterns."""
    if sum(sort.width for sort in sorts) <= 16:
        return [list(c) for c in zip(*itertools.product(*(range(1 << sort.width) for sort in sorts)), strict=True)]
    edges = [interesting(sort) for sort in sorts]
    if len(sorts) > 2:
        edges = [values[:: max(1, len(values) // 10)] for values in edges]
    generator = np.random.default_rng(7)
    return [
        [*column, *random_patterns(sort, 1500, generator)]
        for column, sort in zip(zip(*itertools.product(*edges), strict=True), sorts, strict=True)
    ]


def differences(source: Source, direction: TosaToTosa = DIRECTION) -> tuple[int, int]:
    """How many elements have a result before, and how many of them have another one, or none, afterwards."""
    before, after = source.function(), direction.lowered(source)
    table = iter(columns([sort for sort in before.inputs if isinstance(sort, Sort)]))
    generator = np.random.default_rng(11)
    operands, size = [], 0
    for sort in before.inputs:
        if isinstance(sort, Sort):
            operands.append(from_patterns(next(table), sort))
            size = operands[-1].size
        else:
            entries = generator.integers(sort.element.lowest // 4, sort.element.highest // 4, sort.length)
            operands.append(entries.astype(f"int{sort.element.width}"))
    (want, unpredictable), _ = kernel(masked(before))(operands, (size,))
    (got, broken), _ = kernel(masked(after))(operands, (size,))
    output = before.outputs[0]
    other = np.array(patterns(want, output)) != np.array(patterns(got, output))
    return int((~unpredictable).sum()), int((~unpredictable & (broken | other)).sum())


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_keeps_every_result(name: str):
    for source in DIRECTION.instances():
        if source.operator.name == name:
            valid, bad = differences(source)
            assert valid > 0 and bad == 0, source.label


@pytest.mark.parametrize("types", ["int8", "uint8", "int16", "int32", "int48"])
def test_rescale(types: str):
    """One zero point in three, so that the test stays short: all of them are among what is proven."""
    found = [s for s in DIRECTION.instances() if s.operator.name == "RESCALE" and s.types[0].name == types]
    for source in [s for k, s in enumerate(found) if k % 5 == 0]:
        valid, bad = differences(source)
        assert valid > 0 and bad == 0, source.label


def test_a_wrong_rule_is_seen():
    """The shift as it is, without a word about counts: counts of 8 and more lose their results."""
    source = Source(find("tosa", "LOGICAL_LEFT_SHIFT", "0.23.0"), (i8, i8), i8)

    class Wrong(TosaToTosa):
        def rule(self, source):
            return SAME

    assert differences(source, Wrong())[1] == 256 * 24
    assert differences(replace(source, premise=small_counts(i8)), Wrong())[1] == 0


def test_every_operator_of_the_release_has_a_rule():
    from lanewise.operators.catalogue import versions_of

    have = {s.operator.name for s in DIRECTION.instances()}
    want = {name for name, records in versions_of("tosa").items() if records[0].release.since == "0.23.0"}
    assert want - have == {"RESHAPE", "IDENTITY", "CONST"}  # moved only


# --- whole graphs ---------------------------------------------------------------------------


def lowered(graph: Builder, version: str = "1.0") -> Lowered:
    found = lower_graph(graph.model(), TosaToTosa(version=version))
    assert found.model.version == version
    return found


def same_runs(graph: Builder, inputs: dict, version: str = "1.0") -> Lowered:
    found = lowered(graph, version)
    before = graph.model().run(inputs)
    after = found.model.run(found.encode(inputs))
    assert before.status.name == after.status.name == "VALID"
    decoded = found.decode(after.outputs)
    assert set(decoded) == set(before.outputs)
    for name, want in before.outputs.items():
        assert decoded[name].dtype == want.dtype and decoded[name].shape == want.shape
        bits = f"u{want.itemsize}"  # -0.0 is not 0.0
        np.testing.assert_array_equal(decoded[name].view(bits), want.view(bits))
    return found


def test_counts_from_the_graph_need_no_scaffolding():
    graph = Builder(tosa="0.23.0")
    x, n = graph.input("x", "int8", (2, 3)), graph.input("n", "int8", (2, 1))
    graph.output("fixed", graph.node("LOGICAL_LEFT_SHIFT", x, graph.constant([[0, 3, 7]], "int8")))
    graph.output("large", graph.node("LOGICAL_RIGHT_SHIFT", x, graph.constant([[0, 3, 8]], "int8")))
    graph.output("free", graph.node("LOGICAL_RIGHT_SHIFT", x, n))
    x = np.array([[-128, -1, 127], [5, -7, 64]], np.int8)
    found = same_runs(graph, {"x": x, "n": np.array([[31], [2]], np.int8)})
    assert [step.operators for step in found.report.steps] == [
        ("LOGICAL_LEFT_SHIFT",),
        ("CAST", "CAST", "BITWISE_AND", "LOGICAL_RIGHT_SHIFT", "CAST"),
        ("CAST", "CAST", "BITWISE_AND", "LOGICAL_RIGHT_SHIFT", "CAST"),
    ]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("sort", [f16, bf16, f32], ids=str)
def test_powers_that_later_releases_do_not_have(sort: Sort, version: str):
    """Bases of either sign, zeros, infinities and NaN, by whole, odd, even and other exponents."""
    special = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1023.0, 1e4, math.inf]
    bases = np.array([sign * value for value in special for sign in (1.0, -1.0)] + [math.nan], np.float32)
    graph = Builder(tosa="0.23.0")
    x, y = graph.input("x", sort.name, (bases.size, 1)), graph.input("y", sort.name, (1, bases.size))
    graph.output("z", graph.node("POW", x, y))
    bases = bases.astype(dtype_of(sort))
    found = same_runs(graph, {"x": bases[:, None], "y": bases[None]}, version)
    assert found.report.steps[0].bound == POWER.bound(None) and not found.report.exact


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_graph_of_many_operators(version: str):
    graph = Builder(tosa="0.23.0")
    x, y = graph.input("x", "int8", (2, 4)), graph.input("y", "int8", (1, 4))
    product = graph.node("MUL", x, y, shift=9)  # of no effect on int8
    scaled = graph.node("MUL", product, graph.node("ABS", product), shift=4)
    small = graph.node("RESCALE", scaled, multiplier=[1 << 30], shift=[30], output_zp=-3, output_type="int8")
    table = graph.node("TABLE", small, table=list(range(127, -129, -1)))
    turned = graph.node("NEGATE", graph.node("RESHAPE", table, new_shape=(4, -1)), input1_zp=5, output_zp=-128)
    graph.output("z", graph.node("CLAMP", turned, min_val=-100, max_val=90))
    graph.output("same", graph.node("IDENTITY", x))
    generator = np.random.default_rng(3)
    inputs = {"x": generator.integers(-90, 91, (2, 4), np.int8), "y": generator.integers(-90, 91, (1, 4), np.int8)}
    found = same_runs(graph, inputs, version)
    assert found.report.exact and all(sort != u6 for sort in (c.sort for c in found.model.constants.values()))


def test_requantisation_in_each_channel():
    """Shifts of 32 and more: RESCALE stays; one shift below, and single rounding: MUL; both, refused."""

    def graph(shifts: list[int]) -> Builder:
        made = Builder(tosa="0.23.0")
        x = made.input("x", "int32", (2, 3))
        scaled = made.node(
            "RESCALE",
            x,
            multiplier=[1 << 30, 3 << 29, 5],
            shift=shifts,
            per_channel=True,
            output_zp=7,
            output_type="int8",
        )
        made.output("z", scaled)
        return made

    x = np.array([[100000, -100000, 2147483647], [-2147483648, 1 << 30, -5]], np.int32)
    assert same_runs(graph([40, 38, 33]), {"x": x}).report.steps[0].operators == ("RESCALE",)
    assert "MUL" in same_runs(graph([31, 31, 31]), {"x": x}).report.steps[0].operators
    with pytest.raises(
        Refused, match=r"the shifts are 30, 40; later releases limit the value .* from a shift of 32 on"
    ):
        lowered(graph([40, 40, 30]))


def test_bytes_without_sign_are_carried_as_int8():
    graph = Builder(tosa="0.23.0")
    x = graph.input("x", "uint8", (2, 3))
    inner = graph.node("RESCALE", x, multiplier=[1 << 30], shift=[30], input_zp=128, output_zp=-1, output_type="int8")
    graph.output(
        "z",
        graph.node("RESCALE", inner, multiplier=[1 << 30], shift=[31], input_zp=-1, output_zp=200, output_type="uint8"),
    )
    found = same_runs(graph, {"x": np.array([[0, 1, 127], [128, 200, 255]], np.uint8)})
    assert [change.change for change in found.report.changes] == ["uint8 as the raw bits of int8"] * 2
    assert found.model.inputs["x"].sort == found.model.types[found.model.outputs["z"].tensor].sort == i8


def test_a_shift_that_a_run_brings():
    graph = Builder(tosa="0.23.0", profile="MT")
    x, shift = graph.input("x", "int32", (4,)), graph.input("shift", "uint6", ())
    graph.output("z", graph.node("MUL", x, x, shift))
    found = same_runs(graph, {"x": np.array([5, 6, 7, 1000], np.int32), "shift": np.uint8(4)})
    assert any("EXT-DYNAMIC" in note for note in found.report.notes)
    assert found.report.changes[0].change == "uint6 as int8"


def test_nan_is_0_before_it_is_cast():
    graph = Builder(tosa="0.23.0")
    graph.output("z", graph.node("CAST", graph.input("x", "float32", (4,)), output_type="int16"))
    same_runs(graph, {"x": np.array([np.nan, 2.5, -1e9, np.inf], np.float32)})


def test_operands_that_repeat_into_a_declared_result():
    """Reading T3: 0.23.0 lets [1] and [1] fill [3]; later releases do not, so it is spelt out."""
    graph = Builder(tosa="0.23.0")
    x = graph.input("x", "int32", (1, 2))
    graph.output("z", graph.node("ADD", x, x, name="sum"))
    model = replace(graph.model(), declared={"sum": TensorType(i32, (3, 2))}).check()
    found = lower_graph(model, TosaToTosa())
    x = np.array([[1, -2]], np.int32)
    want = model.run(x).outputs["z"]
    assert want.shape == (3, 2)
    np.testing.assert_array_equal(found.model.run(x).outputs["z"], want)
    assert found.report.steps[0].operators == ("ADD", "SELECT")
    with pytest.raises(Refused, match=r"is repeated into a result of shape .* Give the operands the result's shape$"):
        lower_graph(replace(model, declared={"sum": TensorType(i32, (1 << 25, 2))}).check(), TosaToTosa())


def steep_table() -> list[int]:
    table = [0] * 513
    table[17] = -32768
    table[18] = 1
    return table


def test_tables_of_int16():
    def graph(table: list[int] | None) -> Builder:
        made = Builder(tosa="0.23.0")
        x = made.input("x", "int16", (3,))
        given = made.input("table", "int16", (513,)) if table is None else made.constant(table, "int16")
        made.output("z", made.node("TABLE", x, given))
        return made

    gentle = [min(k * 60, 30000) for k in range(513)]
    same_runs(graph(gentle), {"x": np.array([-32768, 77, 32767], np.int16)})
    with pytest.raises(Refused, match="step from entry 17 to 18 is 32769; later releases require steps from -32768"):
        lowered(graph(steep_table()))
    with pytest.raises(Refused, match="Make the table a constant of the graph"):
        lowered(graph(None))


def test_what_is_refused():
    graph = Builder(tosa="0.23.0")
    graph.output("z", graph.node("CLAMP", graph.input("x", "float32", (3,)), min_val=float("nan"), max_val=1.0))
    with pytest.raises(Refused, match="min_val is NaN: at 0.23.0 every element is unpredictable"):
        lowered(graph)
    graph = Builder(tosa="0.23.0", profile="MT")
    x = graph.input("x", "int32", (3,))
    lists = graph.input("m", "int32", (1,)), graph.input("s", "uint6", (1,))
    graph.output("z", graph.node("RESCALE", x, *lists, double_round=True, output_type="int8"))
    with pytest.raises(Refused, match="double_round .* known only when the graph runs"):
        lowered(graph)
    with pytest.raises(Refused, match="not from 1.0 to 1.1"):
        TosaToTosa("1.0", "1.1")
    with pytest.raises(Refused, match="has no tensors of int64"):
        DIRECTION.carrier(find("tosa", "ADD", "1.1").rows[-1].output)


def test_scaling_that_a_run_brings():
    graph = Builder(tosa="0.23.0", profile="MT")
    x = graph.input("x", "int16", (3,))
    lists = graph.input("m", "int32", (1,)), graph.input("s", "uint6", (1,))
    graph.output("z", graph.node("RESCALE", x, *lists, output_type="int8", output_zp=3))
    inputs = {
        "x": np.array([-32768, 5, 32767], np.int16),
        "m": np.array([3], np.int32),
        "s": np.array([2], np.uint8),
    }
    found = same_runs(graph, inputs)
    assert found.report.steps[0].operators[-1] == "CAST" and i16 in {k.sort for k in found.model.inputs.values()}


def test_a_report_says_what_is_evident():
    """Attributes that no list of theorems has: the simplifier makes one expression of both sides."""
    graph = Builder(tosa="0.23.0")
    turned = graph.node("NEGATE", graph.input("x", "int8", (2,)), input1_zp=77, output_zp=-31)
    graph.output("z", graph.node("CLAMP", turned, min_val=-77, max_val=31))
    assert [step.proof.split(":")[0] for step in lowered(graph).report.steps] == ["proven", "proven"]
