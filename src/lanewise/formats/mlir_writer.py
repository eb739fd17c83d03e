"""Graph → MLIR text of the `tosa` dialect, as `tosa-opt` and IREE read it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lanewise.formats import mlir_data
from lanewise.formats.mlir_text import (
    DEFAULT_VERSION,
    SHAPE_LIST,
    TARGET,
    TENSOR_NAME,
    TYPES,
    dialect,
    known_words,
)
from lanewise.graph.model import Constant, Model, Node, TensorType
from lanewise.language import floats
from lanewise.language.errors import UnsupportedError
from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort
from lanewise.operators import catalogue
from lanewise.operators.tosa.rows import PROFILES

NAMES = {sort: name for name, sort in TYPES.items()}


def model_bytes(model: Model, generic: bool = False) -> bytes:
    """The text's bytes; reading it back gives the same graph.

    Operators with attributes are in MLIR's generic form, which every release reads: the pretty forms of attributes
    change between them. `generic` writes all operators so.
    """
    if model.specification != "tosa":
        raise UnsupportedError(f"{model.source}: an {model.specification.upper()} graph does not go into MLIR's tosa")
    if str(model.version).startswith("0."):
        raise UnsupportedError(
            f"{model.source}: TOSA {model.version}; MLIR's dialect has the operators of 1.0 and later, "
            "which mean other things"
        )
    return _Text(model, generic).content().encode()


class _Text:
    """One model on its way into a text."""

    def __init__(self, model: Model, generic: bool) -> None:
        self.model = model
        self.generic = generic
        self.xdsl = dialect()
        self.builtin = self.xdsl.builtin
        self.values: dict[tuple[str, bool], Any] = {}  # by name, and whether it stands for a list of sizes
        self.names: dict[Any, str] = {}
        self.taken: set[str] = set()

    def content(self) -> str:
        model = self.model
        body = self.xdsl.Block(arg_types=[self._type(kind, name) for name, kind in model.inputs.items()])
        for argument, name in zip(body.args, model.inputs, strict=True):
            self._bind(name, argument)
        for name, constant in model.constants.items():
            body.add_ops(self._constants(name, constant))
        for node in model.nodes:
            body.add_op(self._node(node))
        returned = [self.values[output.tensor, False] for output in model.outputs.values()]
        body.add_op(self.xdsl.ReturnOp(*returned))
        kinds = [value.type for value in returned]
        function = self.xdsl.function(body, kinds, TENSOR_NAME, model.inputs, model.outputs)
        attributes = {} if model.version == DEFAULT_VERSION else {TARGET: self._target(str(model.version))}
        return str(self.xdsl.text_of(self.builtin.ModuleOp([function], attributes), self.names))

    def _target(self, version: str) -> Any:
        """What the module is for: the version, with all its profiles and extensions."""
        words = [name.lower().replace("-", "_") for name in PROFILES[version]]
        profiles = ", ".join(word for word in words if word.startswith("pro_"))
        extensions = ", ".join(word.removeprefix("ext_") for word in words if word.startswith("ext_"))
        body = (
            f'specification_version = "{version}", level = none, profiles = [{profiles}], extensions = [{extensions}]'
        )
        return self._plain(TARGET, body)

    def _plain(self, name: str, body: str, is_type: bool = False) -> Any:
        made = self.builtin.UnregisteredAttr.with_name_and_type(name, is_type)
        return made(name, is_type, False, body)

    def _bind(self, name: str, value: Any, sizes: bool = False) -> None:
        """Gives a value its tensor's name, as far as MLIR can spell it, and no other value has it."""
        spelt = name
        if re.fullmatch(r"[0-9]+|[A-Za-z_$.-][\w$.-]*", name, re.ASCII) is None:
            spelt = "_" + re.sub(r"[^\w$.-]", "_", name, flags=re.ASCII)
        while spelt in self.taken:
            spelt += "_"
        self.taken.add(spelt)
        self.names[value] = spelt
        self.values[name, sizes] = value

    def _type(self, kind: TensorType, name: str) -> Any:
        if kind.shape is None:
            raise UnsupportedError(f"{self.model.source}: tensor {name!r} is {kind}; the text would not say its rank")
        if not isinstance(kind.sort, Sort) or kind.sort not in NAMES:
            raise UnsupportedError(f"{self.model.source}: tensor {name!r} is {kind}, which MLIR's tosa does not have")
        shape = [size if isinstance(size, int) else self.builtin.DYNAMIC_INDEX for size in kind.shape]
        return self.builtin.TensorType(self._element(kind.sort), shape)

    def _element(self, sort: Sort) -> Any:
        if sort.kind == "float":
            return getattr(self.builtin, NAMES[sort])
        return self.builtin.IntegerType(sort.width)

    def _constants(self, name: str, constant: Constant) -> Iterable[Any]:
        """A constant as a tensor, as a list of sizes, or as both: as its readers want it."""
        uses = {
            node.operator.argument(k).use
            for node in self.model.nodes
            for k, tensor in enumerate(node.inputs)
            if tensor == name
        }
        if name in {output.tensor for output in self.model.outputs.values()}:
            uses.add("elements")
        (record,) = (operator for operator in self._operators() if operator.constant)
        if not uses and constant.sort not in {row.output for row in record.rows}:
            uses.add("numbers")  # nobody reads it, and as a tensor this version does not have it
        if "numbers" in uses:
            sizes = constant.array.reshape(-1)
            kind = self.builtin.TensorType(self.builtin.IndexType(), [sizes.size])
            result = self._plain(f"{self.xdsl.PREFIX}shape", str(sizes.size), True)
            yield self._operation(SHAPE_LIST, name, result, self._dense(sizes, constant.sort, kind), sizes=True)
        if uses != {"numbers"}:
            array = constant.array.reshape(1) if "scalar" in uses else constant.array
            result = self._type(TensorType(constant.sort, array.shape), name)
            yield self._operation(record.name.lower(), name, result, self._dense(array, constant.sort, result))

    def _operators(self) -> list[Operator]:
        names = catalogue.versions_of("tosa")
        return [record for name in names for record in names[name] if record.release.since == self.model.version]

    def _dense(self, array: Any, sort: Sort, kind: Any) -> dict[str, Any]:
        return {"values": self.xdsl.Dense(mlir_data.encode(array, sort), kind)}

    def _operation(
        self,
        name: str,
        output: str,
        result: Any,
        attributes: dict[str, Any],
        operands: Iterable[Any] = (),
        sizes: bool = False,
    ) -> Any:
        made = self.xdsl.operation(name, known_words(name) or frozenset())
        generic = self.generic or bool(attributes)
        if generic:
            made = type(name, (self.xdsl.GenericOperation,), {"name": made.name})
        operation = made.create(
            operands=list(operands),
            result_types=[result],
            properties=attributes,
        )
        self._bind(output, operation.results[0], sizes)
        return operation

    def _node(self, node: Node) -> Any:
        operator = node.operator
        operands = [
            self.values[tensor, operator.argument(k).use == "numbers"]
            for k, tensor in enumerate(node.inputs)
            if tensor is not None
        ]
        first = self.model.types[node.inputs[0]].sort if node.inputs and node.inputs[0] is not None else None
        attributes = {
            name: self._attribute(name, value, first)
            for name, value in sorted(node.attributes.items())
            if name != operator.output_attribute
        }
        kind = self.model.types[node.output]
        if kind.shape is None:  # what the checker could not work out, a file may have said
            kind = self.model.declared.get(node.output, kind)
        result = self._type(kind, node.output)
        return self._operation(operator.name.lower(), node.output, result, attributes, operands)

    def _attribute(self, name: str, value: Any, first: Any) -> Any:
        if isinstance(value, bool):
            return self.builtin.BoolAttr.from_bool(value)
        if isinstance(value, str):
            return self._plain(f"{self.xdsl.PREFIX}{name}", value)
        if first.kind == "float":
            pattern = floats.encode(value, first)
            text = mlir_data.float_text(floats.decode(pattern, first), pattern)
            return self.xdsl.Verbatim(f"{text} : {NAMES[first]}")
        return self.builtin.IntegerAttr(int(value), self._element(first))
