"""Static rules of a graph: every name defined once, every node a row, every known shape right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import storage_width
from lanewise.graph.model import Dimension, Model, Node, TensorType, title
from lanewise.language import nodes
from lanewise.language.errors import InvalidError, LanewiseError, brief
from lanewise.language.operator import profiles_of
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import AnySort, ArraySort, Sort, carrier
from lanewise.language.words import Value
from lanewise.operators import catalogue

DYNAMIC = "EXT-DYNAMIC"  # TOSA: with it, inputs need not be constants


def checked(model: Model) -> Model:
    """The model with `types` filled in, or an error that names file, node and rule."""
    if model.profile is not None:
        if model.specification != "tosa":
            raise InvalidError(f"{title(model)}: profile {model.profile!r} is asked for, but ONNX has no profiles")
        catalogue.known_profile(str(model.version), model.profile)
    if model.level is not None:
        catalogue.known_level(model.specification, str(model.version), model.level)
    types: dict[str, TensorType] = {}
    for name, declared in model.inputs.items():
        _define(model, types, name, declared, "graph input")
    for name, constant in model.constants.items():
        _define(model, types, name, TensorType(constant.sort, constant.array.shape), "constant")
    for node in model.nodes:
        try:
            result = _node_type(model, node, types)
        except LanewiseError as error:
            raise type(error)(f"{title(model)}, {node.place}{_tensors(model, node)}: {error}") from None
        _define(model, types, node.output, result, node.place)
    if model.specification == "tosa":
        _check_sizes(model, types)
    if not model.outputs:
        raise InvalidError(f"{title(model)}: the graph has no outputs")
    for name, output in model.outputs.items():
        if output.tensor not in types:
            raise InvalidError(f"{title(model)}: graph output {name!r} is computed by no node")
        _agree(model, f"graph output {name!r}", output.tensor, types, output.declared)
    for name, promise in model.declared.items():
        if name in types:
            _agree(model, f"tensor {name!r}", name, types, promise)
    return replace(model, types=types, deciding=deciding_tensors(model.nodes), _plans={})


def deciding_tensors(nodes: Iterable[Node]) -> dict[str, Node]:
    """The tensors that decide shapes, each with the first node that reads it so."""
    found: dict[str, Node] = {}
    for node in nodes:
        for k, tensor in enumerate(node.inputs):
            if tensor is not None and node.operator.argument(k).use == "numbers":
                found.setdefault(tensor, node)
    return found


def _define(model: Model, types: dict[str, TensorType], name: str, kind: TensorType, where: str) -> None:
    if not name:
        raise InvalidError(f"{title(model)}, {where}: a tensor without a name")
    if name in types:
        raise InvalidError(f"{title(model)}, {where}: tensor {name!r} is defined twice")
    if model.level is not None:
        _check_level(model, name, kind, where)
    types[name] = kind


def _check_sizes(model: Model, types: Mapping[str, TensorType]) -> None:
    """TOSA's tensors have at least one element; only the lists of numbers that stand for shapes may be empty."""
    empty = {name for name, kind in types.items() if kind.shape is not None and 0 in kind.shape}
    for node in model.nodes if empty else ():
        empty -= {name for k, name in enumerate(node.inputs) if name and node.operator.argument(k).use == "numbers"}
    for name in types:
        if name in empty:
            raise InvalidError(
                f"{title(model)}: tensor {name!r} is {types[name]}; TOSA needs every dimension to be at least 1"
            )


def _check_level(model: Model, name: str, kind: TensorType, where: str) -> None:
    """Rank and size that the level asked for allows."""
    level = catalogue.known_level(model.specification, str(model.version), model.level or "")
    who = f"{title(model)}, {where}: tensor {name!r} is {kind}"
    if kind.shape is not None and len(kind.shape) > level.rank:
        raise InvalidError(f"{who}, rank {len(kind.shape)}; level {model.level} allows up to {level.rank}")
    if kind.known_shape is not None and isinstance(kind.sort, Sort):
        size = prod(kind.known_shape) * storage_width(kind.sort) // 8
        if size > level.bytes:
            raise InvalidError(f"{who}, {size:,} bytes; level {model.level} allows up to {level.bytes:,}")


def _node_type(model: Model, node: Node, types: Mapping[str, TensorType]) -> TensorType:
    operator = node.operator
    names = operator.argument_names(len(node.inputs))
    for name, tensor in zip(names, node.inputs, strict=True):
        if tensor is not None and tensor not in types:
            raise InvalidError(
                f"{operator.label}: {name} is {tensor!r}, which no earlier node, input or constant defines"
            )
    if model.specification == "tosa":
        _check_shape_operands(model, node, names)
    if model.profile is not None:
        _check_profile(model, node, names)
    row = catalogue.row_of(operator, operand_sorts(node, types), node.attributes, model.profile)
    _check_ranks(node, names, types)
    # Traces the definition once, which refuses the attributes that it forbids.
    sorts = traced_sorts(node, types)
    operator.function(sorts, row.output, node.attributes, known_operands(model, node, sorts))
    return TensorType(row.output, _repeated(model, node, result_shape(model, node, types)))


def _repeated(model: Model, node: Node, shape: tuple[Dimension, ...] | None) -> tuple[Dimension, ...] | None:
    """The shape declared for a broadcast result, where the version lets the operands repeat into it (T3)."""
    promise = model.declared.get(node.output)
    if model.version != "0.23.0" or node.operator.shape is not same_rank or promise is None:
        return shape
    wanted = promise.known_shape
    if shape is None or wanted is None or len(shape) != len(wanted):
        return shape
    return wanted if all(have in (1, want) for have, want in zip(shape, wanted, strict=True)) else shape


def _check_shape_operands(model: Model, node: Node, names: list[str]) -> None:
    """TOSA's shapes are constants of the graph, whatever the profile; ONNX's may be computed."""
    for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
        if tensor is not None and node.operator.argument(k).use == "numbers" and tensor not in model.constants:
            raise InvalidError(
                f"{node.operator.label}: {name} is the tensor {tensor!r}; it is a shape, a constant of the graph"
            )


def _check_profile(model: Model, node: Node, names: list[str]) -> None:
    asked = profiles_of(model.profile or "")
    for name, tensor in zip(names, node.inputs, strict=True):
        argument = node.operator.arguments[name if not node.operator.variadic else next(iter(node.operator.arguments))]
        if tensor is None:
            continue
        if set(asked) <= set(argument.attribute_in) and name not in node.from_attributes:
            raise InvalidError(
                f"{node.operator.label}: {name} is the tensor {tensor!r}; "
                f"in profile {model.profile} it is an attribute (an input in MT only)"
            )
        held = [profile for profile in asked if profile in argument.constant_in]
        if held and DYNAMIC not in asked and tensor not in model.constants:
            raise InvalidError(
                f"{node.operator.label}: {name} is the tensor {tensor!r}, which no CONST feeds; "
                f"{held[0]} needs a compile-time constant ({DYNAMIC} lifts that)"
            )


def _check_ranks(node: Node, names: list[str], types: Mapping[str, TensorType]) -> None:
    for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
        shape = types[tensor].shape if tensor is not None else None
        if shape is not None:
            node.operator.check_shape(k, name, shape)


def operand_sorts(node: Node, types: Mapping[str, TensorType]) -> list[AnySort | None]:
    """The sorts that choose the row: a table counts with its length."""
    sorts: list[AnySort | None] = []
    for k, tensor in enumerate(node.inputs):
        if tensor is None:
            sorts.append(None)
            continue
        kind = types[tensor]
        use = node.operator.argument(k).use
        if use == "table":
            assert isinstance(kind.sort, Sort)
            length = kind.shape[0] if kind.shape is not None and len(kind.shape) == 1 else None
            if not isinstance(length, int):
                raise InvalidError(
                    f"{node.operator.label}: the table {tensor!r} is {kind}; it is one list of known length"
                )
            sorts.append(ArraySort(kind.sort, length))
        else:
            sorts.append(kind.sort)
    return sorts


def traced_sorts(node: Node, types: Mapping[str, TensorType]) -> list[AnySort | None]:
    """The sorts that the definition sees: operands read before the run are not among them."""
    return [
        None if node.operator.argument(k).use == "numbers" else sort
        for k, sort in enumerate(operand_sorts(node, types))
    ]


def known_operands(
    model: Model, node: Node, sorts: Sequence[AnySort | None], uses: Collection[str] = ("scalar",)
) -> dict[int, Value]:
    """Operands of one element that the graph fixes, by index."""
    known = {}
    for k, (tensor, sort) in enumerate(zip(node.inputs, sorts, strict=True)):
        constant = model.constants.get(tensor or "")
        if (
            constant is not None
            and constant.array.size == 1
            and constant.sort == sort
            and node.operator.argument(k).use in uses
        ):
            (pattern,) = patterns(constant.array.reshape(1), constant.sort)
            word = carrier(constant.sort)
            assert isinstance(word, Sort)
            known[k] = Value(nodes.constant(pattern, word), constant.sort)
    return known


def result_shape(model: Model, node: Node, types: Mapping[str, TensorType]) -> tuple[Dimension, ...] | None:
    """The shape of a node's result, as far as it is known before a run; None if not even the rank is.

    The shape rules see numbers only. Open sizes go in as large primes, one for each name, and what
    comes out of a rule is read back: a prime is its open size, a multiple of one is unknown.
    """
    shapes: list[tuple[int, ...] | None] = []
    numbers: dict[str, Any] = dict(node.attributes)
    names = node.operator.argument_names(len(node.inputs))
    primes: dict[int, Dimension] = {}
    standing_for: dict[str, int] = {}
    for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
        if tensor is not None and node.operator.argument(k).use == "numbers":
            if tensor not in model.constants:
                return None
            numbers[name] = tuple(int(item) for item in model.constants[tensor].array.ravel())
        if tensor is None or not node.operator.takes_shape(k):
            shapes.append(None)
            continue
        shape = types[tensor].shape
        if shape is None:
            return None
        sizes = []
        for size in shape:
            if isinstance(size, int):
                sizes.append(size)
                continue
            prime = standing_for.get(size) if size is not None else None
            if prime is None:
                if len(primes) == len(_PRIMES):
                    return None
                prime = _PRIMES[len(primes)]
                primes[prime] = size
                if size is not None:
                    standing_for[size] = prime
            sizes.append(prime)
        shapes.append(tuple(sizes))
    try:
        found = node.operator.shape(names, shapes, numbers).result
    except InvalidError as error:
        if primes:
            return None  # the open sizes may fit when they are known
        raise InvalidError(f"{node.operator.label}: {error}") from None
    return tuple(_read_back(size, primes) for size in found)


# Beyond any size that a tensor can have, so that they are never mistaken for one.
_PRIMES = tuple((1 << 61) + k for k in (15, 21, 57, 65, 135, 197, 221, 255, 305, 365, 371, 429))


def _read_back(size: int, primes: Mapping[int, Dimension]) -> Dimension:
    if size in primes:
        return primes[size]
    return None if any(size % prime == 0 for prime in primes) and size else size


def _agree(model: Model, who: str, tensor: str, types: Mapping[str, TensorType], declared: TensorType | None) -> None:
    """A declared type is a promise about the graph; broken, it is an error."""
    if declared is None:
        return
    found = types[tensor]
    if declared.sort != found.sort:
        says, computed = declared.sort.name, found.sort.name
    else:
        if declared.shape is None or found.shape is None:
            return
        differs = len(declared.shape) != len(found.shape) or any(
            isinstance(want, int) and isinstance(have, int) and want != have
            for want, have in zip(declared.shape, found.shape, strict=True)
        )
        if not differs:
            return
        says, computed = str(declared), str(found)
    maker = next((node.place for node in model.nodes if node.output == tensor), "the graph")
    raise InvalidError(f"{title(model)}: {who} is declared {says}, but {maker} computes {computed}")


def _tensors(model: Model, node: Node) -> str:
    """The tensors of a node, where messages speak of arguments by the specification's names only."""
    if model.specification != "tosa" or not node.inputs:
        return ""
    return f" of {', '.join(brief(tensor) for tensor in node.inputs if tensor is not None)}"
