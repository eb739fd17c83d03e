"""Finds shifts that were written as arithmetic: x >> n as a division by 2 ** n, x << n as a product with it.

Old exporters wrote `x >> n` as Div(x, 2 ** n), with the power a constant or computed by Pow. ONNX's Div
cuts towards zero, so a negative x that leaves a remainder comes out one too high; and a power that the
type does not hold is no power of 2 any more. Each finding has a smallest counterexample and a repair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.build import Builder, Tensor
from lanewise.graph.model import Model, Node
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort, to_pattern
from lanewise.lowering.rule import Refused
from lanewise.lowering.shift_repair import repaired, shifted_model

Array = np.ndarray[Any, Any]

NEAR = 9  # numbers around 0 that a counterexample is looked for among, beside the type's extremes
SHOWN = 6  # counts of many
MOVING = ("Cast", "Identity")


@dataclass(frozen=True)
class Counterexample:
    """One element for which the arithmetic is no shift."""

    sort: Sort
    x: int
    count: int
    given: int  # by the node
    shifted: int  # by the shift

    def __str__(self) -> str:
        return (
            f"x = {self.x} ({_binary(self.x, self.sort)}), count = {self.count}: "
            f"gives {self.given} ({_binary(self.given, self.sort)}), "
            f"the shift gives {self.shifted} ({_binary(self.shifted, self.sort)})"
        )


@dataclass(frozen=True)
class Pattern:
    """A node that may have been a shift of x; `count` is a tensor, or the numbers that the graph fixes."""

    node: Node
    direction: str
    sort: Sort
    x: str
    count: str | Array
    chain: tuple[Node, ...]  # from the count to the node, which is the last; alone if the power is a constant

    @property
    def text(self) -> str:
        """The form: Div('x', 2 ** 3), or Div('x', Cast(Pow(2, Cast('n'))))."""
        power = f"2 ** {_counts(self.count)}"
        if len(self.chain) > 1:
            power = _counts(self.count)
            for node in self.chain[:-1]:
                power = f"{node.operator.name}({'2, ' if node.operator.name == 'Pow' else ''}{power})"
        return f"{self.node.operator.name}({self.x!r}, {power})"


@dataclass(frozen=True)
class Finding:
    """A place that is wrong if it was a shift."""

    pattern: Pattern
    counterexample: Counterexample
    _repair: Callable[[], Model] = field(repr=False)

    @property
    def node(self) -> str:
        """The node as messages name it."""
        return self.pattern.node.place

    @property
    def repaired(self) -> Model:
        """The graph with the shift in place of the arithmetic; Refused if its opset has no form for it.

        A graph of an opset below 11, which has no shifts at all, is lifted to 11.
        """
        return self._repair()

    def __str__(self) -> str:
        side = "right" if self.pattern.direction == "RIGHT" else "left"
        return f"{self.node}: {self.pattern.text}; if this was a {side} shift, it is wrong: {self.counterexample}"


def find_shifts(model: Model) -> list[Finding]:
    """Every such place of an ONNX graph, in the graph's order. Divisions without sign are exact, and none of them."""
    if model.specification != "onnx":
        raise InvalidError(f"{model.source}: a {model.specification.upper()} graph; shifts are looked for in ONNX")
    findings = []
    for number, pattern in enumerate(patterns(model)):
        example = _counterexample(model, pattern)
        if example is not None:
            findings.append(Finding(pattern, example, _repair_of(model, number, pattern)))
    return findings


def repair_shifts(model: Model) -> Model:
    """The graph with every such place made a shift."""
    while findings := find_shifts(model):
        model = findings[0].repaired
    return model


def _repair_of(model: Model, number: int, pattern: Pattern) -> Callable[[], Model]:
    def repair() -> Model:
        from lanewise.lowering.lower import lower_graph
        from lanewise.lowering.onnx_opsets import OLDEST_OPSET, OnnxToOnnx

        if int(model.version) >= OLDEST_OPSET:
            return repaired(model, pattern.node, pattern.x, pattern.count, pattern.direction)
        lifted = lower_graph(model, OnnxToOnnx(OLDEST_OPSET)).model
        same = list(patterns(lifted))[number]  # nodes keep their order
        return repaired(lifted, same.node, same.x, same.count, same.direction)

    return repair


# -- patterns -----------------------------------------------------------------------------


def patterns(model: Model) -> Iterator[Pattern]:
    """Divisions of signed integers by powers of 2, and products of integers with a computed one."""
    makers = {node.output: node for node in model.nodes}
    for node in model.nodes:
        if node.operator.name not in ("Div", "Mul"):
            continue
        sort = model.types[node.output].sort
        if not isinstance(sort, Sort) or sort.kind != "int":
            continue
        a, b = node.inputs
        assert a is not None and b is not None
        if node.operator.name == "Div":
            found = _power(model, makers, b) if sort.signed else None
            if found is not None:
                yield Pattern(node, "RIGHT", sort, a, found[0], (*found[1], node))
            continue
        for x, other in ((a, b), (b, a)):
            found = _power(model, makers, other)
            if found is not None and found[1]:  # a product with a constant power is exact
                yield Pattern(node, "LEFT", sort, x, found[0], (*found[1], node))
                break


def _power(model: Model, makers: dict[str, Node], tensor: str) -> tuple[str | Array, tuple[Node, ...]] | None:
    """The count n of a tensor that is 2 ** n, and the nodes that compute it; None if it is something else."""
    root, moves = _root(makers, tensor)
    if root in model.constants:
        values = model.constants[root].array
        if not _whole(values) or not values.size:
            return None
        numbers = [int(value) for value in values.ravel()]
        sorts = [model.types[node.output].sort for node in moves]
        fits = all(isinstance(sort, Sort) and (sort.kind == "float" or max(numbers) <= sort.highest) for sort in sorts)
        if not fits or any(number < 1 or number & (number - 1) for number in numbers):
            return None
        counts = [number.bit_length() - 1 for number in numbers]
        return np.array(counts, np.int64).reshape(values.shape), ()
    maker = makers.get(root)
    if maker is None or maker.operator.name != "Pow":
        return None
    base, exponent = maker.inputs
    assert base is not None and exponent is not None
    two, _ = _root(makers, base)
    if two not in model.constants or not (np.asarray(model.constants[two].array, np.float64) == 2).all():
        return None
    count, before = _root(makers, exponent)
    chain = (*before, maker, *moves)
    if count in model.constants:
        values = model.constants[count].array
        return (values.astype(np.int64), chain) if _whole(values) and values.size else None
    sort = model.types[count].sort
    return (count, chain) if isinstance(sort, Sort) and sort.kind == "int" else None


def _root(makers: dict[str, Node], tensor: str) -> tuple[str, list[Node]]:
    """The tensor behind casts, and these in the graph's order."""
    moves: list[Node] = []
    while tensor in makers and makers[tensor].operator.name in MOVING:
        moves.insert(0, makers[tensor])
        before = makers[tensor].inputs[0]
        assert before is not None
        tensor = before
    return tensor, moves


def _whole(values: Array) -> bool:
    """Whether all numbers are whole, and small enough to count with."""
    if values.dtype.kind == "b":
        return False
    numbers = np.asarray(values, np.float64)
    return bool(np.isfinite(numbers).all() and (numbers == np.rint(numbers)).all() and (abs(numbers) < 2**63).all())


# -- counterexamples ----------------------------------------------------------------------


def _counterexample(model: Model, pattern: Pattern) -> Counterexample | None:
    """The smallest number, and count, for which the node gives something else than the shift."""
    sort = pattern.sort
    near = [value for k in range(NEAR) for value in ((k, -k) if k else (0,)) if sort.lowest <= value]
    numbers = [*near, sort.highest, sort.lowest]
    if isinstance(pattern.count, str):
        count_sort = model.types[pattern.count].sort
        assert isinstance(count_sort, Sort)
        counts = [n for n in (*range(sort.width + 2), -1) if count_sort.lowest <= n <= count_sort.highest]
        count_dtype = dtype_of(count_sort)
    else:
        counts, count_dtype = sorted({int(n) for n in pattern.count.ravel()}), np.dtype(np.int64)
    x, n = (grid.ravel() for grid in np.meshgrid(np.array(numbers, dtype_of(sort)), np.array(counts, count_dtype)))
    if isinstance(pattern.count, str) and pattern.count == pattern.x:  # x >> x
        x = n
    given = _computed(model, pattern, x, n)
    shifted = shifted_model(sort, n.dtype, pattern.direction).run({"x": x, "n": n}).outputs["z"]
    wrong = [
        Counterexample(sort, *(int(column[k]) for column in (x, n, given, shifted)))
        for k in np.flatnonzero(given != shifted)
    ]
    return min(wrong, key=lambda e: (not 0 <= e.count < sort.width, abs(e.x) + abs(e.count), e.x < 0), default=None)


def _computed(model: Model, pattern: Pattern, x: Array, n: Array) -> Array:
    """What the pattern's nodes make of x and n."""
    graph = Builder(onnx=int(model.version), name=model.source)
    operand, count = graph.input("x", x.dtype, x.shape), graph.input("n", n.dtype, n.shape)
    start = pattern.chain[0].inputs[1 if pattern.chain[0].operator.name == "Pow" else 0]
    tensors: dict[str | None, Tensor] = {}
    if len(pattern.chain) == 1:
        power = np.left_shift(1, n).astype(x.dtype)  # the constant
        tensors = {tensor: graph.constant(power) for tensor in pattern.node.inputs if tensor != pattern.x}
    else:
        kind = _sort(model, str(start))
        tensors[start] = count if dtype_of(kind) == n.dtype else graph.node("Cast", count, to=kind)
    for node in pattern.chain:
        operands = []
        for tensor in node.inputs:
            if node is pattern.node and tensor == pattern.x:
                operands.append(operand)
                continue
            if tensor not in tensors:
                tensors[tensor] = graph.constant(dtype_of(_sort(model, str(tensor))).type(2))  # the base
            operands.append(tensors[tensor])
        given = {name: value for name, value in node.attributes.items() if value is not None}
        if "broadcast" in given:
            given = {"broadcast": True}
        tensors[node.output] = graph.node(node.operator.name, *operands, **given)
    graph.output("z", tensors[pattern.node.output])
    result: Array = graph.model().run({"x": x, "n": n}).outputs["z"]
    return result


def _sort(model: Model, tensor: str) -> Sort:
    sort = model.types[tensor].sort
    assert isinstance(sort, Sort)
    return sort


def _counts(count: str | Array) -> str:
    """A tensor's name, a number, or the first of many."""
    if isinstance(count, str):
        return repr(count)
    numbers = [str(number) for number in count.ravel()[:SHOWN]] + ["…"] * (count.size > SHOWN)
    return numbers[0] if count.size == 1 else f"[{', '.join(numbers)}]"


def _binary(value: int, sort: Sort) -> str:
    """The bits in groups of four."""
    bits = f"{to_pattern(value, sort):0{sort.width}b}"
    return "_".join(bits[k : k + 4] for k in range(0, len(bits), 4))


__all__ = ["Counterexample", "Finding", "Pattern", "Refused", "find_shifts", "patterns", "repair_shifts"]
