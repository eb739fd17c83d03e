"""Puts shifts in the place of nodes: BitShift where the opset has it for the type, else its exact form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, sort_of
from lanewise.graph.build import Builder
from lanewise.graph.model import Constant, Model, Node
from lanewise.language.sorts import Sort, boolean, i64, integer
from lanewise.lowering.lower import lower_graph
from lanewise.lowering.onnx_opsets import OLDEST_OPSET, OnnxToOnnx
from lanewise.lowering.onnx_steps import cast
from lanewise.lowering.rule import Refused, Source
from lanewise.lowering.shift_patterns import Pattern, patterns
from lanewise.lowering.steps import GraphSteps, Wire
from lanewise.operators import catalogue
from lanewise.operators.onnx.rows import NEWEST_OPSET

Array = np.ndarray[Any, Any]


def repaired(model: Model, found: Sequence[Pattern]) -> Model:
    """The graph with shifts in the places that were found; what only their nodes needed is gone.

    A graph of an opset below 11, which has no shifts at all, is lifted to 11.
    """
    if int(model.version) < OLDEST_OPSET:
        model, found = _lifted(model, found)
    pieces = {pattern.node.output: _piece(model, pattern) for pattern in found}
    taken = {*model.types, *model.outputs}
    nodes: list[Node] = []
    constants = dict(model.constants)
    for node in model.nodes:
        if node.output not in pieces:
            nodes.append(node)
            continue
        spliced, more = _named(node, pieces[node.output], taken)
        nodes += spliced
        constants |= more
    return _without_dead(replace(model, nodes=tuple(nodes), constants=constants))


@lru_cache(maxsize=64)
def shifted_model(sort: Sort, count: np.dtype[Any], direction: str) -> Model:
    """x shifted by n at the newest opset."""
    kind = sort_of(count)
    assert kind is not None
    builder = Builder(onnx=NEWEST_OPSET, name="the shift")
    x, n = (Wire(builder.input(name, s, ("elements",)), s, 1) for name, s in (("x", sort), ("n", kind)))
    builder.output("z", _shift(GraphSteps(builder), x, n, None, direction).tensor)
    return builder.model()


def _lifted(model: Model, found: Sequence[Pattern]) -> tuple[Model, list[Pattern]]:
    """The graph at the first opset with shifts, and the same places in it."""
    lowered = lower_graph(model, OnnxToOnnx(OLDEST_OPSET))
    ends = accumulate(len(step.operators) for step in lowered.report.steps)
    last = {node.output: lowered.model.nodes[end - 1].output for node, end in zip(model.nodes, ends, strict=True)}
    there = {pattern.node.output: pattern for pattern in patterns(lowered.model)}
    same = []
    for pattern in found:
        node = pattern.node
        if last[node.output] not in there:
            raise Refused(
                f"{model.source}, {node.place}: its power is placed by axis, which opset {OLDEST_OPSET} writes with a "
                f"Reshape that is not looked through; lower the graph to opset {OLDEST_OPSET} and replace the node"
            )
        same.append(there[last[node.output]])
    return lowered.model, same


@dataclass(frozen=True)
class _Piece:
    """A shift as a graph of its own, over tensors of the whole graph."""

    model: Model
    outer: tuple[str, ...]


def _piece(model: Model, pattern: Pattern) -> _Piece:
    builder = Builder(onnx=int(model.version), name=model.source)
    t = GraphSteps(builder)
    x, count = pattern.x, pattern.count
    given = Wire(builder.input(x, pattern.sort, ()), pattern.sort, 0)
    if isinstance(count, str):
        kind = model.types[count].sort
        assert isinstance(kind, Sort)
        places = given if count == x else Wire(builder.input(count, kind, ()), kind, 0)
        shape = model.types[count].shape
        if pattern.base and (shape is None or len(pattern.base) > len(shape) or set(pattern.base) != {1}):
            every = Wire(builder.constant(np.ones(pattern.base, np.bool_)), boolean, len(pattern.base))
            places = t("Where", every, places, places)  # the twos repeat the count, whatever its sizes
    else:
        places = Wire(builder.constant(count, i64), i64, count.ndim)
    result = _shift(t, given, places, None if isinstance(count, str) else count, pattern.direction)
    builder.output("z", result.tensor)
    return _Piece(builder.model(), (x, count) if isinstance(count, str) else (x,))


def _shift(t: GraphSteps, x: Wire, count: Wire, fixed: Array | None, direction: str) -> Wire:
    """BitShift at the wider of both types, so that no count loses bits."""
    sort, kind = x.sort, count.sort
    assert isinstance(sort, Sort) and isinstance(kind, Sort)
    word = sort
    if fixed is not None:  # numbers beyond the type's become one that has the same result
        limited = np.where((fixed < 0) | (fixed >= sort.width), sort.width, fixed).astype(dtype_of(sort))
        fixed, count = limited, Wire(t.builder.constant(limited, sort), sort, limited.ndim)
    elif kind.width > sort.width:
        word = integer(kind.width, sort.signed)
    record = catalogue.find("onnx", "BitShift", NEWEST_OPSET)
    to = OnnxToOnnx(int(t.version))
    constants = {} if fixed is None else {1: fixed}
    source = to.informed(Source(record, (word, word), word, {"direction": direction}, constants=constants))
    (moved,) = to.rule(source).apply(t, source, [(cast(t, x, word),), (cast(t, count, word),)])
    return cast(t, moved, sort)  # type: ignore[no-any-return]


def _named(node: Node, piece: _Piece, taken: set[str]) -> tuple[list[Node], Mapping[str, Constant]]:
    """The nodes and constants of a piece; its own tensors get names that are free, its result the node's."""
    inner = piece.model
    names = {name: name for name in piece.outer} | {inner.outputs["z"].tensor: node.output}
    for name in (*inner.constants, *(made.output for made in inner.nodes)):
        if name not in names:
            names[name] = _free(f"{node.output}.{name}", taken)
    nodes = [
        replace(
            made,
            inputs=tuple(None if tensor is None else names[tensor] for tensor in made.inputs),
            output=names[made.output],
            place=f"{node.place} as a shift, {made.operator.name}",
        )
        for made in inner.nodes
    ]
    return nodes, {names[name]: Constant(constant.sort, constant.array) for name, constant in inner.constants.items()}


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _without_dead(model: Model) -> Model:
    """The graph without nodes and constants that lead to no output, checked."""
    alive = {output.tensor for output in model.outputs.values()}
    kept = []
    for node in reversed(model.nodes):
        if node.output in alive:
            kept.append(node)
            alive.update(tensor for tensor in node.inputs if tensor is not None)
    constants = {name: constant for name, constant in model.constants.items() if name in alive}
    there = {*model.inputs, *constants, *(node.output for node in kept)}
    declared = {name: kind for name, kind in model.declared.items() if name in there}
    return replace(model, nodes=tuple(reversed(kept)), constants=constants, declared=declared, types={}).check()
