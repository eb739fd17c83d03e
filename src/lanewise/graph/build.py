"""Building a graph in Python, node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, sort_of
from lanewise.graph import arrays
from lanewise.graph.model import Constant, Dimension, Model, Node, Output, TensorType
from lanewise.language.attributes import REQUIRED, element_type
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.operator import Argument, Operator
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.operators import catalogue


@dataclass(frozen=True)
class Tensor:
    """A named value of a graph under construction."""

    name: str


class Builder:
    """Builds a graph of one specification: inputs, constants, nodes and outputs, then `model()`.

    >>> from lanewise import Builder
    >>> graph = Builder(tosa="0.23.0")
    >>> x = graph.input("x", "int32", (1, 4))
    >>> half = graph.node("ARITHMETIC_RIGHT_SHIFT", x, graph.constant([[1]], "int32"), round=True)
    >>> graph.output("half", half)
    >>> graph.model().run(np.array([[5, 4, -5, -4]], np.int32)).outputs["half"]
    array([[ 3,  2, -2, -2]], dtype=int32)
    """

    def __init__(
        self, *, onnx: int | None = None, tosa: str | None = None, profile: str | None = None, name: str = "graph"
    ) -> None:
        if (onnx is None) == (tosa is None):
            raise InvalidError('Builder: give one specification, onnx=28 (an opset) or tosa="0.23.0"')
        self.specification = "onnx" if onnx is not None else "tosa"
        self.version: int | str = (
            catalogue.known_opset(onnx) if onnx is not None else catalogue.known_version(tosa or "")
        )
        self.profile = profile
        self.name = name
        self._inputs: dict[str, TensorType] = {}
        self._outputs: dict[str, Output] = {}
        self._constants: dict[str, Constant] = {}
        self._nodes: list[Node] = []
        self._sorts: dict[str, AnySort] = {}  # of the nodes' results, as far as rows decide them

    def input(self, name: str, sort: Any, shape: Sequence[Dimension]) -> Tensor:
        """A graph input of an element type ("int32", np.int32 …) and shape; a string or None is an open size."""
        self._inputs[self._fresh(name)] = TensorType(_sort(sort, f"{self.name}, input {name!r}"), tuple(shape))
        return Tensor(name)

    def constant(self, value: Any, sort: Any = None, name: str | None = None) -> Tensor:
        """A tensor with a fixed value; `sort` may be left out for arrays, which have one."""
        name = self._fresh(name or f"constant{self._unnamed()}")
        who = f"{self.name}, constant {name!r}"
        array = arrays.as_array(value, who)
        element = _sort(sort, who) if sort is not None else arrays.sort_for(array, who)
        if sort is None and not isinstance(value, np.ndarray | np.generic):
            raise InvalidError(f"{who}: give the element type of {value!r}")
        if array.dtype != dtype_of(element):
            array = arrays.list_as(array, element, who) if element.kind != "bool" else array.astype(np.bool_)
        self._constants[name] = Constant(element, arrays.in_range(array, element, who).copy())
        return Tensor(name)

    def node(self, operator: str, *operands: Tensor | None, name: str | None = None, **keywords: Any) -> Tensor:
        """Applies an operator to tensors; attributes, and arguments that are attributes, by keyword."""
        record = catalogue.find(self.specification, operator, self.version)
        place = f"node {len(self._nodes)} ({operator}{f' {name!r}' if name else ''})"
        inputs: list[str | None] = []
        for operand in operands:
            if operand is not None and not isinstance(operand, Tensor):
                raise InvalidError(f"{self.name}, {place}: {operand!r} is no tensor of the graph; see constant()")
            inputs.append(None if operand is None else operand.name)
        kind, count = ("constant", len(self._constants)) if record.constant else ("tensor", len(self._nodes))
        output = self._fresh(name or f"{kind}{count}")
        from_attributes = set()
        if not record.variadic:
            for position, (argument_name, argument) in enumerate(record.arguments.items()):
                if position < len(inputs):
                    continue
                given = keywords.pop(argument_name, argument.default)
                if isinstance(given, Tensor):
                    inputs.append(given.name)
                elif given is REQUIRED or given is None:
                    if not argument.optional:
                        raise InvalidError(f"{self.name}, {place}: {argument_name} is missing")
                    inputs.append(None)
                else:
                    first = self._sort_of(inputs[0]) if inputs and inputs[0] is not None else None
                    inputs.append(self._attribute(record, position, argument, given, first, output, keywords, place))
                    from_attributes.add(argument_name)
        try:
            attributes = record.read_attributes(keywords)
        except LanewiseError as error:
            raise type(error)(f"{self.name}, {place}: {error}") from None
        if record.constant:
            constant = constant_of(record, attributes, f"{self.name}, {place}")
            self._constants[output] = Constant(constant.sort, constant.array.copy())
            return Tensor(output)
        self._nodes.append(Node(record, tuple(inputs), output, attributes, place, frozenset(from_attributes)))
        types = [None if tensor is None else self._sort_of(tensor) for tensor in inputs]
        rows = {row.output for row in record.rows if record.fits(row, types)}
        wanted = attributes.get(record.output_attribute or "")
        if wanted is not None or len(rows) == 1:
            self._sorts[output] = wanted if wanted is not None else rows.pop()
        return Tensor(output)

    def _attribute(
        self,
        record: Operator,
        position: int,
        argument: Argument,
        given: Any,
        first: AnySort | None,
        output: str,
        keywords: dict[str, Any],
        place: str,
    ) -> str:
        """An argument given as an attribute becomes a constant of the graph."""
        if argument.use == "elements":
            name = list(record.arguments)[position]
            raise InvalidError(
                f"{self.name}, {place}: {name} is {given!r}; it is a tensor of the graph, see constant()"
            )
        listed = [row.inputs[position] for row in record.rows if row.inputs[0] == first]
        listed = listed or [row.inputs[position] for row in record.rows]
        sort = argument.sort(keywords) if argument.sort is not None else listed[0]
        values = np.asarray(given) if argument.use == "scalar" else np.atleast_1d(given)
        if argument.use == "table":
            lengths = [s for s in listed if isinstance(s, ArraySort) and s.length == len(values)]
            sort = (lengths or listed)[-1]
        element = sort.element if isinstance(sort, ArraySort) else sort
        name = self._fresh(f"{output}.{list(record.arguments)[position]}")
        array = arrays.list_as(values if values.size else [], element, f"{self.name}, {place}: {name}")
        stored = sort_of(dtype_of(element))
        assert stored is not None
        rank = argument.ranks[0] if argument.ranks is not None else 0
        self._constants[name] = Constant(element, array.reshape((1,) * rank) if argument.use == "scalar" else array)
        return name

    def _sort_of(self, tensor: str) -> AnySort | None:
        """The element type of a tensor, if it is known before the graph is complete."""
        if tensor in self._inputs:
            return self._inputs[tensor].sort
        return self._constants[tensor].sort if tensor in self._constants else self._sorts.get(tensor)

    def output(self, name: str, tensor: Tensor) -> None:
        """Makes a tensor a graph output under a name."""
        if name in self._outputs:
            raise InvalidError(f"{self.name}: output {name!r} is defined twice")
        self._outputs[name] = Output(tensor.name)

    def model(self) -> Model:
        """The finished graph, checked."""
        return Model(
            self.specification,
            self.version,
            dict(self._inputs),
            dict(self._outputs),
            dict(self._constants),
            tuple(self._nodes),
            profile=self.profile,
            source=self.name,
        ).check()

    def _unnamed(self) -> int:
        """The number of the next constant without a name."""
        return sum(1 for name in self._constants if name.startswith("constant"))

    def _fresh(self, name: str) -> str:
        taken = {*self._inputs, *self._constants, *(node.output for node in self._nodes)}
        if not name or name in taken:
            raise InvalidError(f"{self.name}: tensor {name!r} is defined twice" if name else f"{self.name}: empty name")
        return name


def constant_of(record: Operator, attributes: Mapping[str, Any], who: str, profile: str | None = None) -> Constant:
    """The tensor that a constant operator stands for."""
    try:
        value, sort = record.constant_value(attributes)
        array = arrays.as_array(value, who) if sort is None else arrays.list_as(value, sort, who)
        sort = sort or arrays.sort_for(array, who)
        row = record.row((), {}, profile, output=sort)
        record.shape((record.output,), (array.shape,), attributes)
    except LanewiseError as error:
        raise type(error)(str(error) if str(error).startswith(who) else f"{who}: {error}") from None
    return Constant(row.output, arrays.in_range(array, row.output, who))


def _sort(value: Any, who: str) -> Sort:
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        found = sort_of(np.dtype(value))
        if found is not None:
            return found
    try:
        sort = element_type().read(value)
    except InvalidError as error:
        raise InvalidError(f"{who}: element type {error}") from None
    assert isinstance(sort, Sort)
    return sort
