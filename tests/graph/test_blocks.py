"""Loops that run block by block: in every layout nothing between them is stored, and nothing is computed twice."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.graph import blocks, plan
from lanewise.graph.loops import Leaf, Loop, Plan, Stored
from lanewise.language import nodes
from lanewise.language.sorts import i32

STEPS = 12
MIB = 1 << 20
TOP = 2**31 - 1


def chain(x_shape: tuple[Any, ...], bias_shape: tuple[Any, ...]) -> lw.Model:
    graph = lw.Builder(onnx=28, name="chain")
    value, bias = graph.input("x", "int32", x_shape), graph.input("bias", "int32", bias_shape)
    for k in range(STEPS):
        moved = graph.node("BitShift", value, graph.constant(np.int32(3 + k % 7)), direction="RIGHT")
        value = graph.node("Add", graph.node("BitwiseXor", value, moved), bias)
    graph.output("y", value)
    return graph.model()


def chained(x: np.ndarray, bias: np.ndarray) -> np.ndarray:
    for k in range(STEPS):
        x = (x ^ (x >> np.int32(3 + k % 7))) + bias
    return x


def numbers(*shape: int) -> np.ndarray:
    return (np.arange(np.prod(shape), dtype=np.int64) * 2654435761).astype(np.int32).reshape(shape)


LAYOUTS = {
    "one after another": (numbers(1 << 22), numbers(1)),
    "every other": (numbers(1 << 23)[::2], numbers(1)),
    "a batch of one with a number for each channel": (numbers(1, 4, 512, 2048), numbers(4, 1, 1)),
    "a batch of one, backwards": (numbers(1, 1 << 22)[:, ::-1], numbers(1, 1)),
    "columns": (numbers(2048, 2048).T, numbers(2048, 1)),
    "long rows": (numbers(3, 1 << 21)[:2], numbers(1 << 21)),
    "short rows": (numbers(1 << 20, 4), numbers(4)),
}


def peak_of(call: Any, *operands: np.ndarray) -> tuple[Any, int]:
    """What a call gives, and the most memory that it had at a time, the result included."""
    tracemalloc.start()
    try:
        result = call(*operands)
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_is_stored_between_loops(layout: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan, "MAX_NODES", 12)
    x, bias = LAYOUTS[layout]
    model = chain(x.shape, bias.shape)
    compiled = lw.compile(model)
    compiled(x, bias)
    result, peak = peak_of(compiled, x, bias)
    (found,) = model._plans.values()
    assert len(found.loops) > 2
    assert peak < result.nbytes + 8 * MIB
    np.testing.assert_array_equal(result, chained(x, bias))


def test_tables_run_in_blocks():
    graph = lw.Builder(tosa="0.23.0")
    x = value = graph.input("x", "int8", (1 << 24,))
    tables = [np.random.default_rng(k).integers(-128, 128, 256).astype(np.int8) for k in range(plan.MAX_LEAVES + 4)]
    for table in tables:
        value = graph.node("TABLE", value, graph.constant(table))
    graph.output("y", value)
    compiled = lw.compile(graph.model())
    x = np.arange(1 << 24, dtype=np.int64).astype(np.int8)
    compiled(x)
    result, peak = peak_of(compiled, x)
    assert peak < x.nbytes + 8 * MIB
    for table in tables:
        x = table[x.astype(np.int16) + 128]
    np.testing.assert_array_equal(result, x)


def a_part(part_shape: tuple[int, ...], shape: tuple[int, ...]) -> lw.Model:
    """A part of smaller shape with a requirement of its own, used twice in the result's shape."""
    graph = lw.Builder(tosa="1.0")
    a, b = graph.input("a", "int32", part_shape), graph.input("b", "int32", shape)
    part = graph.node("ADD", a, a)
    graph.output("y", graph.node("SUB", graph.node("BITWISE_XOR", b, part), part))
    return graph.model()


PARTS = [((1, 1 << 21), (3, 1 << 21)), ((1 << 21, 1), (1 << 21, 3)), ((1, 700, 1, 900), (2, 700, 3, 900))]


@pytest.mark.parametrize(("part_shape", "shape"), PARTS)
def test_a_part_of_smaller_shape_is_computed_once_and_not_stored(part_shape: tuple[int, ...], shape: tuple[int, ...]):
    model = a_part(part_shape, shape)
    a, b = numbers(*part_shape) >> 3, numbers(*shape) >> 3
    compiled = lw.compile(model)
    compiled(a, b)
    result, peak = peak_of(compiled, a, b)
    np.testing.assert_array_equal(result, (b ^ (2 * a)) - 2 * a)
    assert peak < result.nbytes + a.nbytes // 2 + 2 * MIB
    (found,) = model._plans.values()
    assert sorted(loop.shape for loop in found.loops) == sorted([part_shape, shape])
    (group,) = blocks.grouped(found)
    assert len(group.inner) == 1
    at = (0,) * (len(shape) - 1) + (part_shape[-1] - 1,)
    a[at] = TOP
    (violation, *_) = model.run(a, b).violations
    assert (violation.operator, violation.index, violation.count) == ("ADD", at, 1)


def test_parts_in_blocks_equal_the_oracle(monkeypatch: pytest.MonkeyPatch):
    """Every way in which a shape broadcasts into another, in blocks of few elements."""
    monkeypatch.setattr(blocks, "LEAST", 1)
    monkeypatch.setattr(blocks, "BLOCK", 4)
    grouped = 0
    for bits in range(7):
        part_shape = tuple(size if bits >> axis & 1 else 1 for axis, size in enumerate((2, 3, 5)))
        model = a_part(part_shape, (2, 3, 5))
        a, b = numbers(*part_shape), numbers(2, 3, 5)
        fused, plain = (model.run(a, b, on_unpredictable="mask", engine=engine) for engine in ("native", "exact"))
        np.testing.assert_array_equal(fused.outputs["y"], plain.outputs["y"])
        np.testing.assert_array_equal(fused.unpredictable["y"], plain.unpredictable["y"])
        assert [(v.operator, v.index, v.count) for v in fused.violations] == [
            (v.operator, v.index, v.count) for v in plain.violations
        ]
        grouped += any(len(group.loops) > 1 for found in model._plans.values() for group in found.groups or ())
    assert grouped >= 4


def test_a_part_that_two_shapes_use_is_not_stored(monkeypatch: pytest.MonkeyPatch):
    """It cannot share blocks with both, so both compute it where they use it."""
    monkeypatch.setattr(blocks, "MAX_PART", MIB)
    graph = lw.Builder(tosa="1.0")
    a = graph.input("a", "int32", (1, 1 << 20))
    part = graph.node("ADD", a, a)
    for rows in (2, 3):
        graph.output(f"y{rows}", graph.node("SUB", graph.input(f"b{rows}", "int32", (rows, 1 << 20)), part))
    model = graph.model()
    operands = [numbers(rows, 1 << 20) >> 3 for rows in (1, 2, 3)]
    compiled = lw.compile(model)
    compiled(*operands)
    (two, three), peak = peak_of(compiled, *operands)
    assert peak < two.nbytes + three.nbytes + 3 * MIB
    np.testing.assert_array_equal(two, operands[1] - 2 * operands[0])
    np.testing.assert_array_equal(three, operands[2] - 2 * operands[0])


def test_no_loop_runs_between_the_others_of_its_group():
    """What lies on the way from one loop to another, and cannot join them, keeps them apart."""
    shape, turned = (1024, 512), (512, 1024)
    loops = []

    def loop(name: str, shape: tuple[int, ...], *operands: tuple[str, tuple[int, ...]]) -> None:
        made = Loop(shape, len(loops), [(name, i32, nodes.FALSE)])
        made.operands = [Leaf(tensor, view, i32, len(loops)) for tensor, view in operands]
        loops.append(made)

    loop("a", shape, ("x", shape))
    loop("b", turned, ("a", turned))  # reads it in another shape, so block by block it could not
    loop("c", shape, ("a", shape))
    loop("d", shape, ("c", shape), ("b", shape))
    loop("e", shape, ("d", shape))
    groups = blocks.grouped(Plan(loops, {"y": Stored(Leaf("e", shape, i32, 5), shape)}, 0))
    assert [[name for loop in group.loops for name, *_ in loop.results] for group in groups] == [
        ["a"],
        ["c"],
        ["b"],
        ["d", "e"],
    ]
    assert [group.inner for group in groups] == [set(), set(), set(), {"d"}]
