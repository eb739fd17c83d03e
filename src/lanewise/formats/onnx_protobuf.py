"""ONNX models: ModelProto → graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lanewise.formats.onnx_tensor import sort_from_number, tensor_array
from lanewise.graph.build import constant_of
from lanewise.graph.model import Constant, Dimension, Model, Node, Output, TensorType
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError
from lanewise.language.operator import Operator
from lanewise.operators import catalogue
from lanewise.operators.onnx.rows import TYPE_NUMBERS

DOMAINS = ("", "ai.onnx")


class _Reader:
    """Reads one model; `name` stands in front of every message."""

    def __init__(self, proto: Any, name: str, folder: Path | None, max_tensor_bytes: int, max_nodes: int) -> None:
        self.proto = proto
        self.name = name
        self.folder = folder
        self.max_tensor_bytes = max_tensor_bytes
        self.left = max_tensor_bytes
        self.max_nodes = max_nodes
        self.opset = 0
        self.constants: dict[str, Constant] = {}

    def model(self) -> Model:
        import onnx

        if self.proto.ir_version > onnx.IR_VERSION:
            raise UnsupportedError(
                f"{self.name}: IR version {self.proto.ir_version}; lanewise reads up to {onnx.IR_VERSION}"
            )
        self.opset = self._opset()
        if self.proto.functions:
            self.proto = _inlined(self.proto, self.name, self.max_nodes)
        graph = self.proto.graph
        if len(graph.node) > self.max_nodes:
            raise InvalidError(f"{self.name}: {len(graph.node)} nodes; the limit is {self.max_nodes} (max_nodes)")
        if graph.sparse_initializer:
            raise UnsupportedError(f"{self.name}: sparse initializers are not read")
        for tensor in graph.initializer:
            self._constant(tensor.name, self._tensor(tensor, f"{self.name}, initializer {tensor.name!r}"))
        inputs = {}
        for value in graph.input:
            if value.name in inputs:
                raise InvalidError(f"{self.name}: graph input {value.name!r} is defined twice")
            if value.name not in self.constants:
                inputs[value.name] = self._type(value, f"{self.name}, input {value.name!r}")
        nodes = [made for index, node in enumerate(graph.node) if (made := self._node(index, node)) is not None]
        outputs = {}
        for value in graph.output:
            if value.name in outputs:
                raise InvalidError(f"{self.name}: graph output {value.name!r} is defined twice")
            declared = self._type(value, f"{self.name}, output {value.name!r}") if value.HasField("type") else None
            outputs[value.name] = Output(value.name, declared)
        declared_inside = {
            value.name: self._type(value, f"{self.name}, value {value.name!r}")
            for value in graph.value_info
            if value.HasField("type")
        }
        return Model(
            "onnx",
            self.opset,
            inputs,
            outputs,
            self.constants,
            tuple(nodes),
            source=self.name,
            declared=declared_inside,
            max_tensor_bytes=self.max_tensor_bytes,
        )

    def _opset(self) -> int:
        found = None
        for entry in self.proto.opset_import:
            if entry.domain in DOMAINS:
                if found is not None:
                    raise InvalidError(f"{self.name}: the ONNX operator set is imported twice")
                found = entry.version
        if found is None:
            raise InvalidError(f"{self.name}: the model imports no ONNX operator set, so no operator has a version")
        try:
            return catalogue.known_opset(found)
        except LanewiseError as error:
            raise type(error)(f"{self.name}: {error}") from None

    def _tensor(self, tensor: Any, who: str) -> Constant:
        array = tensor_array(tensor, who, self.folder, self.left)
        self.left -= array.nbytes
        return Constant(TYPE_NUMBERS[tensor.data_type], array)

    def _constant(self, name: str, constant: Constant) -> None:
        if not name:
            raise InvalidError(f"{self.name}: an initializer has no name")
        if name in self.constants:
            raise InvalidError(f"{self.name}: tensor {name!r} is defined twice")
        self.constants[name] = constant

    def _type(self, value: Any, who: str) -> TensorType:
        if not value.HasField("type"):
            raise InvalidError(f"{who}: has no type")
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            raise UnsupportedError(
                f"{who}: is a {str(kind or 'untyped value').replace('_type', '')}; lanewise reads tensors"
            )
        tensor = value.type.tensor_type
        sort = sort_from_number(tensor.elem_type, who)
        if not tensor.HasField("shape"):
            return TensorType(sort, None)
        return TensorType(sort, tuple(self._dimension(dim, who) for dim in tensor.shape.dim))

    def _dimension(self, dim: Any, who: str) -> Dimension:
        kind = dim.WhichOneof("value")
        if kind == "dim_value":
            if dim.dim_value < 0:
                raise InvalidError(f"{who}: shape has the dimension {dim.dim_value}")
            return int(dim.dim_value)
        return str(dim.dim_param) if kind == "dim_param" and dim.dim_param else None

    # -- nodes --------------------------------------------------------------------------

    def _node(self, index: int, node: Any) -> Node | None:
        place = f"node {index} ({node.op_type}{f' {node.name!r}' if node.name else ''})"
        who = f"{self.name}, {place}"
        if node.domain not in DOMAINS:
            raise UnsupportedError(f"{who}: operator domain {node.domain!r}; lanewise has the standard domain only")
        try:
            operator = catalogue.find("onnx", node.op_type, self.opset)
            given = self._attributes(node.attribute, who)
            attributes = operator.read_attributes(given)
        except LanewiseError as error:
            raise type(error)(str(error) if str(error).startswith(who) else f"{who}: {error}") from None
        if len(node.output) != 1 or not node.output[0]:
            raise InvalidError(f"{who}: has outputs {list(node.output)}; {operator.label} has one")
        if operator.constant:
            if node.input:
                raise InvalidError(f"{who}: {operator.label} takes no inputs")
            self._constant(node.output[0], constant_of(operator, attributes, who))
            return None
        return Node(operator, self._operands(operator, node.input, who), node.output[0], attributes, place)

    def _operands(self, operator: Operator, names: Iterable[str], who: str) -> tuple[str | None, ...]:
        operands = [name or None for name in names]
        if operator.variadic:
            if not operands or None in operands:
                raise InvalidError(f"{who}: {operator.label} needs at least one input, and none may be empty")
            return tuple(operands)
        listed = list(operator.arguments.items())
        if len(operands) > len(listed):
            raise InvalidError(
                f"{who}: {len(operands)} inputs; {operator.label} has {len(listed)}: {', '.join(operator.arguments)}"
            )
        operands += [None] * (len(listed) - len(operands))
        for (name, argument), operand in zip(listed, operands, strict=True):
            if operand is None and not argument.optional:
                raise InvalidError(f"{who}: input {name} of {operator.label} is missing")
        return tuple(operands)

    def _attributes(self, attributes: Iterable[Any], who: str) -> Mapping[str, Any]:
        result: dict[str, Any] = {}
        for attribute in attributes:
            if attribute.name in result:
                raise InvalidError(f"{who}: attribute {attribute.name} is given twice")
            if attribute.ref_attr_name:
                raise InvalidError(
                    f"{who}: attribute {attribute.name} refers to a function's attribute outside a function"
                )
            result[attribute.name] = self._attribute(attribute, who)
        return result

    def _attribute(self, attribute: Any, who: str) -> Any:
        kinds = attribute.AttributeType
        if attribute.type == kinds.FLOAT:
            return attribute.f
        if attribute.type == kinds.INT:
            return attribute.i
        if attribute.type == kinds.STRING:
            return attribute.s.decode("utf-8", "replace")
        if attribute.type == kinds.INTS:
            return list(attribute.ints)
        if attribute.type == kinds.FLOATS:
            return list(attribute.floats)
        if attribute.type == kinds.TENSOR:
            return self._tensor(attribute.t, f"{who}, attribute {attribute.name}").array
        name = kinds.Name(attribute.type) if attribute.type in kinds.values() else str(attribute.type)
        raise UnsupportedError(
            f"{who}: attribute {attribute.name} has the type {name}, which no operator of lanewise takes"
        )


def model_from_bytes(content: bytes, name: str, folder: Path | None, *, max_tensor_bytes: int, max_nodes: int) -> Model:
    """The graph in a serialised ModelProto, not yet checked."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        proto = onnx.ModelProto.FromString(content)
    except DecodeError as error:
        raise InvalidError(f"{name}: not an ONNX model: {error}") from None
    if not proto.HasField("graph"):
        raise InvalidError(f"{name}: not an ONNX model: it holds no graph")
    return _Reader(proto, name, folder, max_tensor_bytes, max_nodes).model()


def _inlined(proto: Any, name: str, max_nodes: int) -> Any:
    """The model with its own functions expanded; recursion and explosion are refused before they happen."""
    import onnx.inliner

    functions = {(function.domain, function.name): function for function in proto.functions}
    if len(functions) != len(proto.functions):
        raise InvalidError(f"{name}: a model function is defined twice")
    sizes: dict[tuple[str, str], int] = {}

    def nodes_of(owner: Any) -> Iterable[Any]:
        """The nodes of a function or graph, those in subgraphs included."""
        waiting = list(owner.node)
        while waiting:
            node = waiting.pop()
            yield node
            for attribute in node.attribute:
                for graph in (attribute.g, *attribute.graphs):
                    waiting.extend(graph.node)

    def calls(owner: Any) -> list[tuple[str, str]]:
        return [(node.domain, node.op_type) for node in nodes_of(owner) if (node.domain, node.op_type) in functions]

    path: dict[tuple[str, str], None] = {}
    for start in functions:
        stack: list[tuple[tuple[str, str], bool]] = [(start, False)]
        while stack:
            key, finished = stack.pop()
            if finished:
                path.pop(key)
                plain = sum(1 for _ in nodes_of(functions[key]))
                sizes[key] = min(plain + sum(sizes[call] for call in calls(functions[key])), max_nodes + 1)
            elif key in path:
                cycle = " → ".join(f"{part[1]}" for part in (*path, key))
                raise InvalidError(f"{name}: recursive function definition: {cycle}")
            elif key not in sizes:
                path[key] = None
                stack.append((key, True))
                stack.extend((call, False) for call in dict.fromkeys(calls(functions[key])) if call not in sizes)
    total = sum(1 for _ in nodes_of(proto.graph)) + sum(sizes[call] for call in calls(proto.graph))
    if total > max_nodes:
        raise InvalidError(f"{name}: its functions expand to more nodes than the limit of {max_nodes} (max_nodes)")
    try:
        return onnx.inliner.inline_local_functions(proto)
    except Exception as error:
        raise InvalidError(f"{name}: its functions cannot be expanded: {str(error).splitlines()[0]}") from None
