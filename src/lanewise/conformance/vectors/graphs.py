"""A set of vectors as a graph of one node and the arrays that it is run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import from_patterns
from lanewise.graph.build import Builder
from lanewise.graph.model import Model
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, ArraySort, Sort

Array = np.ndarray[Any, Any]

# What decides a shape, by the name that it has as an attribute or an argument: a value for n elements.
_LISTS: dict[str, Callable[[int], list[int]]] = {
    "shape": lambda n: [n],
    "new_shape": lambda n: [n],
    "axes": lambda n: [0],
}


def operands(vectors: VectorSet, elements: Sequence[int]) -> dict[str, Array]:
    """The arrays of some of the set's elements, by the names of the graph's inputs."""
    found = {}
    for column in vectors.columns:
        if vectors.operator.argument(_position(vectors, column.name)).use == "channel":
            continue  # it is in the graph
        array = from_patterns([column.patterns[at] for at in elements], column.sort)
        found[column.name] = array.reshape(_shape(vectors.operator, len(elements)))
    return found


def results(vectors: VectorSet, elements: Sequence[int]) -> Array:
    """What the graph gives for them."""
    return from_patterns([vectors.results[at] for at in elements], vectors.row.output)


def graph_of(vectors: VectorSet, elements: Sequence[int]) -> Model:
    """The graph that computes these elements: one node, with everything that is fixed inside."""
    operator, count = vectors.operator, len(elements)
    since = operator.release.since
    builder = (
        Builder(onnx=int(since), name=vectors.name)
        if operator.release.specification == "onnx"
        else Builder(tosa=str(since), name=vectors.name)
    )
    columns = {column.name: column for column in vectors.columns}
    given: list[Any] = []
    keywords: dict[str, Any] = {}
    names = list(columns) if operator.variadic else list(operator.arguments)
    for k, name in enumerate(names):
        argument = operator.argument(k)
        if argument.use == "channel" and name in columns:
            column = columns[name]
            keywords[name] = [number(column.patterns[at], column.sort) for at in elements]
        elif name in columns:
            tensor = builder.input(name, columns[name].sort, _shape(operator, count))
            if len(given) == k:
                given.append(tensor)
            else:
                keywords[name] = tensor
        elif argument.use == "numbers":
            keywords[name] = builder.constant(_LISTS[name](count), "int64" if _is_onnx(operator) else "int32")
            if not _is_onnx(operator):
                keywords[name] = _LISTS[name](count)
        elif vectors.choice.fixed.get(name) is not None:
            value = _fixed(vectors.choice.fixed[name], vectors.row.inputs[k])
            if argument.use == "elements":
                sort = vectors.row.inputs[k]
                keywords[name] = builder.constant(value, sort, name=name)
            else:
                listed = argument.use == "channel" or (argument.ranks is not None and argument.ranks[0] == 1)
                keywords[name] = [value] if listed else value
    attributes = {key: value for key, value in vectors.choice.attributes.items() if value is not None}
    attributes |= {name: _LISTS[name](count) for name in operator.attributes if name in _LISTS}
    tensor = builder.node(operator.name, *given, **keywords, **attributes)
    builder.output(operator.output, tensor)
    return builder.model()


def _is_onnx(operator: Operator) -> bool:
    return operator.release.specification == "onnx"


def _position(vectors: VectorSet, name: str) -> int:
    return 0 if vectors.operator.variadic else list(vectors.operator.arguments).index(name)


def _shape(operator: Operator, count: int) -> tuple[int, ...]:
    """One axis; before it one of size 1 where the operator takes axes away or adds them."""
    takes_axes = "axes" in operator.arguments or "axes" in operator.attributes
    return (1, count) if takes_axes else (count,)


def _fixed(value: Any, sort: AnySort) -> Any:
    if isinstance(sort, ArraySort):
        return from_patterns(value, sort.element)
    assert isinstance(sort, Sort)
    return number(value, sort)
