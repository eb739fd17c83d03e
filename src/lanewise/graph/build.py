"""Building a graph in Python, node by node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, sort_of
from lanewise.graph import arrays
from lanewise.graph.model import Constant, Dimension, Model, Node, Output, TensorType
from lanewise.language.attributes import REQUIRED, element_type
from lanewise.language.errors import InvalidError, LanewiseError, brief
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
        self._taken: set[str] = set()  # names of tensors
        self._unnamed = 0  # constants that were given no name

    def input(self, name: str, sort: Any, shape: Sequence[Dimension]) -> Tensor:
        """A graph input of an element type ("int32", np.int32 …) and shape; a string or None is an open size."""
        who = f"{self.name}, input {brief(name)}"
        self._inputs[self._fresh(name)] = TensorType(_sort(sort, who), _shape(shape, who))
        return self._made(name)

    def constant(self, value: Any, sort: Any = None, name: str | None = None) -> Tensor:
        """A tensor with a fixed value; `sort` may be left out for arrays, which have one."""
        name = self._fresh(self._next_constant() if name is None else name)
        who = f"{self.name}, constant {name!r}"
        array = arrays.as_array(value, who)
        element = _sort(sort, who) if sort is not None else arrays.sort_for(array, who)
        if sort is None and not isinstance(value, np.ndarray | np.generic):
            raise InvalidError(f"{who}: give the element type of {brief(value)}")
        if array.dtype != dtype_of(element):
            array = arrays.list_as(array, element, who)
        self._constants[name] = Constant(element, arrays.in_range(array, element, who).copy())
        return self._made(name)

    def node(self, operator: str, *operands: Tensor | None, name: str | None = None, **keywords: Any) -> Tensor:
        """Applies an operator to tensors; attributes, and arguments that are attributes, by keyword."""
        record = catalogue.find(self.specification, operator, self.version)
        place = f"node {len(self._nodes)} ({operator}{f' {name!r}' if name else ''})"
        inputs: list[str | None] = []
        for operand in operands:
            if operand is not None and not isinstance(operand, Tensor):
                raise InvalidError(f"{self.name}, {place}: {brief(operand)} is no tensor of the graph; see constant()")
            inputs.append(None if operand is None else operand.name)
        if len(inputs) > len(record.arguments) and not record.variadic:
            listed = ", ".join(record.arguments) or "none"
            raise InvalidError(f"{self.name}, {place}: {len(inputs)} operands; {record.label} takes {listed}")
        if record.variadic and (not inputs or None in inputs):
            raise InvalidError(f"{self.name}, {place}: {record.label} needs at least one operand, and none may be None")
        if name is None:
            name = self._next_constant() if record.constant else self._free("tensor", len(self._nodes))
        output = self._fresh(name)
        from_attributes: set[str] = set()
        made: dict[str, Constant] = {}
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
                    constant_name = self.free(f"{output}.{argument_name}")
                    who = f"{self.name}, {place}: {constant_name}"
                    made[constant_name] = _attribute(record, position, argument, given, first, keywords, who)
                    from_attributes.add(argument_name)
                    inputs.append(constant_name)
        try:
            attributes = record.read_attributes(keywords)
        except LanewiseError as error:
            raise type(error)(f"{self.name}, {place}: {error}") from None
        if record.constant:
            constant = constant_of(record, attributes, f"{self.name}, {place}")
            self._constants[output] = Constant(constant.sort, constant.array.copy())
            return self._made(output)
        self._constants.update(made)
        self._taken.update(made)
        self._nodes.append(Node(record, tuple(inputs), output, attributes, place, frozenset(from_attributes)))
        types = [None if tensor is None else self._sort_of(tensor) for tensor in inputs]
        rows = {row.output for row in record.rows if record.fits(row, types)}
        wanted = attributes.get(record.output_attribute or "")
        if wanted is not None or len(rows) == 1:
            self._sorts[output] = wanted if wanted is not None else rows.pop()
        return self._made(output)

    def _sort_of(self, tensor: str) -> AnySort | None:
        """The element type of a tensor, if it is known before the graph is complete."""
        if tensor in self._inputs:
            return self._inputs[tensor].sort
        return self._constants[tensor].sort if tensor in self._constants else self._sorts.get(tensor)

    def output(self, name: str, tensor: Tensor) -> None:
        """Makes a tensor a graph output under a name."""
        if not isinstance(name, str) or not name:
            raise InvalidError(f"{self.name}: an output's name is {brief(name)}; it is a string that is not empty")
        if name in self._outputs:
            raise InvalidError(f"{self.name}: output {name!r} is defined twice")
        if not isinstance(tensor, Tensor):
            raise InvalidError(f"{self.name}, output {name!r}: {brief(tensor)} is no tensor of the graph")
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

    def _fresh(self, name: str) -> str:
        """The name itself, if a tensor can have it."""
        if not isinstance(name, str) or not name:
            raise InvalidError(f"{self.name}: a tensor's name is {brief(name)}; it is a string that is not empty")
        if name in self._taken:
            raise InvalidError(f"{self.name}: tensor {name!r} is defined twice")
        return name

    def free(self, name: str) -> str:
        """The name itself, with a number behind it if a tensor has it already."""
        return self._free(f"{name}.", 2) if name in self._taken else name

    def _free(self, stem: str, number: int) -> str:
        """The first name of that form that no tensor has."""
        while f"{stem}{number}" in self._taken:
            number += 1
        return f"{stem}{number}"

    def _next_constant(self) -> str:
        name = self._free("constant", self._unnamed)
        self._unnamed += 1
        return name

    def _made(self, name: str) -> Tensor:
        self._taken.add(name)
        return Tensor(name)


def _attribute(
    record: Operator,
    position: int,
    argument: Argument,
    given: Any,
    first: AnySort | None,
    keywords: Mapping[str, Any],
    who: str,
) -> Constant:
    """An argument given as an attribute becomes a constant of the graph."""
    if argument.use == "elements":
        raise InvalidError(f"{who} is {brief(given)}; it is a tensor of the graph, see constant()")
    listed = [row.inputs[position] for row in record.rows if row.inputs[0] == first]
    listed = listed or [row.inputs[position] for row in record.rows]
    sort = argument.sort(keywords) if argument.sort is not None else listed[0]
    values = arrays.as_array(given, who)
    if argument.use != "scalar":
        values = np.atleast_1d(values)
    if argument.use == "table":
        lengths = [s for s in listed if isinstance(s, ArraySort) and s.length == len(values)]
        sort = (lengths or listed)[-1]
    element = sort.element if isinstance(sort, ArraySort) else sort
    array = arrays.list_as(values if values.size else [], element, who)
    if argument.use != "scalar":
        return Constant(element, array)
    if array.size != 1:
        raise InvalidError(f"{who} has shape {list(array.shape)}; it is one number")
    return Constant(element, array.reshape((1,) * (argument.ranks[0] if argument.ranks is not None else 0)))


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


def _shape(shape: Any, who: str) -> tuple[Dimension, ...]:
    if isinstance(shape, str | bytes) or not isinstance(shape, Iterable):
        raise InvalidError(f"{who}: the shape is {brief(shape)}; it is a list of sizes, names and None")
    return tuple(_dimension(size, who) for size in shape)


def _dimension(size: Any, who: str) -> Dimension:
    if size is None or (isinstance(size, str) and size):
        return size
    number = -1 if isinstance(size, bool | str) or not hasattr(size, "__index__") else index(size)
    if not 0 <= number < 1 << 63:
        raise InvalidError(f"{who}: the shape has the dimension {brief(size)}; allowed: sizes, names and None")
    return number


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
