"""Graph → TOSA file, at the graph's own version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from lanewise.graph.model import Model, Node, TensorType, title
from lanewise.language.errors import UnsupportedError
from lanewise.language.sorts import Sort, bf16, f16


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
        self.made: set[str] = set()
        self.names = self._output_names()
        self.constants: dict[tuple[str, str], str] = {}  # constant and use → name in the file

    def content(self) -> bytes:
        model = self.model
        version = [int(part) for part in str(model.version).split(".")]
        stated: dict[str, Any] = dict(zip(("major", "minor", "patch"), [*version, 0][:3], strict=True))
        for name, kind in model.inputs.items():
            self._tensor(name, kind)
        uses: dict[str, dict[str, None]] = {}
        for node in model.nodes:
            for name, use in self._uses(node):
                uses.setdefault(name, {}).setdefault(use)
        outputs = {output.tensor for output in model.outputs.values()}
        for name in model.constants:
            found = uses.get(name, {})
            if not found or name in outputs:
                found.setdefault("elements")
            self._constant(name, sorted(found))  # elements before numbers: outputs keep their names
        for node in model.nodes:
            self._node(node)
        for name, output in model.outputs.items():
            written = self.constants.get((output.tensor, "elements"), self.names.get(output.tensor, output.tensor))
            if written != name:
                self._tensor(name, model.types[output.tensor])
                self._operator("IDENTITY", [written], name, ("IDENTITY", {}) if not self.old else None)
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
        """What tensors are called in the file, where not by their own names.

        A computed tensor takes the name of the output that it is (a second name needs a node), and another
        tensor that has an output's name gets a new one.
        """
        model = self.model
        computed = dict.fromkeys(node.output for node in model.nodes)
        names: dict[str, str] = {}
        for name, output in model.outputs.items():
            if name in model.inputs and output.tensor != name:
                raise UnsupportedError(
                    f"{title(model)}: graph output {name!r} has the name of a graph input and is another tensor; "
                    "a TOSA file has one tensor by that name: rename the output"
                )
            if output.tensor in computed:
                names.setdefault(output.tensor, name)
        for tensor in (*model.constants, *computed):
            output_of_name = model.outputs.get(tensor)
            if tensor not in names and output_of_name is not None and output_of_name.tensor != tensor:
                names[tensor] = self._free(tensor)
        return names

    def _free(self, name: str) -> str:
        """A name that no tensor of the graph has."""
        model = self.model
        taken = {*model.inputs, *model.outputs, *model.constants, *(node.output for node in model.nodes), *self.made}
        while name in taken:
            name += "'"
        self.made.add(name)
        return name

    def _constant(self, name: str, uses: Sequence[str]) -> None:
        """A constant as what its users take it for: a tensor, a list of one number, a shape, or several of these."""
        constant = self.model.constants[name]
        shapes = {use: (1,) if use == "scalar" and not self.old else constant.array.shape for use in uses}
        for use in uses:
            if use == "attribute":
                continue
            called = self.names.get(name, name)
            first = next(other for other in uses if other != "attribute")
            if use != first and (use == "numbers" or first == "numbers" or shapes[use] != shapes[first]):
                called = self._free(name)
            self.constants[name, use] = called
            if use == "numbers":
                self._shape(called, constant.array)
            elif use == first or called != self.constants[name, first]:
                self._tensor(
                    called,
                    TensorType(constant.sort, shapes[use]),
                    encode(constant.array.reshape(shapes[use]), constant.sort),
                )
                self._operator("CONST", [], called, ("CONST", {}) if not self.old else None)

    def _uses(self, node: Node) -> Iterator[tuple[str, str]]:
        """The constants among a node's operands, and what the file takes each for."""
        names = node.operator.argument_names(len(node.inputs))
        for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
            if tensor in self.model.constants:
                assert tensor is not None
                use = node.operator.argument(k).use
                attribute = self.old and name in node.from_attributes
                yield tensor, "attribute" if attribute else use if use in ("scalar", "numbers") else "elements"

    def _node(self, node: Node) -> None:
        op = node.operator.name
        names = node.operator.argument_names(len(node.inputs))
        inputs, arguments = [], {}
        for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
            assert tensor is not None
            if self.old and name in node.from_attributes:
                arguments[name] = self.model.constants[tensor].array.ravel().tolist()
            elif self.old and node.operator.arguments[name].attribute_in:
                raise UnsupportedError(
                    f"{self.model.source}, {node.place}: {name} is a tensor; a 0.23.0 file keeps it as an attribute"
                )
            else:
                use = node.operator.argument(k).use
                known = self.constants.get((tensor, use if use in ("scalar", "numbers") else "elements"))
                inputs.append(known or self.names.get(tensor, tensor))
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
            raise UnsupportedError(
                f"{self.model.source}: tensor {name!r} is {kind}; a TOSA file needs every dimension: "
                "give the shapes of the graph's inputs (shapes=, --shape)"
            )
        if kind.sort not in types:
            later = "; files of 1.0 have it" if self.old and kind.sort in (f16, bf16) else ""
            raise UnsupportedError(
                f"{self.model.source}: tensor {name!r} is {kind.sort.name}, "
                f"which TOSA {self.model.version} files do not have{later}"
            )
        assert isinstance(kind.sort, Sort)
        entry: Mapping[str, Any] = {"name": name, "shape": list(known), "type": types.index(kind.sort), "data": data}
        self.tensors.append(dict(entry))

    def _shape(self, name: str, sizes: np.ndarray[Any, Any]) -> None:
        """A list of sizes, with the operator that stands for it."""
        data = sizes.ravel().astype("<i8").tobytes()
        self.shapes.append({"name": name, "rank": int(sizes.size), "data": data})
        self._operator("CONST_SHAPE", [], name, ("CONST_SHAPE", {}))
