"""A graph as a function of one element: what an output's element is, in terms of the inputs' elements.

An input is not one operand but one for every way in which its elements reach the output: straight,
along an axis, reshaped. Two graphs that move elements in the same way share these operands, and only
what is computed from them is left to be proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import patterns
from lanewise.graph.check import operand_sorts, traced_sorts
from lanewise.graph.model import Model, Node
from lanewise.language import nodes
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.sorts import AnySort, ArraySort, Sort, carrier
from lanewise.language.words import Requirement
from lanewise.lowering.lower import with_shapes

Array = np.ndarray[Any, Any]

Maker = Callable[[Array | None], nodes.Node]  # the expression of a tensor's elements at some places; None: a table

OPEN_SIZE = 2  # what an open size is taken to be
MOST_ELEMENTS = 1 << 22  # of one tensor: beyond, a smaller shape says the same


@dataclass(frozen=True)
class Operand:
    """One way in which an input, or a constant of several values, reaches the output."""

    name: str
    sort: AnySort
    places: Array | None = None  # for each element of the output, the place in the tensor; None for a table
    values: Array | None = None  # for each element of the output, the pattern that a constant has there
    table: tuple[int, ...] | None = None  # the entries of a constant table


@dataclass
class Operands:
    """The operands that two graphs have in common."""

    listed: list[Operand] = field(default_factory=list)
    _index: dict[Any, int] = field(default_factory=dict)

    def node(self, operand: Operand) -> nodes.Node:
        """The expression of an operand; one for the same tensor in the same places, and for the same values."""
        arrays = [None if array is None else array.tobytes() for array in (operand.places, operand.values)]
        key = (operand.name if operand.values is None else "", carrier(operand.sort), *arrays, operand.table)
        if key not in self._index:
            self._index[key] = len(self.listed)
            self.listed.append(operand)
        return nodes.node("input", data=self._index[key], sort=carrier(operand.sort))


def sized(model: Model, shapes: Mapping[str, Sequence[int]]) -> tuple[Model, dict[str, tuple[int, ...]]]:
    """The graph with every input's shape fixed, as given or with 2 for open sizes; and the shapes so assumed."""
    model = with_shapes(model, shapes)
    assumed = {}
    for name, kind in model.inputs.items():
        if kind.shape is None:
            raise InvalidError(f"{model.source}, input {name!r}: its rank is unknown; give shapes={{{name!r}: (…)}}")
        if kind.known_shape is None:
            assumed[name] = tuple(size if isinstance(size, int) else OPEN_SIZE for size in kind.shape)
    return with_shapes(model, assumed), assumed


class Elements:
    """Walks a graph backwards for the places that are needed, then forwards for the expressions."""

    def __init__(self, model: Model, inputs: Mapping[str, Maker], operands: Operands) -> None:
        self.model = model
        self.inputs = inputs  # name → what makes the expression of an input's elements at some places
        self.operands = operands
        self.requirements: list[Requirement] = []

    def output(self, name: str) -> nodes.Node:
        """The expression of an element of an output; the requirements of the whole graph are collected."""
        tensor = self.model.outputs[name].tensor
        needed: dict[str, dict[bytes, Array]] = {}
        self._need(needed, tensor, np.arange(self._size(tensor)))
        moves: dict[tuple[str, bytes], list[Array | None]] = {}
        for node in reversed(self.model.nodes):
            function, *_ = self._function(node)
            if node.output not in needed:
                if not function.requirements:
                    continue
                self._need(needed, node.output, np.arange(self._size(node.output)))
            views, result = self._views(node)
            for key, places in needed[node.output].items():
                found = [self._moved(node, k, views[k], result, places) for k in range(len(node.inputs))]
                moves[node.output, key] = found
                for operand, at in zip(node.inputs, found, strict=True):
                    if operand is not None and at is not None:
                        self._need(needed, operand, at)
        values: dict[tuple[str, bytes], nodes.Node] = {}
        for node in self.model.nodes:
            for key in needed.get(node.output, {}):
                values[node.output, key] = self._apply(node, moves[node.output, key], values)
        return self._value(tensor, np.arange(self._size(tensor)), values)

    def _need(self, needed: dict[str, dict[bytes, Array]], tensor: str, places: Array) -> None:
        needed.setdefault(tensor, {})[places.tobytes()] = places

    def _size(self, tensor: str) -> int:
        kind = self.model.types[tensor]
        if kind.known_shape is None:
            raise UnsupportedError(f"{self.model.source}: the shape of {tensor!r} is not known before a run")
        size = prod(kind.known_shape)
        if size > MOST_ELEMENTS:
            raise UnsupportedError(
                f"{self.model.source}: {tensor!r} has {size:,} elements; a proof goes up to {MOST_ELEMENTS:,}, "
                "and one for a smaller shape says the same"
            )
        return size

    def _function(self, node: Node) -> tuple[Any, list[AnySort | None], Sort]:
        types = traced_sorts(node, self.model.types)
        output = self.model.types[node.output].sort
        assert isinstance(output, Sort)
        return node.operator.function(types, output, node.attributes), types, output

    def _views(self, node: Node) -> tuple[Sequence[tuple[int, ...] | None], tuple[int, ...]]:
        names = node.operator.argument_names(len(node.inputs))
        numbers: dict[str, Any] = dict(node.attributes)
        shapes: list[tuple[int, ...] | None] = []
        for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
            if tensor is not None and node.operator.argument(k).use == "numbers":
                if tensor not in self.model.constants:
                    raise UnsupportedError(
                        f"{self.model.source}, {node.place}: {name} is computed; a proof needs it fixed"
                    )
                numbers[name] = tuple(int(item) for item in self.model.constants[tensor].array.ravel())
            takes = tensor is not None and node.operator.takes_shape(k)
            shapes.append(self.model.types[tensor].known_shape if takes and tensor is not None else None)
        found = node.operator.shape(names, shapes, numbers)
        return found.operands, self.model.types[node.output].known_shape or found.result

    def _moved(
        self, node: Node, k: int, view: tuple[int, ...] | None, result: tuple[int, ...], places: Array
    ) -> Array | None:
        """Where the operand's elements for some elements of the result are; None for tables and lists of numbers."""
        use = node.operator.argument(k).use
        if node.inputs[k] is None or use in ("numbers", "table"):
            return None
        if use == "scalar" or view is None:
            return np.zeros(len(places), np.int64)
        origin = np.arange(prod(view)).reshape(view)
        return np.ascontiguousarray(np.broadcast_to(origin, result).ravel()[places])

    def _apply(self, node: Node, moves: list[Array | None], values: dict[tuple[str, bytes], nodes.Node]) -> nodes.Node:
        function, types, _ = self._function(node)
        sorts = operand_sorts(node, self.model.types)
        operands = []
        for k, sort in enumerate(types):
            tensor = node.inputs[k]
            if sort is None or tensor is None:
                continue
            if isinstance(sort, ArraySort):
                operands.append(self._table(tensor, sorts[k]))
            else:
                at = moves[k]
                assert at is not None
                operands.append(self._value(tensor, at, values))
        change = {
            nodes.node("input", data=position, sort=carrier(sort)): operand
            for position, (sort, operand) in enumerate(zip(function.inputs, operands, strict=True))
        }
        conditions = [requirement.condition for requirement in function.requirements]
        result, *conditions = nodes.rewrite([*function.results, *conditions], change)
        for requirement, condition in zip(function.requirements, conditions, strict=True):
            self.requirements.append(Requirement(condition, f"{requirement.reason} ({node.place})"))
        return result

    def _value(self, tensor: str, places: Array, made: dict[tuple[str, bytes], nodes.Node]) -> nodes.Node:
        if tensor in self.inputs:
            # A tensor of one element is one operand, wherever that element goes.
            return self.inputs[tensor](places if self._size(tensor) != 1 else np.zeros(1, np.int64))
        constant = self.model.constants.get(tensor)
        if constant is None:
            return made[tensor, places.tobytes()]
        word = carrier(constant.sort)
        assert isinstance(word, Sort)
        used, back = np.unique(places, return_inverse=True)
        values = np.array(patterns(constant.array.ravel()[used], constant.sort), np.uint64)[back]
        if len(values) and (values == values[0]).all():
            return nodes.constant(int(values[0]), word)
        return self.operands.node(Operand(tensor, constant.sort, values=values))

    def _table(self, tensor: str, sort: AnySort | None) -> nodes.Node:
        assert isinstance(sort, ArraySort)
        if tensor in self.inputs:
            return self.inputs[tensor](None)
        constant = self.model.constants.get(tensor)
        if constant is None:
            raise UnsupportedError(f"{self.model.source}: the table {tensor!r} is computed; a proof needs an input")
        entries = tuple(patterns(constant.array.ravel(), constant.sort))
        return self.operands.node(Operand(f"{tensor}, a table", sort, table=entries))
