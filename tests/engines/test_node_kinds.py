"""Every node kind: both engines have it, and they agree on every input at small widths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lanewise.engines import exact
from lanewise.engines.exact_kernel import ExactKernel, from_patterns, patterns
from lanewise.engines.native import emit
from lanewise.engines.native.kernel import NativeKernel
from lanewise.engines.native.target import abilities, host_features
from lanewise.engines.text import c99, systemverilog
from lanewise.language import floats, nodes
from lanewise.language.nodes import KINDS, Node, node
from lanewise.language.sorts import ArraySort, Sort, bf16, bits, boolean, carrier, f16, f32, f64, integer
from lanewise.language.words import Function
from tests.operators.battery import interesting, random_patterns

WIDTHS = (1, 2, 3, 4, 5)
WIDE = (8, 16, 32, 48, 64)
FLOATS = (f16, bf16, f32, f64)


def author(sort: Sort) -> Sort:
    """A sort that a function may have as operand or result, for a carrier."""
    return integer(sort.width, False) if sort.kind == "bits" else sort


def run(
    sorts: list[Sort | ArraySort], root: Node, columns: list[list[int]], features: str | None = None
) -> tuple[list[int], list[int]]:
    """What both engines say, as patterns."""
    assert isinstance(root.sort, Sort)
    function = Function(tuple(sorts), (author(root.sort),), (root,))
    operands = [
        from_patterns(column, s.element if isinstance(s, ArraySort) else s)
        for column, s in zip(columns, sorts, strict=True)
    ]
    shape = (max(len(c) for c, s in zip(columns, sorts, strict=True) if isinstance(s, Sort)),)
    (oracle,), _ = ExactKernel(function)(operands, shape)
    (native,), _ = NativeKernel(function, features)(operands, shape)
    return patterns(oracle, function.outputs[0]), patterns(native, function.outputs[0])


def inputs(*sorts: Sort) -> list[Node]:
    return [node("input", data=k, sort=sort) for k, sort in enumerate(sorts)]


def compare(
    sorts: list[Sort], root: Node, columns: list[list[int]], ulps: int = 0, features: str | None = None
) -> None:
    oracle, native = run([author(s) for s in sorts], root, columns, features)
    for index, (want, got) in enumerate(zip(oracle, native, strict=True)):
        if want != got and not (ulps and abs(want - got) <= ulps):
            operands = [column[index] for column in columns]
            raise AssertionError(
                f"{root.kind} on {sorts} of {list(map(hex, operands))}: exact {want:#x}, native {got:#x}"
            )


def test_every_kind_stands_in_every_table():
    assert set(exact.RULES) | {"input"} == set(KINDS)
    assert set(emit.RULES) == set(KINDS)
    assert set(c99.RULES) == set(KINDS)
    assert set(systemverilog.RULES) == set(KINDS)


BITS2 = [k for k, row in KINDS.items() if row.operands in ("bits", "word") and row.arity == 2]
BITS1 = [k for k, row in KINDS.items() if row.operands in ("bits", "word") and row.arity == 1 and row.result == "same"]


@pytest.mark.parametrize("kind", BITS2 + BITS1)
def test_words_of_every_small_width(kind: str):
    for width in WIDTHS:
        sorts = [bits(width)] * KINDS[kind].arity
        table = itertools.product(range(1 << width), repeat=len(sorts))
        compare(sorts, node(kind, *inputs(*sorts)), [list(c) for c in zip(*table, strict=True)])


@pytest.mark.parametrize("width", WIDE)
@pytest.mark.parametrize("kind", BITS2 + BITS1)
def test_words_at_the_edges(kind: str, width: int):
    sorts = [bits(width)] * KINDS[kind].arity
    edges = interesting(integer(width, True))
    generator = np.random.default_rng(width)
    columns = [list(c) for c in zip(*itertools.product(edges, repeat=len(sorts)), strict=True)]
    for column in columns:
        column += random_patterns(integer(width, True), 500, generator)
    compare(sorts, node(kind, *inputs(*sorts)), columns)


@pytest.mark.parametrize("kind", ["and", "or", "xor", "eq"])
def test_booleans(kind: str):
    compare([boolean, boolean], node(kind, *inputs(boolean, boolean)), [[0, 0, 1, 1], [0, 1, 0, 1]])


def test_not_of_a_boolean_and_choice():
    compare([boolean], node("not", *inputs(boolean)), [[0, 1]])
    sorts = [boolean, bits(8), bits(8)]
    compare(sorts, node("ite", *inputs(*sorts)), [[0, 1, 1], [1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("kind", ["zext", "sext", "trunc"])
def test_between_widths(kind: str):
    pairs = [(1, 2), (3, 5), (4, 8), (8, 16), (8, 32), (5, 48), (48, 64), (16, 64)]
    for narrow, wide in pairs:
        source, target = (wide, narrow) if kind == "trunc" else (narrow, wide)
        values = interesting(integer(source, True)) if source > 8 else list(range(1 << source))
        compare([bits(source)], node(kind, *inputs(bits(source)), sort=bits(target)), [values])


FLOAT2 = [k for k, row in KINDS.items() if row.operands == "float" and row.arity == 2 and k != "fpow"]


def _float_columns(sort: Sort, count: int) -> list[list[int]]:
    edges = interesting(sort)
    generator = np.random.default_rng(sort.width)
    columns = [list(c) for c in zip(*itertools.product(edges, repeat=count), strict=True)]
    for column in columns:
        column += random_patterns(sort, 1500, generator)
    return columns


@pytest.mark.parametrize("sort", FLOATS, ids=str)
@pytest.mark.parametrize("kind", FLOAT2)
def test_float_pairs(kind: str, sort: Sort):
    compare([sort, sort], node(kind, *inputs(sort, sort)), _float_columns(sort, 2))


@pytest.mark.parametrize("sort", [f16, bf16, f32], ids=str)
def test_power_within_one_ulp(sort: Sort):
    columns = _float_columns(sort, 2)
    compare([sort, sort], node("fpow", *inputs(sort, sort)), [column[:1500] for column in columns], ulps=1)


@pytest.mark.parametrize("sort", FLOATS, ids=str)
@pytest.mark.parametrize("kind", ["fneg", "fabs", "frint"])
def test_float_alone(kind: str, sort: Sort):
    columns = [list(range(1 << 16))] if sort.width == 16 else _float_columns(sort, 1)
    compare([sort], node(kind, *inputs(sort)), columns)


@pytest.mark.parametrize("target", FLOATS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_float_to_float(source: Sort, target: Sort):
    columns = [list(range(1 << 16))] if source.width == 16 else [_float_columns(source, 1)[0] + _halfway(source)]
    compare([source], node("fcvt", *inputs(source), sort=target), columns)


def _halfway(source: Sort) -> list[int]:
    """Values beside the middle between two float16 or bfloat16 numbers, where double rounding shows."""
    result = []
    for narrow in (f16, bf16, f32):
        for pattern in (1, 2, 3, 0x3C00, 0x3C01, 0x0400, 0x3FF, 0x7BFF, 0x3F80, 0x7F7F):
            low, high = floats.decode(pattern, narrow), floats.decode(pattern + 1, narrow)
            if high == float("inf"):
                continue
            middle = floats.encode((low + high) / 2, source)
            result += [max(0, middle + d) for d in (-2, -1, 0, 1, 2)]
    return result


@pytest.mark.parametrize("sort", FLOATS, ids=str)
@pytest.mark.parametrize("kind", ["stof", "utof"])
def test_integer_to_float(kind: str, sort: Sort):
    for width in (4, *WIDE):
        values = list(range(1 << width)) if width <= 16 else interesting(integer(width, True))
        values += [
            v & ((1 << width) - 1) for k in range(20, 64) for v in ((1 << k) + 1, (1 << k) - 1, 3 << k, (3 << k) + 1)
        ]
        values += random_patterns(integer(width, True), 500, np.random.default_rng(width))
        compare([bits(width)], node(kind, *inputs(bits(width)), sort=sort), [values])


@pytest.mark.parametrize("sort", FLOATS, ids=str)
@pytest.mark.parametrize("kind", ["ftos", "ftou"])
def test_float_to_integer(kind: str, sort: Sort):
    for width in (4, *WIDE):
        edges = [
            floats.encode(float(s * (1 << k)), sort) + d for k in range(width + 1) for s in (1, -1) for d in (-1, 0, 1)
        ]
        compare([sort], node(kind, *inputs(sort), sort=bits(width)), [_float_columns(sort, 1)[0] + edges])


@pytest.mark.parametrize("length", [1, 7, 16, 256, 513])
@pytest.mark.parametrize("width", [4, 8, 16])
def test_lookup_beyond_the_end_gives_zero(length: int, width: int):
    table = [(k * 7 + 3) & 0xFF for k in range(length)]
    array = ArraySort(integer(8, False), length)
    root = node("lookup", node("input", data=0, sort=carrier(array)), node("input", data=1, sort=bits(width)))
    indices = list(range(min(1 << width, 1024)))
    oracle, native = run([array, integer(width, False)], root, [table, indices])
    assert oracle == native == [table[i] if i < length else 0 for i in indices]


@pytest.mark.skipif("+f16c" not in host_features().split(","), reason="this processor has one way for float16 only")
def test_float16_without_hardware():
    """Where the processor cannot convert float16, the integer routine gives the same."""
    features = ",".join(
        f for f in host_features().split(",") if "f16c" not in f and "avx512" not in f and "avx10" not in f
    )
    features += ",-f16c,-avx512f,-avx512fp16"
    assert not abilities(features).half
    everything = [list(range(1 << 16))]
    for target in (f32, bf16, f64):
        compare([f16], node("fcvt", *inputs(f16), sort=target), everything, features=features)
    back = _float_columns(f32, 1)[0] + _halfway(f32)
    compare([f32], node("fcvt", *inputs(f32), sort=f16), [back], features=features)
    compare([f16, f16], node("fadd", *inputs(f16, f16)), _float_columns(f16, 2), features=features)


def test_fold_keeps_the_meaning():
    """Constant parts are computed, settled conditions vanish, the rest stays."""
    x = node("input", data=0, sort=bits(8))
    two, three = nodes.constant(2, bits(8)), nodes.constant(3, bits(8))
    five = node("add", two, three)
    chosen = node("ite", node("ult", two, three), node("add", x, five), x)
    function = Function((integer(8, False),), (integer(8, False),), (chosen,))
    folded = exact.fold(function)
    assert folded.results == (node("add", x, nodes.constant(5, bits(8))),)


def test_equal_expressions_are_one_object():
    a, b = inputs(bits(8), bits(8))
    assert node("add", a, b) is node("add", a, b)
    assert node("add", a, b) is not node("add", b, a)


def test_deep_expressions_need_no_recursion():
    x = node("input", data=0, sort=bits(32))
    deep = x
    for _ in range(20_000):
        deep = node("add", deep, x)
    assert sum(1 for _ in nodes.postorder([deep])) == 20_001
