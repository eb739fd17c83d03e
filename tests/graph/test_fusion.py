"""Fused graphs against the oracle, which runs node by node: outputs, masks and violations."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.graph import blocks, plan
from lanewise.graph.loops import Loop
from tests.graph.random_graphs import Generator

GRAPHS = 150


def without_nan_sign(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}") if array.dtype.kind in "fV" or array.dtype.name == "bfloat16" else array


def close(name: str, found: np.ndarray, want: np.ndarray) -> None:
    assert found.dtype == want.dtype
    assert found.shape == want.shape, name
    np.testing.assert_array_equal(without_nan_sign(found), without_nan_sign(want), err_msg=name)


def has_power(model: lw.Model) -> bool:
    return any(node.operator.name == "POW" for node in model.nodes)


@pytest.mark.parametrize("seed", range(GRAPHS))
@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_fused_equals_node_by_node(specification: str, seed: int):
    model, inputs = Generator(specification, seed).model(nodes=1 + seed % 12)
    fused = model.run(inputs, on_unpredictable="mask")
    plain = model.run(inputs, on_unpredictable="mask", engine="exact")
    assert fused.status is plain.status, str(model)
    for name in model.outputs:
        np.testing.assert_array_equal(fused.unpredictable[name], plain.unpredictable[name], err_msg=f"{model}\n{name}")
        if not has_power(model):  # within one ulp only; what later nodes make of that is their own affair
            close(f"{model}\n{name}", fused.outputs[name], plain.outputs[name])

    def key(outcome: lw.Outcome) -> set[tuple]:
        return {(v.node, v.operator, v.requirement, v.count, v.index) for v in outcome.violations}

    if not has_power(model):
        assert key(fused) == key(plain), str(model)
    assert bool(fused.violations) == (fused.status is lw.Status.UNPREDICTABLE)
    again = model.run(inputs)
    for name in model.outputs:
        close(name, again.outputs[name], fused.outputs[name])


def test_outputs_are_the_callers_own():
    """Writable, no view of an input, of a constant or of each other."""
    graph = lw.Builder(onnx=28)
    x = graph.input("x", "int32", (3,))
    total = graph.node("Add", x, graph.constant(np.int32(1)))
    for name, tensor in (
        ("same", x),
        ("sum", total),
        ("again", total),
        ("fixed", graph.constant(np.arange(3, dtype=np.int32))),
    ):
        graph.output(name, tensor)
    grown = graph.node("Expand", x, graph.constant(np.array([2, 3], np.int64)))
    graph.output("grown", grown)
    model, x_value = graph.model(), np.array([1, 2, 3], np.int32)
    first = model.run(x_value).outputs
    for array in first.values():
        assert array.flags.writeable
        array[...] = 77
    assert x_value.tolist() == [1, 2, 3]
    second = model.run(x_value).outputs
    assert {name: array.tolist() for name, array in second.items()} == {
        "same": [1, 2, 3],
        "sum": [2, 3, 4],
        "again": [2, 3, 4],
        "fixed": [0, 1, 2],
        "grown": [[1, 2, 3], [1, 2, 3]],
    }


def test_more_operands_than_a_loop_takes():
    graph = lw.Builder(onnx=28)
    inputs = [graph.input(f"x{k}", "int32", (2,)) for k in range(300)]
    graph.output("most", graph.node("Max", *inputs))
    arrays = {f"x{k}": np.array([k * 7 % 301, -k], np.int32) for k in range(300)}
    most = np.max(list(arrays.values()), axis=0).tolist()
    for engine in ("native", "exact"):
        assert graph.model().run(arrays, engine=engine).outputs["most"].tolist() == most
    assert lw.onnx.max(*arrays.values()).tolist() == most
    total = inputs[0]
    for k in range(1, 300):
        total = graph.node("Add", total, inputs[k])
    graph.output("total", total)
    assert graph.model().run(arrays).outputs["total"][1] == -sum(range(300))


def test_shapes_that_the_graph_computes_are_computed_once():
    graph = lw.Builder(onnx=28)
    sizes = graph.input("sizes", "int64", (1,))
    for _ in range(200):
        sizes = graph.node("Reshape", sizes, graph.node("Mul", sizes, sizes))
    x = graph.input("x", "int32", (1,))
    graph.output("y", graph.node("Expand", x, sizes))
    assert graph.model().run(np.array([1], np.int64), np.array([5], np.int32)).outputs["y"].tolist() == [5]


def test_a_list_of_sizes_is_short():
    graph = lw.Builder(onnx=28)
    sizes = graph.input("sizes", "int64", (1,))
    many = graph.node("Expand", sizes, graph.constant(np.array([65], np.int64)))
    graph.output("y", graph.node("Expand", graph.input("x", "int32", (1,)), many))
    with pytest.raises(lw.InvalidError, match="a list of sizes or axes has at most 64"):
        graph.model().run(np.array([1], np.int64), np.array([5], np.int32))


class TestOutOverOperands:
    """Results may be written where operands lie; neither values nor failures get lost."""

    def test_failures_are_found_all_the_same(self):
        for size in (2, 5_000_000):
            x = np.ones(size, np.int32)
            x[0] = 2**31 - 1
            ones = np.ones(size, np.int32)
            with pytest.raises(lw.UnpredictableError) as caught:
                lw.tosa.add(x, ones, out=x)
            assert (caught.value.index, caught.value.count) == ((0,), 1)
            assert caught.value.values == {"input1": 2**31 - 1, "input2": 1}
            graph = lw.Builder(tosa="0.23.0")
            graph.output("c", graph.node("ADD", graph.input("a", "int32", ("n",)), graph.input("b", "int32", ("n",))))
            compiled = lw.compile(graph.model())
            assert compiled(ones, ones).tolist()[:1] == [2]
            for _ in range(3):
                x[0] = 2**31 - 1
                with pytest.raises(lw.UnpredictableError):
                    compiled(x, ones, out=x)

    def test_outputs_are_written_when_all_are_known(self):
        graph = lw.Builder(onnx=28)
        a = graph.input("a", "int32", ("n",))
        graph.output("negative", graph.node("Neg", a))
        graph.output("same", a)
        compiled = lw.compile(graph.model())
        for _ in range(3):
            a_value, other = np.arange(5, dtype=np.int32), np.empty(5, np.int32)
            negative, same = compiled(a_value, out=(a_value, other))
            assert negative is a_value
            assert negative.tolist() == [0, -1, -2, -3, -4]
            assert same.tolist() == [0, 1, 2, 3, 4]
        with pytest.raises(lw.InvalidError, match="out for 'negative' and for 'same' share memory"):
            compiled(a_value, out=(other, other[::-1]))


def test_compiled_calls():
    graph = lw.Builder(onnx=28, name="twice")
    x = graph.input("x", "int32", ("n",))
    graph.output("y", graph.node("Add", x, x))
    compiled = lw.compile(graph.model())
    value, out = np.array([1, 2], np.int32), np.empty(2, np.int32)
    for _ in range(3):
        assert compiled(value).tolist() == [2, 4]
        assert compiled(value, out=out) is out
        assert compiled({"x": value}).tolist() == [2, 4]
        with pytest.raises(lw.InvalidError, match="on_unpredictable is 'bogus'"):
            compiled(value, np.int32(1), on_unpredictable="bogus")
    for size in range(1, 200):  # more shapes than plans are kept
        assert compiled(np.ones(size, np.int32)).sum() == 2 * size
    frozen = np.empty(2, np.int32)
    frozen.flags.writeable = False
    with pytest.raises(lw.InvalidError, match="out is read-only"):
        compiled(value, out=frozen)
    with pytest.raises(lw.InvalidError, match="engine is 'zz'"):
        lw.compile(graph.model(), engine="zz")


@pytest.mark.parametrize("seed", range(0, GRAPHS, 3))
@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_smaller_parts_computed_in_place(specification: str, seed: int, monkeypatch: pytest.MonkeyPatch):
    """As for parts that are too large to be kept; here for all of them."""
    monkeypatch.setattr(blocks, "MAX_PART", 0)
    test_fused_equals_node_by_node(specification, seed)


def loops_of(model: lw.Model, *inputs: np.ndarray) -> list[Loop]:
    model.run(*inputs)
    (found,) = model._plans.values()
    return found.loops


def test_a_reshape_in_the_middle_stores_nothing():
    graph = lw.Builder(tosa="1.0")
    a, b = graph.input("a", "int32", (4, 6)), graph.input("b", "int32", (2, 12))
    total = graph.node("ADD", a, graph.constant(np.array([[1]], np.int32)))
    flat = graph.node("RESHAPE", total, graph.constant(np.array([2, 12], np.int64)))
    graph.output("y", graph.node("ADD", flat, b))
    model = graph.model()
    x, y = np.arange(24, dtype=np.int32).reshape(4, 6), np.full((2, 12), 5, np.int32)
    assert len(loops_of(model, x, y)) == 1
    assert model.run(x, y).outputs["y"].tolist() == ((x + 1).reshape(2, 12) + y).tolist()
    x[2, 3] = 2**31 - 1
    y[1, 7] = -1
    first, second = model.run(x, np.where(y < 0, y, 2**31 - 1).astype(np.int32)).violations
    assert (first.index, first.count) == ((2, 3), 1)  # in the shape that the node has
    assert (second.index, second.count) == ((0, 0), 22)


def test_large_parts_are_not_stored(monkeypatch: pytest.MonkeyPatch):
    """A column as long as a quarter of the result is computed again for every element, and checked once."""
    monkeypatch.setattr(blocks, "MAX_PART", 100)
    graph = lw.Builder(tosa="0.23.0")
    a, b = graph.input("a", "int32", (50, 1)), graph.input("b", "int32", (50, 4))
    graph.output("y", graph.node("SUB", b, graph.node("ADD", a, a)))
    model = graph.model()
    x, y = np.arange(50, dtype=np.int32).reshape(50, 1), np.ones((50, 4), np.int32)
    work, check = sorted(loops_of(model, x, y), key=lambda loop: loop.only_checks)
    assert (work.shape, work.only_checks) == ((50, 4), False)
    assert (check.shape, check.only_checks) == ((50, 1), True)
    assert model.run(x, y).outputs["y"].tolist() == (y - 2 * x).tolist()
    x[7] = 2**31 - 1
    (violation, *_) = model.run(x, y).violations
    assert (violation.index, violation.count) == ((7, 0), 1)


@pytest.mark.parametrize("seed", range(1, GRAPHS, 3))
@pytest.mark.parametrize("specification", ["onnx", "tosa"])
def test_block_by_block(specification: str, seed: int, monkeypatch: pytest.MonkeyPatch):
    """As for graphs of many nodes on many elements; here for loops of few nodes, in blocks of few elements."""
    monkeypatch.setattr(plan, "MAX_NODES", 8)
    monkeypatch.setattr(blocks, "LEAST", 1)
    monkeypatch.setattr(blocks, "BLOCK", 5)
    test_fused_equals_node_by_node(specification, seed)


def test_long_graphs_store_nothing_between_their_loops():
    graph = lw.Builder(tosa="1.0")
    x = graph.input("x", "int32", (1 << 18,))
    value = x
    for k in range(400):
        value = graph.node("BITWISE_XOR" if k % 2 else "ADD", value, graph.constant(np.int32([k + 1])))
        value = graph.node("ARITHMETIC_RIGHT_SHIFT", value, graph.constant(np.int32([1])), round=k % 3 == 0)
    graph.output("y", value)
    model = graph.model()
    given = np.arange(1 << 18, dtype=np.int32) * 8000
    want = given.astype(np.int64)
    for k in range(400):
        want = want ^ (k + 1) if k % 2 else want + k + 1
        want = (want + (1 if k % 3 == 0 else 0)) >> 1
    loops = loops_of(model, given)
    assert len(loops) > 1
    (group,) = blocks.grouped(next(iter(model._plans.values())))
    assert len(group.loops) == len(loops)
    assert len(group.inner) == len(loops) - 1
    outcome = model.run(given)
    assert outcome.status is lw.Status.VALID
    assert (outcome.outputs["y"] == want).all()
    out = np.empty_like(given)
    assert lw.compile(model)(given, out=out) is out
    assert (out == want).all()
    given[77] = 2**31 - 1
    (violation, *_) = model.run(given).violations
    assert violation.index == (77,)
