"""MLIR text of the `tosa` dialect → graph. The dialect stands for TOSA 1.0 and 1.1: integers without sign."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from types import ModuleType
from typing import Any

from lanewise.formats import mlir_data
from lanewise.graph.model import Constant, Dimension, Model, Node, Output, TensorType
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError
from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort, bf16, boolean, f16, f32, i4, i8, i16, i32, i48, i64
from lanewise.operators import catalogue
from lanewise.operators.tosa.rows import VERSIONS

TYPES: dict[str, Sort] = {
    "i1": boolean, "i4": i4, "i8": i8, "i16": i16, "i32": i32, "i48": i48, "i64": i64,
    "f16": f16, "bf16": bf16, "f32": f32,
}  # fmt: skip
DEFAULT_VERSION = "1.1"
TENSOR_NAME = "tosa.tensor_name"  # how arguments and results of a function keep the names of a graph
TARGET = "tosa.target_env"  # an attribute of the module; states the version
SHAPE_LIST = "const_shape"  # a list of sizes: no operator of ours, a constant like any other
MAX_RANK = 64  # NumPy's


def dialect() -> ModuleType:
    """The part that needs xdsl; UnsupportedError says how to get it where it is missing."""
    try:
        from lanewise.formats import mlir_dialect
    except ImportError as error:
        if (error.name or "").split(".")[0] != "xdsl":
            raise
        raise UnsupportedError("MLIR text needs the package xdsl: pip install 'lanewise[mlir]'") from None
    return mlir_dialect


def known_words(name: str) -> frozenset[str] | None:
    """Attributes of an operator of the dialect that are bare words in its pretty form; None if it is not known."""
    if name == SHAPE_LIST:
        return frozenset()
    records = [] if name != name.lower() else catalogue.versions_of("tosa").get(name.upper(), ())
    if not records:
        return None
    return frozenset(
        key
        for record in records
        for key, attribute in record.attributes.items()
        if attribute.choices and all(isinstance(choice, str) for choice in attribute.choices)
    )


def model_from_bytes(
    content: bytes, name: str, *, version: str | None = None, max_tensor_bytes: int, max_nodes: int
) -> Model:
    """The graph in an MLIR text, not yet checked; `version` is what the text means where it does not state one."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidError(f"{name}, line {line}: the text is not UTF-8") from None
    xdsl = dialect()
    parsed = xdsl.parse(text, name, known_words, max_nodes)
    function = _function(xdsl, parsed, name)
    return _Reader(xdsl, parsed, name, _version(parsed, name, version), max_tensor_bytes).model(function)


def _version(parsed: Any, name: str, wanted: str | None) -> str:
    target = parsed.module.attributes.get(TARGET)
    found = re.search(r'specification_version\s*=\s*"([^"]*)"', str(target)) if target is not None else None
    stated = found[1].removesuffix(".draft") if found is not None else None
    if stated is not None and wanted is not None and stated != wanted:
        raise InvalidError(f"{name}: states TOSA {stated}; version {wanted} is asked for")
    version = stated or wanted or DEFAULT_VERSION
    if version not in VERSIONS or version.startswith("0."):
        have = ", ".join(known for known in VERSIONS if not known.startswith("0."))
        raise UnsupportedError(f"{name}: TOSA version {version}; MLIR's dialect is read as {have}")
    return version


def _function(xdsl: ModuleType, parsed: Any, name: str) -> Any:
    functions = []
    for operation in parsed.module.body.ops:
        if not isinstance(operation, xdsl.FuncOp):
            raise UnsupportedError(
                f"{name}, line {parsed.lines[operation]}: {operation.name} outside a function; lanewise runs one"
            )
        functions.append(operation)
    if len(functions) > 1:
        functions = [function for function in functions if function.sym_name.data == "main"]
        if len(functions) != 1:
            raise UnsupportedError(f"{name}: has several functions, and not one that is named main")
    if not functions:
        raise InvalidError(f"{name}: has no func.func, so no graph")
    blocks = len(functions[0].body.blocks)
    if blocks != 1:
        raise UnsupportedError(f"{name}: function {functions[0].sym_name.data} has {blocks} blocks; lanewise runs one")
    return functions[0]


class _Reader:
    """Makes a graph of a function."""

    def __init__(self, xdsl: ModuleType, parsed: Any, name: str, version: str, max_tensor_bytes: int) -> None:
        self.xdsl = xdsl
        self.lines = parsed.lines
        self.names: dict[Any, str] = dict(parsed.names)
        self.name = name
        self.version = version
        self.limit = self.left = max_tensor_bytes
        self.types: dict[Any, TensorType] = {}
        self.literals: dict[Any, Any] = {}
        self.constants: dict[str, Constant] = {}
        self.declared: list[tuple[Any, TensorType]] = []

    def model(self, function: Any) -> Model:
        who = f"{self.name}, line {self.lines[function]}"
        block = function.body.blocks.first
        signature = function.function_type
        if [argument.type for argument in block.args] != list(signature.inputs.data):
            raise InvalidError(f"{who}: the function's type does not list the types of its arguments")
        for argument, given in zip(block.args, _listed(function.arg_attrs, len(block.args)), strict=True):
            self.names[argument] = _tensor_name(given) or self._name(argument)
        inputs: dict[str, TensorType] = {}
        for argument in block.args:
            if self._name(argument) in inputs:
                raise InvalidError(f"{who}: graph input {self._name(argument)!r} is listed twice")
            inputs[self._name(argument)] = self._type(argument.type, f"{who}: {self._shown(argument)}")
        operations = list(block.ops)
        if not operations or not isinstance(operations[-1], self.xdsl.ReturnOp):
            raise InvalidError(f"{who}: the function does not end in a return")
        nodes = [node for operation in operations[:-1] if (node := self._operation(operation)) is not None]
        returned = operations[-1].operands
        who = f"{self.name}, line {self.lines[operations[-1]]}"
        if [value.type for value in returned] != list(signature.outputs.data):
            raise InvalidError(f"{who}: the types of the results are not those that the function declares")
        outputs: dict[str, Output] = {}
        for k, (value, given) in enumerate(zip(returned, _listed(function.res_attrs, len(returned)), strict=True)):
            name = _tensor_name(given) or f"result{k}"
            if name in outputs:
                raise InvalidError(f"{who}: graph output {name!r} is listed twice")
            outputs[name] = Output(self._name(value), self._type(value.type, f"{who}: {self._shown(value)}"))
        declared = {self._name(value): kind for value, kind in self.declared}
        return Model(
            "tosa",
            self.version,
            inputs,
            outputs,
            self.constants,
            tuple(nodes),
            source=self.name,
            declared=declared,
            max_tensor_bytes=self.limit,
        )

    def _name(self, value: Any) -> str:
        """A value's name in the text; one that has none there gets a number that no other can have."""
        return self.names.setdefault(value, f"unnamed {len(self.names)}")

    def _shown(self, value: Any) -> str:
        return f"%{self._name(value)}"

    def _type(self, kind: Any, who: str) -> TensorType:
        found = self.types.get(kind)
        if found is not None:
            return found
        text = str(kind)
        shown = text if len(text) <= 80 else text[:80] + " …"
        if not text.startswith("tensor<"):
            raise UnsupportedError(f"{who} is {shown}; lanewise has tensors")
        if text.startswith("tensor<*"):
            raise InvalidError(f"{who} is {shown}: its rank is not known")
        element = str(kind.element_type)
        if element not in TYPES:
            raise UnsupportedError(f"{who} is {shown}; element types are {', '.join(TYPES)}")
        if str(kind.encoding) != "none":
            raise UnsupportedError(f"{who} is {shown}; lanewise has no encodings")
        sizes = kind.get_shape()
        if len(sizes) > MAX_RANK:
            raise InvalidError(f"{who} has rank {len(sizes)}; the limit is {MAX_RANK}")
        # xdsl writes an open size as the lowest int64.
        shape: tuple[Dimension, ...] = tuple(None if size < 0 else size for size in sizes)
        if 0 in shape:
            raise InvalidError(f"{who} is {shown}; every dimension is at least 1")
        elements = prod(size for size in shape if isinstance(size, int))
        if elements > self.limit:
            raise InvalidError(
                f"{who} is {shown}: {elements:,} elements; the limit is {self.limit:,} bytes (max_tensor_bytes)"
            )
        return self.types.setdefault(kind, TensorType(TYPES[element], shape))

    # -- operators ----------------------------------------------------------------------

    def _operation(self, operation: Any) -> Node | None:
        line = f"line {self.lines[operation]}"
        if not isinstance(operation, self.xdsl.TosaOperation):
            raise UnsupportedError(f"{self.name}, {line}: {operation.name} is not one of lanewise's operations")
        name = operation.name.removeprefix(self.xdsl.PREFIX)
        results = operation.results
        if len(results) != 1:
            raise InvalidError(f"{self.name}, {line}: {operation.name} has {len(results)} results; it gives 1")
        place = f"{line}, {self._shown(results[0])} ({name.upper()})"
        who = f"{self.name}, {place}"
        given = {
            key: value for key, value in {**operation.properties, **operation.attributes}.items() if "." not in key
        }
        if name == SHAPE_LIST:
            self._shape_list(results[0], operation.operands, given, who)
            return None
        try:
            operator = catalogue.find("tosa", name.upper(), self.version)
        except LanewiseError as error:
            raise type(error)(f"{who}: {error}") from None
        kind = self._type(results[0].type, f"{who}: the result")
        if operator.constant:
            self._constant(operator, results[0], operation.operands, kind, given, who)
            return None
        return self._node(operator, operation, kind, given, place)

    def _node(self, operator: Operator, operation: Any, kind: TensorType, given: Mapping[str, Any], place: str) -> Node:
        who = f"{self.name}, {place}"
        operands, listed = operation.operands, list(operator.arguments)
        if len(operands) != len(listed):
            raise InvalidError(f"{who}: lists {len(operands)} operands; it has {len(listed)}: {', '.join(listed)}")
        result = operation.results[0]
        late = set()
        for argument, value in zip(listed, operands, strict=True):
            numbers = operator.arguments[argument].use == "numbers"
            if str(value.type).startswith("!tosa.shape") != numbers:
                raise InvalidError(
                    f"{who}: {argument} is {value.type}; it is {'a !tosa.shape' if numbers else 'a tensor'}"
                )
            if not numbers:
                self._type(value.type, f"{who}: {argument}")
            # The name that Builder gives to an argument that came as a plain value.
            if self._name(value) == f"{self._name(result)}.{argument}" and self._name(value) in self.constants:
                late.add(argument)
        first = self.types.get(operands[0].type) if operands else None
        attributes = {key: self._attribute(key, value, first, who) for key, value in given.items()}
        if operator.output_attribute is not None:
            if operator.output_attribute in attributes:
                raise InvalidError(f"{who}: unknown attribute {operator.output_attribute!r}")
            attributes[operator.output_attribute] = kind.sort
        try:
            read = operator.read_attributes(attributes)
        except LanewiseError as error:
            raise type(error)(f"{who}: {error}") from None
        self.declared.append((result, kind))
        inputs = tuple(self._name(value) for value in operands)
        return Node(operator, inputs, self._name(result), read, place, frozenset(late))

    def _attribute(self, key: str, value: Any, first: TensorType | None, who: str) -> Any:
        """A plain value: true, a number of the first operand's type, a word or #tosa.…<word>."""
        text = str(value)
        word = re.fullmatch(rf'#tosa[.<]{re.escape(key)} ?<(\w+)>+|"(\w+)"', text)
        if word is not None:
            return word[1] or word[2]
        if text in ("true", "false"):
            return text == "true"
        number = getattr(getattr(value, "value", None), "data", None)
        if not isinstance(number, int | float):
            raise InvalidError(f"{who}: attribute {key} is {text[:80]}")
        sort = TYPES.get(str(value.type))
        if first is None or sort != first.sort:
            raise InvalidError(f"{who}: attribute {key} is {text[:80]}; the first operand is {first}")
        return number

    # -- constants ----------------------------------------------------------------------

    def _constant(
        self,
        operator: Operator,
        result: Any,
        operands: Sequence[Any],
        kind: TensorType,
        given: Mapping[str, Any],
        who: str,
    ) -> None:
        dense = self._literal(operands, given, who)
        if dense.type != result.type:
            raise InvalidError(f"{who}: values is {dense.type}, the result {result.type}")
        assert isinstance(kind.sort, Sort)
        if kind.known_shape is None:
            raise InvalidError(f"{who}: a constant of type {result.type}; every dimension is a number")
        operator.row((), {}, output=kind.sort)
        self._define(result, dense, kind.sort, kind.known_shape, who)

    def _shape_list(self, result: Any, operands: Sequence[Any], given: Mapping[str, Any], who: str) -> None:
        dense = self._literal(operands, given, who)
        found = re.fullmatch(r"tensor<([0-9]{1,9})xindex>", str(dense.type))
        if found is None or str(result.type) != f"!tosa.shape<{found[1]}>":
            raise InvalidError(
                f"{who}: values is {dense.type}, the result {result.type}; tensor<Nxindex> gives !tosa.shape<N>"
            )
        if int(found[1]) > MAX_RANK:
            raise InvalidError(f"{who}: a shape of rank {found[1]}; the limit is {MAX_RANK}")
        self._define(result, dense, i64, (int(found[1]),), who)

    def _literal(self, operands: Sequence[Any], given: Mapping[str, Any], who: str) -> Any:
        if operands:
            raise InvalidError(f"{who}: lists {len(operands)} operands; it has none")
        if set(given) != {"values"}:
            raise InvalidError(f"{who}: has the attributes {', '.join(given) or '(none)'}; it has values")
        dense = given["values"]
        if not isinstance(dense, self.xdsl.Dense):
            text = str(dense)
            if text.startswith("dense_resource"):
                raise UnsupportedError(f"{who}: values is {text[:80]}; lanewise reads dense<…> only")
            raise InvalidError(f"{who}: values is {text[:80]}; it is dense<…>")
        return dense

    def _define(self, result: Any, dense: Any, sort: Sort, shape: tuple[int, ...], who: str) -> None:
        name = self._name(result)
        array = self.literals.get(dense)
        if array is None:
            array = mlir_data.decode(dense.body, sort, shape, self.left, f"{who}: values")
            self.literals[dense] = array  # an alias of the text may stand for many constants
        self.left -= array.nbytes
        if self.left < 0:
            raise InvalidError(
                f"{who}: the constants need more than {self.limit:,} bytes, the limit (max_tensor_bytes)"
            )
        if name in self.constants:
            raise InvalidError(f"{who}: tensor {name!r} is defined twice")
        self.constants[name] = Constant(sort, array)


def _listed(attributes: Any, count: int) -> list[Any]:
    """The dictionaries of a function's arguments or results; empty ones where it has none."""
    found = list(attributes.data) if attributes is not None else []
    return [entry.data for entry in found] if len(found) == count else [{}] * count


def _tensor_name(attributes: Mapping[str, Any]) -> str:
    found = attributes.get(TENSOR_NAME)
    name = getattr(found, "data", "")
    return name if isinstance(name, str) else ""
