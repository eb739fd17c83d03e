"""TOSA files (.tosa FlatBuffers) ↔ graph, at 0.23.0 and 1.x."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.formats.flatbuffer import Reader
from lanewise.formats.tosa_attributes import attributes_of
from lanewise.formats.tosa_data import decode
from lanewise.formats.tosa_schema import (
    IDENTIFIER,
    OPERATORS_0_23,
    OPERATORS_1,
    SCHEMA_0_23,
    SCHEMA_1,
    TYPES_0_23,
    TYPES_1,
    UNIONS_0_23,
    UNIONS_1,
)
from lanewise.graph.model import Constant, Model, Node, Output, TensorType
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError
from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort, i64
from lanewise.operators import catalogue
from lanewise.operators.tosa.rows import VERSIONS

NOT_ELEMENTWISE = "not one of lanewise's operators, which are elementwise; 'lanewise ops' lists them"
MAX_RANK = 64  # NumPy's; a level may say less


def is_tosa(content: bytes) -> bool:
    """Whether the bytes are a 1.x file, or look like a 0.23.0 one, which has no identifier."""
    if content[4:8] == IDENTIFIER:
        return True
    try:
        graph = Reader(content, SCHEMA_0_23, UNIONS_0_23, "").root("Graph")
    except InvalidError:
        return False
    return bool(graph["version"] is not None and graph["blocks"])


def model_from_bytes(content: bytes, name: str, *, max_tensor_bytes: int, max_nodes: int) -> Model:
    """The graph in a TOSA file, not yet checked."""
    if content[4:8] == IDENTIFIER:
        graph = Reader(content, SCHEMA_1, UNIONS_1, name).root("Graph")
        version = _version(graph, name)
        if version.startswith("0."):
            raise InvalidError(f"{name}: says TOSA {version}, but has the file identifier of 1.x files")
        return _Main(name, version, max_tensor_bytes, max_nodes).model(_main_of_1(graph, name))
    graph = Reader(content, SCHEMA_0_23, UNIONS_0_23, name).root("Graph")
    version = _version(graph, name)
    if not version.startswith("0."):
        raise InvalidError(f"{name}: says TOSA {version}, but has no file identifier, as 1.x files do")
    return _Main(name, version, max_tensor_bytes, max_nodes).model(_main_of_0(graph, name))


def _version(graph: Mapping[str, Any], name: str) -> str:
    """The version as lanewise names it: all three numbers before 1.0, then two (1.0.1 changed no meaning)."""
    stated = graph["version"]
    if stated is None:
        raise InvalidError(f"{name}: states no TOSA version")
    major, minor, patch = stated["major"], stated["minor"], stated["patch"]
    version = f"{major}.{minor}" if major >= 1 else f"{major}.{minor}.{patch}"
    try:
        return catalogue.known_version(version)
    except UnsupportedError:
        raise UnsupportedError(
            f"{name}: TOSA version {major}.{minor}.{patch}; lanewise reads {', '.join(VERSIONS)}"
        ) from None


def _main_of_1(graph: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    regions = graph["regions"] or []
    if not regions:
        raise InvalidError(f"{name}: has no regions, so no graph")
    blocks = regions[0]["blocks"] or []
    if len(regions) > 1 or len(blocks) > 1:
        _several(blocks, OPERATORS_1, f"{len(regions)} regions and {len(blocks)} blocks in the first", name)
    return _one(blocks, name)


def _main_of_0(graph: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    blocks = graph["blocks"] or []
    if len(blocks) > 1:
        _several(blocks, OPERATORS_0_23, f"{len(blocks)} blocks", name)
    return _one(blocks, name)


def _several(blocks: Sequence[Mapping[str, Any]], operators: Sequence[str], found: str, name: str) -> None:
    """Refuses control flow, by the operator that has the other blocks."""
    for index, operator in enumerate(blocks[0]["operators"] or [] if blocks else []):
        op = operators[operator["op"]] if operator["op"] < len(operators) else ""
        if op in ("COND_IF", "WHILE_LOOP"):
            raise UnsupportedError(f"{name}, operator {index} ({op}): {op} is {NOT_ELEMENTWISE}")
    raise UnsupportedError(f"{name}: has {found}; lanewise runs one block")


def _one(blocks: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    if not blocks:
        raise InvalidError(f"{name}: has no blocks, so no graph")
    return blocks[0]


class _Main:
    """Makes a graph of the main block."""

    def __init__(self, name: str, version: str, max_tensor_bytes: int, max_nodes: int) -> None:
        self.name = f"{name} (TOSA {version})"  # as messages name it
        self.source = name
        self.version = version
        self.old = version.startswith("0.")
        self.types = TYPES_0_23 if self.old else TYPES_1
        self.operators = OPERATORS_0_23 if self.old else OPERATORS_1
        self.limit = max_tensor_bytes
        self.left = max_tensor_bytes
        self.max_nodes = max_nodes
        self.tensors: dict[str, Mapping[str, Any]] = {}
        self.shapes: dict[str, Mapping[str, Any]] = {}
        self.constants: dict[str, Constant] = {}

    def model(self, block: Mapping[str, Any]) -> Model:
        for tensor in block["tensors"] or []:
            self._list(self.tensors, tensor, "tensor")
        for shape in block.get("shapes") or []:
            self._list(self.shapes, shape, "shape")
        inputs: dict[str, TensorType] = {}
        for tensor in block["inputs"] or []:
            if tensor in inputs:
                raise InvalidError(f"{self.name}: graph input {tensor!r} is listed twice")
            inputs[tensor] = self._type(tensor, f"{self.name}, graph input {tensor!r}")
        operators = block["operators"] or []
        if len(operators) > self.max_nodes:
            raise InvalidError(f"{self.name}: {len(operators)} operators; the limit is {self.max_nodes} (max_nodes)")
        nodes = [made for k, operator in enumerate(operators) if (made := self._operator(k, operator)) is not None]
        outputs: dict[str, Output] = {}
        for tensor in block["outputs"] or []:
            if tensor in outputs:
                raise InvalidError(f"{self.name}: graph output {tensor!r} is listed twice")
            outputs[tensor] = Output(tensor, self._type(tensor, f"{self.name}, graph output {tensor!r}"))
        declared = {node.output: self._type(node.output, f"{self.name}, {node.place}") for node in nodes}
        return Model(
            "tosa",
            self.version,
            inputs,
            outputs,
            self.constants,
            tuple(nodes),
            source=self.source,
            declared=declared,
            max_tensor_bytes=self.limit,
        )

    def _list(self, known: dict[str, Mapping[str, Any]], entry: Mapping[str, Any], kind: str) -> None:
        name = entry["name"]
        if not name:
            raise InvalidError(f"{self.name}: a {kind} has no name")
        if name in known:
            raise InvalidError(f"{self.name}: {kind} {name!r} is listed twice")
        known[name] = entry

    def _type(self, tensor: str, who: str) -> TensorType:
        entry = self.tensors.get(tensor)
        if entry is None:
            raise InvalidError(f"{who}: no tensor of that name is listed")
        if entry.get("is_unranked"):
            raise InvalidError(f"{who}: tensor {tensor!r} has no known shape")
        if entry.get("variable"):
            raise UnsupportedError(f"{who}: tensor {tensor!r} is a variable, which lanewise does not have")
        shape = tuple(entry["shape"] or ())
        if len(shape) > MAX_RANK:
            raise InvalidError(f"{who}: tensor {tensor!r} has rank {len(shape)}; the limit is {MAX_RANK}")
        if any(size < 1 for size in shape):
            raise InvalidError(f"{who}: tensor {tensor!r} has shape {list(shape)}; every dimension is at least 1")
        if prod(shape) > self.limit:
            raise InvalidError(
                f"{who}: tensor {tensor!r} has {prod(shape):,} elements; "
                f"the limit is {self.limit:,} bytes (max_tensor_bytes)"
            )
        return TensorType(self._sort(entry["type"], f"{who}: tensor {tensor!r}"), shape)

    def _sort(self, number: int, who: str) -> Sort:
        if number >= len(self.types):
            raise InvalidError(f"{who} has the unknown element type number {number}")
        sort = self.types[number]
        if sort == i64 and self.version == "1.0":
            raise InvalidError(f"{who} has element type INT64, which TOSA 1.0 has not (1.1 has it, with EXT-INT64)")
        if isinstance(sort, str):
            raise UnsupportedError(f"{who} has element type {sort}, which is not one of lanewise's")
        return sort

    # -- operators ----------------------------------------------------------------------

    def _operator(self, index: int, entry: Mapping[str, Any]) -> Node | None:
        number = entry["op"]
        if number >= len(self.operators):
            raise InvalidError(f"{self.name}, operator {index}: unknown operator number {number}")
        op = self.operators[number]
        place = f"operator {index} ({op})"
        who = f"{self.name}, {place}"
        outputs = entry["outputs"] or []
        inputs = entry["inputs"] or []
        if op == "CONST_SHAPE":
            self._const_shape(inputs, outputs, who)
            return None
        if op not in catalogue.versions_of("tosa"):
            raise UnsupportedError(f"{who}: {op} is {NOT_ELEMENTWISE}")
        try:
            operator = catalogue.find("tosa", op, self.version)
        except LanewiseError as error:
            raise type(error)(f"{who}: {error}") from None
        if len(outputs) != 1 or not outputs[0]:
            raise InvalidError(f"{who}: lists {len(outputs)} outputs; {op} has 1")
        if operator.constant:
            self._const(operator, inputs, outputs[0], who)
            return None
        attributes, arguments = attributes_of(self.old, op, entry, lambda tensor: self._type(tensor, who), who)
        operands = self._operands(operator, inputs, arguments, attributes, outputs[0], who)
        if operator.output_attribute is not None:
            attributes[operator.output_attribute] = self._type(outputs[0], who).sort
        try:
            read = operator.read_attributes(attributes)
        except LanewiseError as error:
            raise type(error)(f"{who}: {error}") from None
        return Node(operator, operands, outputs[0], read, place, frozenset(arguments))

    def _const(self, operator: Operator, inputs: Sequence[str], output: str, who: str) -> None:
        if inputs:
            raise InvalidError(f"{who}: lists {len(inputs)} inputs; {operator.name} has none")
        kind = self._type(output, who)
        assert isinstance(kind.sort, Sort) and kind.known_shape is not None
        try:
            operator.row((), {}, output=kind.sort)
        except InvalidError as error:
            raise InvalidError(f"{who}: {error}") from None
        array = decode(
            self.tensors[output]["data"], kind.sort, kind.known_shape, self.left, f"{who}: tensor {output!r}"
        )
        self.left -= array.nbytes
        self._define(output, Constant(kind.sort, array), who)

    def _const_shape(self, inputs: Sequence[str], outputs: Sequence[str], who: str) -> None:
        """A list of sizes: for lanewise a constant like any other."""
        if inputs or len(outputs) != 1:
            raise InvalidError(f"{who}: lists {len(inputs)} inputs and {len(outputs)} outputs; it has 0 and 1")
        entry = self.shapes.get(outputs[0])
        if entry is None:
            raise InvalidError(f"{who}: no shape {outputs[0]!r} is listed")
        if entry["rank"] > MAX_RANK:
            raise InvalidError(f"{who}: shape {outputs[0]!r} has rank {entry['rank']}; the limit is {MAX_RANK}")
        array = decode(entry["data"], i64, (entry["rank"],), self.left, f"{who}: shape {outputs[0]!r}")
        self._define(outputs[0], Constant(i64, array), who)

    def _define(self, name: str, constant: Constant, who: str) -> None:
        if name in self.constants:
            raise InvalidError(f"{who}: tensor {name!r} is defined twice")
        self.constants[name] = constant

    def _operands(
        self,
        operator: Operator,
        inputs: Sequence[str],
        arguments: Mapping[str, Any],
        attributes: Mapping[str, Any],
        output: str,
        who: str,
    ) -> tuple[str | None, ...]:
        """Input tensors in order, with arguments that the file keeps as attributes as constants of the graph."""
        listed = [name for name in operator.arguments if name not in arguments]
        if len(inputs) != len(listed):
            raise InvalidError(
                f"{who}: lists {len(inputs)} inputs; {operator.name} has {len(listed)}: {', '.join(listed)}"
            )
        queue = iter(inputs)
        operands = []
        for position, name in enumerate(operator.arguments):
            if name not in arguments:
                tensor = next(queue)
                self._check_kind(operator.argument(position).use == "numbers", name, tensor, who)
                operands.append(tensor)
                continue
            sort = _argument_sort(operator, position, attributes, np.size(arguments[name]))
            values = np.asarray(arguments[name], np.int64)
            if values.size and not (sort.lowest <= int(values.min()) and int(values.max()) <= sort.highest):
                raise InvalidError(f"{who}: {name} holds values outside {sort.name} ({sort.lowest} … {sort.highest})")
            hidden = self._free(f"{output}.{name}")
            self._define(hidden, Constant(sort, values.astype(dtype_of(sort))), who)
            operands.append(hidden)
        return tuple(operands)

    def _check_kind(self, takes_shape: bool, name: str, tensor: str, who: str) -> None:
        """Shapes are no tensors: only CONST_SHAPE makes them, and only an argument that is one takes them."""
        if tensor in self.shapes and not takes_shape:
            raise InvalidError(f"{who}: {name} is {tensor!r}, a shape (a result of CONST_SHAPE); it is a tensor")
        if takes_shape and tensor in self.tensors:
            raise InvalidError(f"{who}: {name} is the tensor {tensor!r}; it is a shape, a result of CONST_SHAPE")

    def _free(self, name: str) -> str:
        """The name itself, or with marks behind it until nothing in the file is called so."""
        while name in self.tensors or name in self.shapes or name in self.constants:
            name += "'"
        return name


def _argument_sort(operator: Operator, position: int, attributes: Mapping[str, Any], size: int) -> Sort:
    """The element type of an argument that the file keeps as plain numbers."""
    argument = operator.argument(position)
    if argument.sort is not None:
        return argument.sort(attributes)
    for row in operator.rows:
        sort = row.inputs[position]
        if isinstance(sort, Sort):
            return sort
        if sort.length == size:
            return sort.element
    sort = operator.rows[0].inputs[position]
    assert not isinstance(sort, Sort)
    return sort.element
