"""Finds shifts that were written as arithmetic: x >> n as a division by 2 ** n, x << n as a product with it.

Old exporters wrote `x >> n` as Div(x, 2 ** n), with the power a constant or computed by Pow. ONNX's Div
cuts towards zero, so a negative x that leaves a remainder comes out one too high; and a power that the
type does not hold is no power of 2 any more. Each finding has a smallest counterexample and a repair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.build import Builder
from lanewise.graph.model import Model, Node
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort, to_pattern
from lanewise.lowering.arguments import check_graph
from lanewise.lowering.rule import Refused
from lanewise.lowering.shift_patterns import Pattern, patterns
from lanewise.lowering.shift_repair import repaired, shifted_model

Array = np.ndarray[Any, Any]

NEAR = 9  # numbers around 0 that a counterexample is looked for among, beside the type's extremes
MOST = 1 << 12  # numbers of a constant x that are tried: the nearest to 0, and its extremes


@dataclass(frozen=True)
class Counterexample:
    """One element for which the arithmetic is no shift."""

    sort: Sort
    x: int
    count: int
    given: int  # by the node
    shifted: int  # by the shift

    def __str__(self) -> str:
        values = {"x": self.x, "given": self.given, "the shift": self.shifted}
        width = max(len(str(value)) for value in values.values())
        lines = [f"{name:9} = {value:<{width}}  {_binary(value, self.sort)}" for name, value in values.items()]
        return "\n".join([lines[0], f"count     = {self.count}", *lines[1:]])


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
        return self._told(f"if this was a {self._side} shift, it is wrong for:")

    def after_repair(self) -> str:
        """What is said of a place that is a shift by now."""
        return self._told(f"repaired, it is a {self._side} shift now; it was wrong for:")

    @property
    def _side(self) -> str:
        return "right" if self.pattern.direction == "RIGHT" else "left"

    def _told(self, what: str) -> str:
        example = "\n".join(f"  {line}" for line in str(self.counterexample).splitlines())
        return f"{self.node}: {self.pattern.text}; {what}\n{example}"


def find_shifts(model: Model) -> list[Finding]:
    """Every such place of an ONNX graph, in the graph's order. Divisions without sign are exact, and none of them."""
    check_graph(model, "find_shifts")
    if model.specification != "onnx":
        raise InvalidError(f"{model.source}: a {model.specification.upper()} graph; shifts are looked for in ONNX")
    findings = []
    for pattern in patterns(model):
        example = _counterexample(model, pattern)
        if example is not None:
            findings.append(Finding(pattern, example, partial(repaired, model, [pattern])))
    return findings


def repair_shifts(model: Model) -> Model:
    """The graph with every such place made a shift."""
    check_graph(model, "repair_shifts")
    findings = find_shifts(model)
    return repaired(model, [finding.pattern for finding in findings]) if findings else model


# -- counterexamples ----------------------------------------------------------------------


def _counterexample(model: Model, pattern: Pattern) -> Counterexample | None:
    """The smallest number, and count, for which the node gives something else than the shift."""
    sort = pattern.sort
    x, n = _elements(model, pattern)
    if not x.size:
        return None
    given = _computed(model, pattern, x, n)
    shifted = shifted_model(sort, n.dtype, pattern.direction).run({"x": x, "n": n}).outputs["z"]
    wrong = [
        Counterexample(sort, *(int(column[k]) for column in (x, n, given, shifted)))
        for k in np.flatnonzero(given != shifted)
    ]
    return min(wrong, key=lambda e: (not 0 <= e.count < sort.width, abs(e.x) + abs(e.count), e.x < 0), default=None)


def _elements(model: Model, pattern: Pattern) -> tuple[Array, Array]:
    """The pairs of a number and a count that are tried; where the graph fixes one, only what can occur."""
    counts = _counts_tried(model, pattern)
    if isinstance(pattern.count, str) and pattern.root == pattern.count:  # x >> x
        return _moved(model, pattern, counts), counts
    if pattern.root not in model.constants:
        sort = pattern.sort
        near = [value for k in range(NEAR) for value in ((k, -k) if k else (0,)) if sort.lowest <= value]
        return _crossed(np.array([*near, sort.highest, sort.lowest], dtype_of(sort)), counts)
    fixed = _moved(model, pattern, model.constants[pattern.root].array)
    if not isinstance(pattern.count, str):
        return _met(pattern, fixed, pattern.count)
    numbers = np.unique(fixed)
    if numbers.size > MOST:
        smallest = np.argsort(abs(numbers.astype(np.float64)), kind="stable")[:MOST]
        numbers = np.unique(np.concatenate([numbers[smallest], numbers[[0, -1]]]))
    return _crossed(numbers, counts)


def _counts_tried(model: Model, pattern: Pattern) -> Array:
    if not isinstance(pattern.count, str):
        return np.unique(pattern.count)
    kind = _sort(model, pattern.count)
    counts = [n for n in (*range(pattern.sort.width + 2), -1) if kind.lowest <= n <= kind.highest]
    return np.array(counts, dtype_of(kind))


def _crossed(numbers: Array, counts: Array) -> tuple[Array, Array]:
    """Each number with each count."""
    x, n = np.meshgrid(numbers, counts)
    return x.ravel(), n.ravel()


def _met(pattern: Pattern, x: Array, counts: Array) -> tuple[Array, Array]:
    """The pairs that meet where the node broadcasts two constants, each once."""
    (numbers, at), (places, where) = (np.unique(array, return_inverse=True) for array in (x, counts))
    operands = [at.reshape(x.shape), where.reshape(counts.shape)]
    if pattern.position == 1:
        operands.reverse()
    node = pattern.node
    shapes = [operand.shape for operand in operands]
    views = node.operator.shape(node.operator.argument_names(2), shapes, node.attributes).operands
    operands = [operand.reshape(view) for operand, view in zip(operands, views, strict=True) if view is not None]
    if pattern.position == 1:
        operands.reverse()
    pairs = np.unique(operands[0] * places.size + operands[1])
    return numbers[pairs // places.size], places[pairs % places.size]


def _computed(model: Model, pattern: Pattern, x: Array, n: Array) -> Array:
    """What the pattern's nodes make of x and n."""
    graph = Builder(onnx=int(model.version), name=model.source)
    operand, value = graph.input("x", x.dtype, x.shape), graph.input("n", n.dtype, n.shape)
    if len(pattern.chain) == 1:
        value = graph.constant(np.left_shift(1, n).astype(x.dtype))  # the power
    else:
        first = pattern.chain[0]
        kind = _sort(model, str(first.inputs[1 if first.operator.name == "Pow" else 0]))
        value = value if dtype_of(kind) == n.dtype else graph.node("Cast", value, to=kind)
    for node in pattern.chain:
        operands = [value]
        if node is pattern.node:
            operands.insert(pattern.position, operand)
        elif node.operator.name == "Pow":
            base = dtype_of(_sort(model, str(node.inputs[0])))
            operands.insert(0, graph.constant(np.full(n.shape, 2).astype(base)))
        value = graph.node(node.operator.name, *operands, **_attributes(node))
    graph.output("z", value)
    result: Array = graph.model().run({"x": x, "n": n}).outputs["z"]
    return result


def _moved(model: Model, pattern: Pattern, array: Array) -> Array:
    """What the casts before x make of an array."""
    if not pattern.moves:
        return array
    graph = Builder(onnx=int(model.version), name=model.source)
    value = graph.input("x", _sort(model, pattern.root), array.shape)
    for node in pattern.moves:
        value = graph.node(node.operator.name, value, **_attributes(node))
    graph.output("z", value)
    result: Array = graph.model().run({"x": array}).outputs["z"]
    return result


def _attributes(node: Node) -> dict[str, Any]:
    """A node's attributes, but for those about the shapes: what is tried has one shape."""
    return {
        name: value
        for name, value in node.attributes.items()
        if value is not None and name not in ("broadcast", "axis")
    }


def _sort(model: Model, tensor: str) -> Sort:
    sort = model.types[tensor].sort
    assert isinstance(sort, Sort)
    return sort


def _binary(value: int, sort: Sort) -> str:
    """The bits in groups of four."""
    bits = f"{to_pattern(value, sort):0{sort.width}b}"
    return "_".join(bits[k : k + 4] for k in range(0, len(bits), 4))


__all__ = ["Counterexample", "Finding", "Pattern", "Refused", "find_shifts", "patterns", "repair_shifts"]
