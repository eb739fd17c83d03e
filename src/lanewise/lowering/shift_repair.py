"""Puts a shift in the place of a node: BitShift where the opset has it for the type, else its exact form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, sort_of
from lanewise.graph.build import Builder
from lanewise.graph.model import Constant, Model, Node
from lanewise.language.sorts import Sort, i64, integer
from lanewise.lowering.onnx_opsets import OnnxToOnnx
from lanewise.lowering.onnx_steps import cast
from lanewise.lowering.rule import Source
from lanewise.lowering.steps import GraphSteps, Wire
from lanewise.operators import catalogue
from lanewise.operators.onnx.rows import NEWEST_OPSET

Array = np.ndarray[Any, Any]


def repaired(model: Model, node: Node, x: str, count: str | Array, direction: str) -> Model:
    """The graph with a shift in the place of a node; what only the node needed is gone."""
    sort = model.types[node.output].sort
    assert isinstance(sort, Sort)
    builder = Builder(onnx=int(model.version), name=model.source)
    given = Wire(builder.input(x, sort, ()), sort, 0)
    if isinstance(count, str):
        kind = model.types[count].sort
        assert isinstance(kind, Sort)
        places = given if count == x else Wire(builder.input(count, kind, ()), kind, 0)
    else:
        places = Wire(builder.constant(count, i64), i64, count.ndim)
    result = _shift(GraphSteps(builder), given, places, None if isinstance(count, str) else count, direction)
    builder.output("z", result.tensor)
    return _without_dead(_spliced(model, node, builder.model(), {x, count} if isinstance(count, str) else {x}))


def shifted_model(sort: Sort, count: np.dtype[Any], direction: str) -> Model:
    """x shifted by n at the newest opset."""
    kind = sort_of(count)
    assert kind is not None
    builder = Builder(onnx=NEWEST_OPSET, name="the shift")
    x, n = (Wire(builder.input(name, s, ("elements",)), s, 1) for name, s in (("x", sort), ("n", kind)))
    builder.output("z", _shift(GraphSteps(builder), x, n, None, direction).tensor)
    return builder.model()


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


def _spliced(model: Model, node: Node, piece: Model, outer: set[str]) -> Model:
    """The graph with a piece in the place of a node; the piece's own tensors get names that are free."""
    taken = {*model.types, *model.outputs}
    result = piece.outputs["z"].tensor
    names: dict[str, str] = {name: name for name in outer} | {result: node.output}
    for name in (*piece.constants, *(inner.output for inner in piece.nodes)):
        if name not in names:
            names[name] = _free(f"{node.output}.{name}", taken)
    nodes = [
        replace(
            inner,
            inputs=tuple(None if tensor is None else names[tensor] for tensor in inner.inputs),
            output=names[inner.output],
            place=f"{node.place} as a shift, {inner.operator.name}",
        )
        for inner in piece.nodes
    ]
    position = next(k for k, have in enumerate(model.nodes) if have is node)
    constants = {names[name]: Constant(constant.sort, constant.array) for name, constant in piece.constants.items()}
    return replace(
        model,
        nodes=(*model.nodes[:position], *nodes, *model.nodes[position + 1 :]),
        constants={**model.constants, **constants},
    )


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
    return replace(model, nodes=tuple(reversed(kept)), constants=constants).check()
