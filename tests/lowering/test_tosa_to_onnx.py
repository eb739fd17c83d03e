"""TOSA to ONNX: every rule is proven, whole graphs agree, lowered twice they run in ONNX Runtime."""

from __future__ import annotations

from itertools import product

import numpy as np
import onnxruntime
import pytest

import lanewise as lw
from lanewise.language.sorts import i32
from lanewise.lowering.lower import lower_graph
from lanewise.lowering.onnx_opsets import OnnxToOnnx
from lanewise.lowering.rule import Refused
from lanewise.lowering.tosa_to_onnx import RENAMED, RULES, TosaToOnnx
from lanewise.operators.catalogue import versions_of
from lanewise.operators.tosa.rows import VERSIONS
from lanewise.proof.prove import prove_functions

onnxruntime.set_default_logger_severity(4)
NAMES = sorted(name for name in {*RENAMED, *RULES} if name != "RESCALE")


def instances(version, name):
    return [source for source in TosaToOnnx(version).instances() if source.operator.name == name]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_proven(name, version):
    direction = TosaToOnnx(version)
    sources = instances(version, name)
    rows = {
        (row.inputs, row.output)
        for row in next(r for r in versions_of("tosa")[name] if r.release.since == version).rows
    }
    assert {(source.types, source.output) for source in sources} == rows
    for source in sources:
        verdict = prove_functions(source.function(), direction.lowered(source))
        assert verdict.status == "proven", (source.label, str(verdict))


@pytest.mark.parametrize("version", VERSIONS)
def test_rescale_is_proven(version):
    """One in six, so that the test stays short."""
    direction = TosaToOnnx(version)
    for source in instances(version, "RESCALE")[::6]:
        verdict = prove_functions(source.function(), direction.lowered(source))
        assert verdict.status == "proven", (source.label, str(verdict))


@pytest.mark.parametrize("version", VERSIONS)
def test_all_seventeen_are_lowered_or_refused_with_a_reason(version):
    chapter = [
        name for name, records in versions_of("tosa").items() if records[0].release.section.endswith("Binary Operators")
    ]
    assert len(chapter) == 17
    lowered = {source.operator.name for source in TosaToOnnx(version).instances()}
    assert set(chapter) - lowered == {"TABLE"}


def test_tables_are_refused():
    graph = lw.Builder(tosa="0.23.0", name="curve")
    x = graph.input("x", "int8", (4,))
    graph.output("y", graph.node("TABLE", x, table=list(range(-128, 128))))
    message = r"curve, node 0 \(TABLE\): TABLE \(int8, int8\[256\]\) -> int8: a table is read by index; .*Gather"
    with pytest.raises(Refused, match=message):
        lower_graph(graph.model(), TosaToOnnx("0.23.0"))


def test_other_opsets_are_reached_in_two_steps():
    with pytest.raises(lw.InvalidError, match=r"opset 28, not to 17; lower the result with OnnxToOnnx\(17\) then"):
        TosaToOnnx("1.0", 17)


def one_node(version, operator, *types, shape=(4,), **keywords):
    graph = lw.Builder(tosa=version, name="one")
    operands = [graph.input(name, sort, shape) for name, sort in zip("abc", types, strict=False)]
    graph.output("y", graph.node(operator, *operands, **keywords))
    return graph.model()


def test_a_product_without_shift_is_one_node():
    for version in VERSIONS:
        plain = lower_graph(one_node(version, "MUL", "int32", "int32", shift=0), TosaToOnnx(version))
        assert plain.report.steps[0].operators == ("Mul",)
        assert "shift = 0" in plain.report.steps[0].source
        scaled = lower_graph(one_node(version, "MUL", "int32", "int32", shift=5), TosaToOnnx(version))
        assert "BitShift" in scaled.report.steps[0].operators
        a = np.array([5, -7, 1 << 30, 100000], np.int32)
        b = np.array([2, 3, 4, 60000], np.int32)
        for lowered, shift in ((plain, 0), (scaled, 5)):
            want = lw.tosa.mul(a, b, shift=shift, version=version)
            np.testing.assert_array_equal(lowered.model.run({"a": a, "b": b}).outputs["y"], want)


@pytest.mark.parametrize("version", ["0.23.0", "1.0"])
def test_rank_0_stays_rank_0(version):
    """The shift has rank 1 from 1.0 on, and must not add an axis to the result."""
    lowered = lower_graph(one_node(version, "MUL", "int32", "int32", shape=(), shift=4), TosaToOnnx(version))
    found = lowered.model.run({"a": np.array(100, np.int32), "b": np.array(7, np.int32)}).outputs["y"]
    assert found.shape == () and found == 44


def test_a_shift_that_is_an_input_is_carried_as_a_wider_type():
    graph = lw.Builder(tosa="0.23.0", name="late")
    a, b, shift = graph.input("a", "int32", (2,)), graph.input("b", "int32", (2,)), graph.input("shift", "uint6", ())
    graph.output("y", graph.node("MUL", a, b, shift))
    model = graph.model()
    lowered = lower_graph(model, TosaToOnnx("0.23.0"))
    assert [change.change for change in lowered.report.changes] == ["uint6 as uint8"]
    for shift in (0, 2, 30, 62):
        feeds = {"a": np.array([12345, -9], np.int32), "b": np.array([6789, 11], np.int32)}
        feeds["shift"] = np.array(shift, np.uint8)
        found = lowered.decode(lowered.model.run(lowered.encode(feeds)).outputs)
        np.testing.assert_array_equal(found["y"], model.run(feeds).outputs["y"])


def test_wide_and_narrow_integers_that_only_move():
    for version, sort, low in (("1.0", "int48", -(1 << 47)), ("1.0", "int4", -7)):
        model = one_node(version, "IDENTITY", sort)
        lowered = lower_graph(model, TosaToOnnx(version))
        x = np.array([low, 0, 1, 5], np.int64 if sort == "int48" else np.int8)
        np.testing.assert_array_equal(lowered.model.run({"a": x}).outputs["y"], x)


def test_the_report_says_what_onnx_cannot():
    report = lower_graph(one_node("0.23.0", "ADD", "int32", "int32"), TosaToOnnx("0.23.0")).report
    (note,) = report.notes
    assert "input1 + input2 fits int32" in note and "ONNX cannot say" in note
    assert lower_graph(one_node("0.23.0", "BITWISE_AND", "int8", "int8"), TosaToOnnx("0.23.0")).report.notes == []
    power = lower_graph(one_node("0.23.0", "POW", "float32", "float32"), TosaToOnnx("0.23.0")).report
    assert not power.exact and "1 unit in the last place" in str(power)


def requantised(version):
    """Sums and products of int8 scaled back to int8, as quantised networks do it, and shifts of all counts."""
    graph = lw.Builder(tosa=version, name="requantised")
    a, b = graph.input("a", "int8", (2, 50)), graph.input("b", "int8", (1, 50))
    product_ = graph.node("MUL", a, b, shift=0)
    rounded = graph.node("ARITHMETIC_RIGHT_SHIFT", product_, graph.constant([[7]], "int32"), round=True)
    low = graph.node(
        "MAXIMUM", graph.node("MINIMUM", rounded, graph.constant([[127]], "int32")), graph.constant([[-128]], "int32")
    )
    narrow = graph.node("CAST", low, output_type="int8")
    zero_points = {"input1_zp": 3, "output_zp": -4}
    graph.output("negated", graph.node("NEGATE", narrow, **zero_points))
    count = graph.node("BITWISE_AND", b, graph.constant([[7]], "int8"))
    graph.output("left", graph.node("LOGICAL_LEFT_SHIFT", a, count))
    graph.output("right", graph.node("LOGICAL_RIGHT_SHIFT", a, count))
    graph.output("rounded", graph.node("ARITHMETIC_RIGHT_SHIFT", a, count, round=True))
    graph.output("clamped", graph.node("CLAMP", a, min_val=-10, max_val=20))
    wide = graph.node("CAST", a, output_type="int32")
    graph.output("leading", graph.node("CLZ", wide))
    graph.output("chosen", graph.node("SELECT", graph.node("GREATER", wide, low), wide, low))
    graph.output(
        "flat", graph.node("RESHAPE", narrow, **({"new_shape": (100,)} if version == "0.23.0" else {"shape": (100,)}))
    )
    return graph.model()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_quantised_graph_lowered_twice_runs_in_onnx_runtime(version, tmp_path):
    model = requantised(version)
    once = lower_graph(model, TosaToOnnx(version))
    twice = lower_graph(once.model, OnnxToOnnx(21))
    assert once.model.version == 28 and twice.model.version == 21 and once.report.exact and twice.report.exact
    generator = np.random.default_rng(2)
    feeds = {
        name: generator.integers(-128, 128, shape).astype(np.int8) for name, shape in (("a", (2, 50)), ("b", (1, 50)))
    }
    outcome = model.run(feeds)
    assert outcome.status == lw.Status.VALID
    twice.model.save(tmp_path / "x.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "x.onnx"), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    assert names == list(model.outputs)
    in_runtime = dict(zip(names, session.run(None, feeds), strict=True))
    for name, want in outcome.outputs.items():
        for found in (once.model.run(feeds).outputs[name], twice.model.run(feeds).outputs[name], in_runtime[name]):
            assert found.dtype == want.dtype
            np.testing.assert_array_equal(found, want, err_msg=name)


def test_counts_beyond_the_width_at_0_23_0():
    """An int8 may be moved by up to 31 places there, which BitShift-28 takes as it is."""
    x, y = (a.ravel() for a in np.meshgrid(np.arange(-128, 128).astype(np.int8), np.arange(32, dtype=np.int8)))
    for operator, function in (
        ("LOGICAL_LEFT_SHIFT", lw.tosa.logical_left_shift),
        ("LOGICAL_RIGHT_SHIFT", lw.tosa.logical_right_shift),
    ):
        model = one_node("0.23.0", operator, "int8", "int8", shape=x.shape)
        lowered = lower_graph(model, TosaToOnnx("0.23.0")).model
        np.testing.assert_array_equal(lowered.run({"a": x, "b": y}).outputs["y"], function(x, y))
        older = lower_graph(lowered, OnnxToOnnx(11)).model
        np.testing.assert_array_equal(older.run({"a": x, "b": y}).outputs["y"], function(x, y))


@pytest.mark.parametrize("version", VERSIONS)
def test_floats_round_to_the_nearest_integer_in_onnx_runtime(version, tmp_path):
    """Ties to even, saturating, where ONNX's Cast cuts and leaves the rest open."""
    near = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.4999, 126.5, 127.5, -128.5, -129.0, 8388607.5, 16777217.0]
    far = [1e9, 3e9, -3e9, np.inf, -np.inf, 2147483520.0, -2147483648.0]
    x = np.array(near + far, np.float32)
    for target in ("int8", "int16", "int32"):
        model = one_node(version, "CAST", "float32", shape=x.shape, output_type=target)
        lowered = lower_graph(lower_graph(model, TosaToOnnx(version)).model, OnnxToOnnx(17)).model
        lowered.save(tmp_path / "x.onnx")
        session = onnxruntime.InferenceSession(str(tmp_path / "x.onnx"), providers=["CPUExecutionProvider"])
        info = np.iinfo(target)
        want = np.clip(np.rint(x.astype(np.float64)), info.min, info.max).astype(target)
        np.testing.assert_array_equal(session.run(None, {"a": x})[0], want)
        np.testing.assert_array_equal(lowered.run({"a": x}).outputs["y"], want)


def test_zeros_and_nans_of_extremes():
    """Of two zeros MAXIMUM takes the first and MINIMUM the second; ONNX's Max and Min would not."""
    values = np.array([0.0, -0.0, 1.5, np.nan, -np.inf], np.float32)
    a, b = np.array(list(product(values, values)), np.float32).T.copy()
    for version, operator in product(("0.23.0", "1.1"), ("MAXIMUM", "MINIMUM")):
        model = one_node(version, operator, "float32", "float32", shape=a.shape)
        lowered = lower_graph(model, TosaToOnnx(version)).model
        want, found = (m.run({"a": a, "b": b}).outputs["y"] for m in (model, lowered))
        np.testing.assert_array_equal(found.view(np.uint32), want.view(np.uint32))
    ignoring = one_node("1.1", "MAXIMUM", "float32", "float32", shape=a.shape, nan_mode="IGNORE")
    lowered = lower_graph(ignoring, TosaToOnnx("1.1")).model
    want, found = (m.run({"a": a, "b": b}).outputs["y"] for m in (ignoring, lowered))
    np.testing.assert_array_equal(found.view(np.uint32), want.view(np.uint32))


def test_rescale_in_a_graph():
    """One multiplier and shift for each channel, along the last axis."""
    graph = lw.Builder(tosa="0.23.0", name="rescale")
    x = graph.input("x", "int32", (2, 3))
    y = graph.node(
        "RESCALE", x, multiplier=[1 << 30, 1518500250, 2**31 - 1], shift=[32, 33, 40], per_channel=True,
        double_round=True, output_zp=-3, output_type="int8",
    )  # fmt: skip
    graph.output("y", y)
    model = graph.model()
    lowered = lower_graph(model, TosaToOnnx("0.23.0"))
    x = np.array([[100, -77, 123456], [-513, 4096, -99999]], np.int32)
    np.testing.assert_array_equal(lowered.model.run({"x": x}).outputs["y"], model.run({"x": x}).outputs["y"])
    assert model.types["x"].sort == i32
