"""Shifts that exporters wrote as divisions and products: found, refuted by an example, repaired."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import lanewise as lw
from lanewise.lowering.shift_finder import find_shifts, repair_shifts


def by_constant(sort, divisor, opset=14, shape=(50,)):
    graph = lw.Builder(onnx=opset, name="old")
    x = graph.input("x", sort, shape)
    graph.output("z", graph.node("Div", x, graph.constant(np.array(divisor, sort))))
    return graph.model()


def by_power(sort, operator, opset=14, count=None, power="float32"):
    graph = lw.Builder(onnx=opset, name="old")
    x, n = graph.input("x", sort, (50,)), graph.input("n", count or sort, (50,))
    two = graph.constant(np.array(2, power))
    computed = graph.node("Cast", graph.node("Pow", two, graph.node("Cast", n, to=power)), to=sort)
    graph.output("z", graph.node(operator, x, computed))
    return graph.model()


def only(model):
    (finding,) = find_shifts(model)
    return finding


def elements(sort, count=None):
    info, generator = np.iinfo(sort), np.random.default_rng(3)
    edges = [info.min, info.min + 1, info.max, 0, 1]
    x = np.array([*edges, *generator.integers(info.min, info.max, 45, sort)], sort)
    kind = np.dtype(count or sort)
    n = generator.integers(-5 if kind.kind == "i" else 0, 80, 50).astype(kind)
    n[:8] = [0, 1, 7, 8, 31, 32, 63, 64]
    return x, n


@pytest.mark.parametrize("sort", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("opset", [14, 28])
def test_a_division_by_a_constant(sort, opset):
    model = by_constant(sort, 4, opset)
    finding = only(model)
    example = finding.counterexample
    assert (example.x, example.count, example.given, example.shifted) == (-1, 2, 0, -1)
    assert finding.node == "node 0 (Div)"
    assert finding.pattern.text == "Div('x', 2 ** 2)" and "if this was a right shift, it is wrong" in str(finding)
    repaired = finding.repaired
    assert repaired.version == opset
    assert {node.operator.name for node in repaired.nodes} >= {"BitShift"} and not find_shifts(repaired)
    assert (len(repaired.nodes) == 1) == (opset == 28)
    x, _ = elements(sort)
    np.testing.assert_array_equal(repaired.run({"x": x}).outputs["z"], x >> 2)
    assert (model.run({"x": x}).outputs["z"] != x >> 2).any()


def test_the_message_shows_the_bits():
    assert str(only(by_constant("int8", 2))) == (
        "node 0 (Div): Div('x', 2 ** 1); if this was a right shift, it is wrong for:\n"
        "  x         = -1  1111_1111\n"
        "  count     = 1\n"
        "  given     = 0   0000_0000\n"
        "  the shift = -1  1111_1111"
    )


@pytest.mark.parametrize("sort", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("count", [None, "int64", "uint8"])
@pytest.mark.parametrize("opset", [14, 28])
def test_a_division_by_a_computed_power(sort, count, opset):
    model = by_power(sort, "Div", opset, count)
    finding = only(model)
    example = finding.counterexample
    assert (example.x, example.count, example.given, example.shifted) == (-1, 1, 0, -1)
    assert finding.pattern.text == "Div('x', Cast(Pow(2, Cast('n'))))"
    repaired = finding.repaired
    assert "Pow" not in {node.operator.name for node in repaired.nodes}  # nothing needs it any more
    x, n = elements(sort, count)
    want = [int(a) >> int(b) if 0 <= b < 64 else -1 if a < 0 else 0 for a, b in zip(x, n, strict=True)]
    np.testing.assert_array_equal(repaired.run({"x": x, "n": n}).outputs["z"], np.array(want, sort))


@pytest.mark.parametrize(
    ("sort", "x", "count", "given", "shifted"),
    [
        ("int8", 1, 7, 127, -128),  # 128 does not fit, and becomes 127
        ("int32", 1, 31, 2**31 - 1, -(2**31)),
        ("int64", 1, 63, 2**63 - 1, -(2**63)),
        ("uint8", 1, 8, 255, 0),  # every count below the width is right
        ("uint64", 1, 64, 2**64 - 1, 0),
    ],
)
@pytest.mark.parametrize("opset", [14, 28])
def test_a_product_with_a_computed_power(sort, x, count, given, shifted, opset):
    finding = only(by_power(sort, "Mul", opset))
    example = finding.counterexample
    assert (example.x, example.count, example.given, example.shifted) == (x, count, given, shifted)
    assert "if this was a left shift" in str(finding)
    numbers, counts = elements(sort)
    found = finding.repaired.run({"x": numbers, "n": counts}).outputs["z"]
    np.testing.assert_array_equal(found, lw.onnx.bit_shift(numbers, counts, direction="LEFT"))


def test_what_is_exact_or_no_power_is_not_reported():
    assert not find_shifts(by_constant("uint8", 4))
    assert not find_shifts(by_power("uint32", "Div"))
    for divisor in (3, 1, 0, -4, 6):
        assert not find_shifts(by_constant("int32", divisor)), divisor
    assert not find_shifts(by_constant("float32", 4))
    graph = lw.Builder(onnx=14)
    x = graph.input("x", "int32", (3,))
    graph.output("z", graph.node("Mul", x, graph.constant(np.int32(8))))
    assert not find_shifts(graph.model())


def test_a_base_other_than_2_and_a_count_with_a_fraction_are_no_shifts():
    for base, exponent in ((3.0, 2.0), (2.0, 0.5)):
        graph = lw.Builder(onnx=14)
        x = graph.input("x", "int32", (3,))
        power = graph.node("Pow", graph.constant(np.float32(base)), graph.constant(np.float32(exponent)))
        graph.output("z", graph.node("Div", x, graph.node("Cast", power, to="int32")))
        assert not find_shifts(graph.model())


def test_many_divisors():
    finding = only(by_constant("int16", [2, 4, 1, 8, 16, 32, 64] + [1] * 43))
    assert finding.pattern.text == "Div('x', 2 ** [1, 2, 0, 3, 4, 5, …])"
    x, _ = elements("int16")
    want = x >> np.array([1, 2, 0, 3, 4, 5, 6] + [0] * 43, np.int16)
    np.testing.assert_array_equal(finding.repaired.run({"x": x}).outputs["z"], want)


@pytest.mark.parametrize("opset", [6, 9, 10])
def test_opsets_without_shifts_are_lifted(opset):
    graph = lw.Builder(onnx=opset, name="older")
    x = graph.input("x", "int32", (2, 3))
    keywords = {"broadcast": 1} if opset < 7 else {}
    half = graph.node("Div", x, graph.constant(np.int32(2)), **keywords)
    graph.output("z", graph.node("Div", half, graph.constant(np.int32(8)), **keywords))
    model = graph.model()
    first, second = find_shifts(model)
    assert (first.counterexample.count, second.counterexample.count) == (1, 3)
    x = np.array([[-1, 7, -9], [-100, 100, -(2**31)]], np.int32)
    assert second.repaired.version == 11
    np.testing.assert_array_equal(second.repaired.run({"x": x}).outputs["z"], np.trunc(x / 2).astype(np.int32) >> 3)
    all_repaired = repair_shifts(model)
    np.testing.assert_array_equal(all_repaired.run({"x": x}).outputs["z"], x >> 4)
    assert not find_shifts(all_repaired) and all_repaired.version == 11


def test_a_file_as_an_exporter_wrote_it(tmp_path):
    """x >> n and y << n of int32 tensors at opset 9: Constant, Cast, Pow, Cast, then Div or Mul."""
    two = helper.make_tensor("two", TensorProto.FLOAT, [], [2.0])
    nodes = [
        helper.make_node("Cast", ["n"], ["4"], to=TensorProto.FLOAT),
        helper.make_node("Constant", [], ["5"], value=two),
        helper.make_node("Pow", ["5", "4"], ["6"]),
        helper.make_node("Cast", ["6"], ["7"], to=TensorProto.INT32),
        helper.make_node("Div", ["x", "7"], ["8"], name="Div_4"),
        helper.make_node("Mul", ["7", "x"], ["9"], name="Mul_5"),
    ]
    values = {name: helper.make_tensor_value_info(name, TensorProto.INT32, [4]) for name in ("x", "n", "8", "9")}
    graph = helper.make_graph(nodes, "torch", [values["x"], values["n"]], [values["8"], values["9"]])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=4)
    onnx.save(model, tmp_path / "old.onnx")
    loaded = lw.load(tmp_path / "old.onnx")
    right, left = find_shifts(loaded)
    assert "Div_4" in right.node and "Mul_5" in left.node
    repaired = repair_shifts(loaded)
    repaired.save(tmp_path / "new.onnx")
    x, n = np.array([-7, 7, -1, 1], np.int32), np.array([1, 1, 31, 31], np.int32)
    outcome = lw.load(tmp_path / "new.onnx").run({"x": x, "n": n})
    np.testing.assert_array_equal(outcome.outputs["8"], x >> n)
    np.testing.assert_array_equal(outcome.outputs["9"], x << n)


def test_a_number_shifted_by_itself():
    graph = lw.Builder(onnx=14)
    x = graph.input("x", "int8", ("n",))
    power = graph.node("Pow", graph.constant(np.float32(2)), graph.node("Cast", x, to="float32"))
    graph.output("z", graph.node("Div", x, graph.node("Cast", power, to="int8")))
    finding = only(graph.model())
    assert finding.counterexample.x == finding.counterexample.count
    x = np.arange(-128, 128).astype(np.int8)
    np.testing.assert_array_equal(
        finding.repaired.run({"x": x}).outputs["z"], lw.onnx.bit_shift(x, x, direction="RIGHT")
    )


@pytest.mark.parametrize("opset", [14, 28])
@pytest.mark.parametrize("sizes", [(), ("k",)])
@pytest.mark.parametrize("base", [(3,), (2, 3), (1, 1), (1,)])
def test_twos_that_repeat_the_count(base, sizes, opset):
    """The shift is of the operands as they broadcast, and where sizes are open too."""
    graph = lw.Builder(onnx=opset)
    n = graph.input("n", "int32", sizes)
    power = graph.node("Pow", graph.constant(np.full(base, 2, np.int32)), n)
    graph.output("z", graph.node("Div", graph.constant(np.int32(-7)), power))
    model = graph.model()
    n = np.ones((1,) * len(sizes), np.int32)
    before, after = (m.run({"n": n}).outputs["z"] for m in (model, only(model).repaired))
    assert before.shape == after.shape and (before == -3).all() and (after == -4).all()


def test_twos_that_repeat_a_fixed_count():
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", ())
    power = graph.node("Pow", graph.constant(np.full((2, 1), 2, np.int32)), graph.constant(np.array([1, 2], np.int32)))
    divided = graph.node("Div", x, power)
    graph.output("z", graph.node("Reshape", divided, graph.constant(np.array([4], np.int64))))
    repaired = repair_shifts(graph.model())
    np.testing.assert_array_equal(repaired.run({"x": np.int32(-7)}).outputs["z"], [-4, -2, -4, -2])


def test_a_number_by_itself_is_no_shift():
    """A counterexample is an element that the graph can have."""
    graph = lw.Builder(onnx=28)
    powers = graph.constant(np.array([2, 4], np.int32))
    graph.output("fixed", graph.node("Div", powers, powers))
    n = graph.input("n", "int32", (1,))
    power = graph.node("Pow", graph.constant(np.int32(2)), n)
    graph.output("one", graph.node("Div", power, power))
    graph.output("square", graph.node("Mul", power, graph.node("Identity", power)))
    assert not find_shifts(graph.model())


@pytest.mark.parametrize(
    ("x", "powers", "found"),
    [
        ([-8, 8], [4, 4], None),  # no remainder
        ([-7, 8], [1, 2], None),  # -7 meets 1 alone
        ([8, -7], [1, 2], (-7, 1)),
        ([[8], [-7]], [1, 2], (-7, 1)),
        ([-9], [8, 4, 1], (-9, 2)),
    ],
)
@pytest.mark.parametrize("moved", [False, True])
def test_a_number_that_the_graph_fixes(x, powers, found, moved):
    graph = lw.Builder(onnx=28)
    x = graph.constant(np.array(x, np.int16 if moved else np.int32))
    x = graph.node("Cast", x, to="int32") if moved else x
    graph.output("z", graph.node("Div", x, graph.constant(np.array(powers, np.int32))))
    findings = find_shifts(graph.model())
    assert [(f.counterexample.x, f.counterexample.count) for f in findings] == ([] if found is None else [found])


def test_a_fixed_number_and_a_computed_count():
    for x, example in ((1, (1, 31)), (-3, (-3, 1)), (0, None)):
        graph = lw.Builder(onnx=28)
        n = graph.node("Cast", graph.input("n", "int32", (2,)), to="float32")
        power = graph.node("Pow", graph.constant(np.float32(2)), n)
        computed = graph.node("Cast", power, to="int32")
        graph.output("z", graph.node("Div" if x < 0 else "Mul", graph.constant(np.int32(x)), computed))
        found = [(f.counterexample.x, f.counterexample.count) for f in find_shifts(graph.model())]
        assert found == ([] if example is None else [example])


def test_a_number_shifted_by_itself_in_another_type():
    graph = lw.Builder(onnx=28)
    n = graph.input("n", "int8", (256,))
    power = graph.node("Pow", graph.constant(np.float32(2)), graph.node("Cast", n, to="float32"))
    computed = graph.node("Cast", power, to="int32")
    graph.output("z", graph.node("Mul", graph.node("Cast", n, to="int32"), computed))
    finding = only(graph.model())
    example = finding.counterexample
    assert example.x == example.count
    n = np.arange(-128, 128).astype(np.int8)
    want = lw.onnx.bit_shift(n.astype(np.int32), n.astype(np.int32), direction="LEFT")
    np.testing.assert_array_equal(finding.repaired.run({"n": n}).outputs["z"], want)


@pytest.mark.parametrize("opset", [6, 13, 28])
def test_many_places_in_one_pass(opset, monkeypatch):
    """Each place is looked at once for all repairs together."""
    from lanewise.lowering import shift_finder

    graph = lw.Builder(onnx=opset)
    value = graph.input("x", "int32", (3,))
    keywords = {"broadcast": True} if opset < 7 else {}
    for k in range(20):
        value = graph.node("Div", value, graph.constant(np.int32(2)), **keywords)
        value = graph.node("Add", value, graph.constant(np.int32(k)), **keywords)
    graph.output("z", value)
    model = graph.model()
    seen, plain = [], shift_finder._counterexample
    monkeypatch.setattr(shift_finder, "_counterexample", lambda m, p: (seen.append(p), plain(m, p))[1])
    repaired = repair_shifts(model)
    assert len(seen) == 20
    x = np.array([-(2**31), -1, 2**31 - 1], np.int32)
    want = x
    for k in range(20):
        want = (want >> 1) + np.int32(k)
    np.testing.assert_array_equal(repaired.run({"x": x}).outputs["z"], want)
    assert not find_shifts(repaired) and repair_shifts(repaired) is repaired


def test_old_broadcasting_of_a_computed_power():
    """Opset 6 without axis is lifted; where axis places the power, the repair says so."""
    for axis in (None, 0):
        graph = lw.Builder(onnx=6, name="old")
        x, n = graph.input("x", "float32", (2, 2)), graph.input("n", "int32", (2,))
        whole = graph.node("Cast", x, to="int32")
        count = graph.node("Cast", n, to="float32")
        power = graph.node("Pow", graph.constant(np.full(2, 2, np.float32)), count)
        computed = graph.node("Cast", power, to="int32")
        keywords = {} if axis is None else {"axis": axis}
        graph.output("z", graph.node("Div", whole, computed, broadcast=True, **keywords))
        finding = only(graph.model())
        assert (finding.counterexample.x, finding.counterexample.count) == (-1, 1)
        if axis is None:
            inputs = {"x": np.float32([[-7, -7], [7, 8]]), "n": np.int32([1, 2])}
            assert finding.repaired.run(inputs).outputs["z"].tolist() == [[-4, -2], [3, 2]]
        else:
            with pytest.raises(lw.UnsupportedError, match=r"old, node 4 \(Div\): its power is placed by axis"):
                repair_shifts(graph.model())


def test_what_is_no_graph():
    for function in (lw.find_shifts, lw.repair_shifts):
        with pytest.raises(lw.InvalidError, match=f"{function.__name__}: 'a.onnx' is no graph; allowed: what load"):
            function("a.onnx")


def test_other_graphs_are_refused():
    graph = lw.Builder(tosa="1.0", name="other")
    x = graph.input("x", "int32", (1,))
    graph.output("z", graph.node("INTDIV", x, graph.constant([2], "int32")))
    with pytest.raises(lw.InvalidError, match="other: a TOSA graph; shifts are looked for in ONNX"):
        find_shifts(graph.model())
