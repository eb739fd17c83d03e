"""Graph → TOSA file, at the graph's own version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanewise.formats.flatbuffer import Writer
from lanewise.formats.tosa_attributes import kept_attributes, new_fields, old_fields
from lanewise.formats.tosa_data import encode
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
from lanewise.graph.model import Model, Node, TensorType
from lanewise.language.errors import UnsupportedError
from lanewise.language.sorts import Sort


def model_bytes(model: Model) -> bytes:
    """The file's content; reading it back gives the same graph."""
    if model.specification != "tosa":
        raise UnsupportedError(f"{model.source}: an {model.specification.upper()} graph does not go into a TOSA file")
    return _File(model).content()


class _File:
    """One model on its way into a file."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.old = str(model.version).startswith("0.")
        self.numbers = OPERATORS_0_23 if self.old else OPERATORS_1
        self.tensors: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.operators: list[dict[str, Any]] = []
        self.names = self._output_names()

    def content(self) -> bytes:
        model = self.model
        version = [int(part) for part in str(model.version).split(".")]
        stated: dict[str, Any] = dict(zip(("major", "minor", "patch"), [*version, 0][:3], strict=True))
        for name, kind in model.inputs.items():
            self._tensor(name, kind)
        uses = self._uses()
        for name, constant in model.constants.items():
            use = uses.get(name, "elements")
            if use == "attribute":
                continue
            if use == "numbers":
                self._shape(name, constant.array)
                continue
            array = constant.array.reshape(1) if use == "scalar" and not self.old else constant.array
            self._tensor(name, TensorType(constant.sort, array.shape), encode(array, constant.sort))
            self._operator("CONST", [], name, ("CONST", {}) if not self.old else None)
        for node in model.nodes:
            self._node(node)
        for name, output in model.outputs.items():
            if self.names.get(output.tensor, output.tensor) != name:
                self._tensor(name, model.types[output.tensor])
                source = self.names.get(output.tensor, output.tensor)
                self._operator("IDENTITY", [source], name, ("IDENTITY", {}) if not self.old else None)
        block: dict[str, Any] = {
            "name": "main",
            "operators": self.operators,
            "tensors": self.tensors,
            "inputs": list(model.inputs),
            "outputs": list(model.outputs),
        }
        if self.old:
            root: dict[str, Any] = {"version": {**stated, "draft": False}, "blocks": [block]}
            return Writer(SCHEMA_0_23, UNIONS_0_23).root("Graph", root)
        block["shapes"] = self.shapes
        region = {"name": "main", "blocks": [block]}
        draft = model.version == "1.1"
        root = {"version": {**stated, "draft": draft}, "regions": [region]}
        return Writer(SCHEMA_1, UNIONS_1).root("Graph", root, IDENTIFIER)

    def _output_names(self) -> dict[str, str]:
        """A computed tensor takes the name of the output that it is; a second name needs a node."""
        computed = {node.output for node in self.model.nodes}
        names: dict[str, str] = {}
        for name, output in self.model.outputs.items():
            if output.tensor in computed:
                names.setdefault(output.tensor, name)
        return names

    def _uses(self) -> dict[str, str]:
        """How constants are used that do not simply stand in the file as tensors."""
        uses: dict[str, str] = {}
        for node in self.model.nodes:
            names = node.operator.argument_names(len(node.inputs))
            for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
                if tensor is None:
                    continue
                use = node.operator.argument(k).use
                if self.old and name in node.from_attributes:
                    uses[tensor] = "attribute"
                elif use in ("scalar", "numbers"):
                    uses[tensor] = use
        return uses

    def _node(self, node: Node) -> None:
        op = node.operator.name
        names = node.operator.argument_names(len(node.inputs))
        inputs, arguments = [], {}
        for name, tensor in zip(names, node.inputs, strict=True):
            assert tensor is not None
            if self.old and name in node.from_attributes:
                arguments[name] = self.model.constants[tensor].array.ravel().tolist()
            elif self.old and node.operator.arguments[name].attribute_in:
                raise UnsupportedError(
                    f"{self.model.source}, {node.place}: {name} is a tensor; a 0.23.0 file keeps it as an attribute"
                )
            else:
                inputs.append(self.names.get(tensor, tensor))
        output = self.names.get(node.output, node.output)
        self._tensor(output, self.model.types[node.output])
        self._nothing_lost(node)
        first = self.model.types[node.inputs[0]].sort if node.inputs and node.inputs[0] else None
        if self.old:
            attribute, quantisation = old_fields(op, node.attributes, arguments, first)
            self._operator(op, inputs, output, attribute, quantisation)
        else:
            self._operator(op, inputs, output, (op, new_fields(op, node.attributes, first)))

    def _nothing_lost(self, node: Node) -> None:
        """Refuses an attribute that the schema has no field for, unless it has its default."""
        record = node.operator
        for name, value in node.attributes.items():
            kept = name == record.output_attribute or (self.old or name in kept_attributes(record.name))
            if not kept and value != record.attributes[name].default:
                raise UnsupportedError(
                    f"{self.model.source}, {node.place}: {name} is {value}; the file format has no field for it"
                )

    def _operator(
        self, op: str, inputs: list[str], output: str, attribute: Any = None, quantisation: Any = None
    ) -> None:
        entry: dict[str, Any] = {
            "op": self.numbers.index(op),
            "inputs": inputs,
            "outputs": [output],
            "attribute": attribute,
        }
        if self.old:
            entry["quant_info"] = quantisation
        self.operators.append(entry)

    def _tensor(self, name: str, kind: TensorType, data: bytes | None = None) -> None:
        known = kind.known_shape
        types = TYPES_0_23 if self.old else TYPES_1
        if known is None:
            raise UnsupportedError(f"{self.model.source}: tensor {name!r} is {kind}; a TOSA file needs every dimension")
        if kind.sort not in types:
            raise UnsupportedError(
                f"{self.model.source}: tensor {name!r} is {kind.sort.name}, "
                f"which TOSA {self.model.version} files do not have"
            )
        assert isinstance(kind.sort, Sort)
        entry: Mapping[str, Any] = {"name": name, "shape": list(known), "type": types.index(kind.sort), "data": data}
        self.tensors.append(dict(entry))

    def _shape(self, name: str, sizes: np.ndarray[Any, Any]) -> None:
        """A list of sizes, with the operator that stands for it."""
        data = sizes.ravel().astype("<i8").tobytes()
        self.shapes.append({"name": name, "rank": int(sizes.size), "data": data})
        self._operator("CONST_SHAPE", [], name, ("CONST_SHAPE", {}))
