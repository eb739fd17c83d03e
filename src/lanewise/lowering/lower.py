"""Lowering a graph: node after node, each by its rule, with a report of what became of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

import numpy as np

from lanewise.graph.build import Builder
from lanewise.graph.check import operand_sorts, traced_sorts
from lanewise.graph.model import Model, Node, TensorType
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.shapes import legacy_broadcast, text
from lanewise.language.sorts import ArraySort, Sort
from lanewise.lowering.carriers import Carrier
from lanewise.lowering.ledger import proof_of
from lanewise.lowering.report import Change, Report, Step
from lanewise.lowering.rule import Direction, Refused, Source
from lanewise.lowering.steps import GraphSteps, Wire
from lanewise.lowering.tensor_names import named

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Lowered:
    """A lowered graph, its report, and the way between the two interfaces."""

    model: Model
    report: Report
    inputs: Mapping[str, tuple[Carrier, tuple[str, ...]]]
    outputs: Mapping[str, tuple[Carrier, tuple[str, ...]]]

    def encode(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The lowered graph's inputs from the source graph's."""
        encoded: dict[str, Array] = {}
        for name, array in inputs.items():
            carrier, names = self.inputs[name]
            encoded.update(zip(names, carrier.encode(np.asarray(array)), strict=True))
        return encoded

    def decode(self, outputs: Mapping[str, Array]) -> dict[str, Array]:
        """The source graph's outputs from the lowered graph's."""
        return {
            name: carrier.decode([outputs[part] for part in names]) for name, (carrier, names) in self.outputs.items()
        }


def lower_graph(model: Model, direction: Direction, shapes: Mapping[str, Sequence[int]] | None = None) -> Lowered:
    """The graph in the target's operators; Refused names the node, the reason and what would help."""
    return _Lowering(with_shapes(model, shapes or {}), direction).result()


def with_shapes(model: Model, shapes: Mapping[str, Sequence[int]]) -> Model:
    """The graph with some inputs held to a shape."""
    inputs = dict(model.inputs)
    for name, shape in shapes.items():
        if name not in inputs:
            raise InvalidError(f"{model.source}: has no input {name!r}; it has: {', '.join(inputs) or 'none'}")
        have = inputs[name].shape
        fits = have is None or (
            len(have) == len(shape)
            and all(not isinstance(size, int) or size == want for size, want in zip(have, shape, strict=True))
        )
        if not fits:
            raise InvalidError(f"{model.source}, input {name!r}: is {inputs[name]}, which {list(shape)} does not fit")
        inputs[name] = TensorType(inputs[name].sort, tuple(shape))
    return replace(model, inputs=inputs).check() if shapes else model


class _Lowering:
    def __init__(self, model: Model, direction: Direction) -> None:
        self.model = model
        self.direction = direction
        to = {"onnx": None, "tosa": None, direction.specification: direction.version}
        self.steps = GraphSteps(Builder(**to, name=model.source))  # type: ignore[arg-type]
        self.report = Report(f"{model.source} ({_title(model)})", direction.title)
        self.wires: dict[str, tuple[Wire, ...]] = {}
        self.proofs: dict[Any, str] = {}
        self.inputs: dict[str, tuple[Carrier, tuple[str, ...]]] = {}
        self.outputs: dict[str, tuple[Carrier, tuple[str, ...]]] = {}

    def result(self) -> Lowered:
        for name, kind in self.model.inputs.items():
            self._input(name, kind)
        for node in self.model.nodes:
            try:
                self.wires[node.output] = self._node(node)
            except LanewiseError as error:
                raise type(error)(f"{self.model.source}, {node.place}: {error}") from None
        for name, output in self.model.outputs.items():
            self._output(name, output.tensor)
        lowered = named(_without_unused(self.steps.builder.model()), self._results())
        self.report.notes.extend(self.direction.notes(lowered))
        return Lowered(lowered, self.report, self.inputs, self.outputs)

    # -- the interface --------------------------------------------------------------------

    def _input(self, name: str, kind: TensorType) -> None:
        where = f"{self.model.source}, input {name!r}"
        if kind.shape is None:
            raise Refused(f"{where}: its rank is unknown; give shapes={{{name!r}: (…)}}")
        self._check_elements(where, kind)
        carrier = self._carrier(where, kind.sort)
        names = _names(name, carrier, self.model.inputs, self.inputs)
        builder = self.steps.builder
        self.wires[name] = tuple(
            Wire(builder.input(part, sort.name, kind.shape), sort, len(kind.shape))
            for part, sort in zip(names, carrier.parts, strict=True)
        )
        self.inputs[name] = carrier, names
        self._changed("input", name, names, carrier)

    def _output(self, name: str, tensor: str) -> None:
        sort = self.model.types[tensor].sort
        carrier = self._carrier(f"{self.model.source}, output {name!r}", sort)
        names = _names(name, carrier, self.model.outputs, self.outputs)
        for part, wire in zip(names, self._wires(tensor), strict=True):
            self.steps.builder.output(part, wire.tensor)
        self.outputs[name] = carrier, names
        self._changed("output", name, names, carrier)

    def _results(self) -> dict[str, str]:
        """For tensors of the target the name of the source's tensor that they are, the first of several."""
        names: dict[str, str] = {}
        for node in self.model.nodes:
            wires = self.wires[node.output]
            suffixes = (
                ("",) if len(wires) == 1 else self._carrier(node.place, self.model.types[node.output].sort).suffixes
            )
            for wire, suffix in zip(wires, suffixes, strict=True):
                names.setdefault(wire.tensor.name, node.output + suffix)
        return names

    def _carrier(self, where: str, sort: Any) -> Carrier:
        assert isinstance(sort, Sort)
        try:
            return self.direction.carrier(sort)
        except Refused as error:
            raise Refused(f"{where}: {error}") from None

    def _check_elements(self, where: str, kind: TensorType) -> None:
        """Refuses a tensor without elements where the target has none such."""
        if self.direction.specification == "tosa" and kind.shape is not None and 0 in kind.shape:
            raise Refused(
                f"{where}: is {kind}; {self.direction.title} has no empty tensors, every dimension is at least 1. "
                "Leave what is empty out of the graph"
            )

    def _changed(self, kind: str, name: str, names: tuple[str, ...], carrier: Carrier) -> None:
        if carrier.change is not None:
            self.report.changes.append(Change(kind, name, names, carrier.change))

    def _wires(self, tensor: str) -> tuple[Wire, ...]:
        """The target's tensors for one of the source's; a constant comes into being when it is first used."""
        if tensor not in self.wires:
            constant = self.model.constants[tensor]
            self._check_elements(f"constant {tensor!r}", self.model.types[tensor])
            carrier = self._carrier(f"constant {tensor!r}", constant.sort)
            builder = self.steps.builder
            names = [builder.free(f"{tensor}{suffix}") for suffix in carrier.suffixes]
            self.wires[tensor] = tuple(
                Wire(builder.constant(array, sort, name), sort, array.ndim)
                for array, sort, name in zip(carrier.encode(constant.array), carrier.parts, names, strict=True)
            )
        return self.wires[tensor]

    # -- nodes ----------------------------------------------------------------------------

    def _node(self, node: Node) -> tuple[Wire, ...]:
        types = traced_sorts(node, self.model.types)
        output = self.model.types[node.output].sort
        assert isinstance(output, Sort)
        source = Source(node.operator, tuple(types), output, node.attributes, self._known(node), self._fixed(node))
        source = self.direction.informed(source)
        function = source.function()
        self._check_elements(f"its result {node.output!r}", self.model.types[node.output])
        views, broadcast, result = self._shapes(node)
        self.steps.begin(len(result))
        moves = function.results[0].kind == "input" and not function.requirements and len(function.inputs) == 1
        # A Cast between int8 and uint8 keeps all bits, but where both are types of the target it is no mere move.
        if moves and self.direction.carrier(source.sort).parts == self.direction.carrier(output).parts:
            assert node.inputs[0] is not None
            parts = [self._moved(node, wire, views[0], result) for wire in self._wires(node.inputs[0])]
            proof, bound = "moves elements only", None
        else:
            rule = self.direction.rule(source)
            operands = [self._operand(node, k, views[k], len(result)) for k in range(len(node.inputs))]
            parts = list(rule.apply(self.steps, source, operands))
            if broadcast != result:  # TOSA 0.23.0: the operands repeat into the result that the graph declares
                parts = [self.direction.expand(self.steps, part, result) for part in parts]
            proof, bound = self._proof(source), rule.bound(source)
            if (note := rule.note(source)) is not None:
                self.report.notes.append(f"{node.place}: {note}")
        self.report.steps.append(Step(node.place, source.label, tuple(self.steps.used), proof, bound))
        return tuple(parts)

    def _proof(self, source: Source) -> str:
        """How the rule is proven, looked up once for all nodes of a kind."""
        key = (source.label, *source.known.items())
        if key not in self.proofs:
            self.proofs[key] = proof_of(self.direction, source)
        return self.proofs[key]

    def _known(self, node: Node) -> dict[int, int | float]:
        """Operands of one number that the graph fixes, by index."""
        known = {}
        for k, tensor in enumerate(node.inputs):
            constant = self.model.constants.get(tensor or "")
            if constant is not None and node.operator.argument(k).use == "scalar" and constant.array.size == 1:
                known[k] = constant.array.item()
        return known

    def _fixed(self, node: Node) -> dict[int, Array]:
        """Operands that the graph fixes, by index."""
        constants = self.model.constants
        return {
            k: constants[name].array for k, name in enumerate(node.inputs) if name is not None and name in constants
        }

    def _shapes(self, node: Node) -> tuple[list[tuple[Any, ...] | None], tuple[Any, ...], tuple[Any, ...]]:
        """For each operand the shape that it is viewed in, what they broadcast to, and the result's shape.

        Names and None stand for open sizes.
        """
        shapes = [self.model.types[tensor].shape if tensor is not None else None for tensor in node.inputs]
        names = node.operator.argument_names(len(node.inputs))
        numbers = self._numbers(node)
        result = self.model.types[node.output].shape
        if result is None:
            raise Refused(self._unknown(node))
        given: list[Any] = []
        for k, tensor in enumerate(node.inputs):
            takes = tensor is not None and node.operator.takes_shape(k)
            given.append(shapes[k] if takes else None)
        if all(shape is None or all(isinstance(size, int) for size in shape) for shape in given):
            found = node.operator.shape(names, given, numbers)
            return list(found.operands), found.result, result
        if node.operator.shape is legacy_broadcast and node.attributes.get("axis") is not None:
            raise Refused(
                "axis places an operand of open sizes; give the shapes of the graph's inputs (shapes=, --shape)"
            )
        return given, result, result

    def _unknown(self, node: Node) -> str:
        """Why nobody knows the shape of a node's result."""
        types = {
            tensor: self.model.types[tensor]
            for k, tensor in enumerate(node.inputs)
            if tensor is not None and node.operator.takes_shape(k)
        }
        unknown = [repr(tensor) for tensor, kind in types.items() if kind.shape is None]
        still = [f"{tensor!r} ({kind})" for tensor, kind in types.items() if kind.known_shape is None]
        if unknown:
            reason = f"the rank of {' and '.join(unknown)} is unknown"
        else:
            reason = f"sizes are open in {' and '.join(still)}"
        return (
            f"{reason}, so the shape of {node.output!r} is unknown; "
            "give the shapes of the graph's inputs (shapes=, --shape)"
        )

    def _numbers(self, node: Node) -> dict[str, Any]:
        """The attributes, with the values of the operands that are read before a run."""
        numbers: dict[str, Any] = dict(node.attributes)
        names = node.operator.argument_names(len(node.inputs))
        for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
            if tensor is not None and node.operator.argument(k).use == "numbers":
                if tensor not in self.model.constants:
                    raise Refused(f"{name} is computed while the graph runs; a lowering needs it fixed")
                numbers[name] = tuple(int(item) for item in self.model.constants[tensor].array.ravel())
        return numbers

    def _operand(self, node: Node, k: int, view: tuple[Any, ...] | None, rank: int) -> tuple[Wire, ...] | None:
        tensor = node.inputs[k]
        if tensor is None:
            return None
        wires = self._wires(tensor)
        if node.operator.argument(k).use == "table":
            table = operand_sorts(node, self.model.types)[k]
            assert table is not None
            return tuple(replace(wire, sort=table) for wire in wires)
        if node.operator.argument(k).use != "elements":
            if self.direction.specification == "onnx" and rank == 0:
                return self._viewed(wires, tensor, (), 0)  # [1] would broadcast to rank 1
            return wires
        return self._viewed(wires, tensor, view, rank)

    def _viewed(
        self, wires: tuple[Wire, ...], tensor: str, view: tuple[Any, ...] | None, rank: int
    ) -> tuple[Wire, ...]:
        """An operand in the shape that the node sees it in, with leading ones where the target wants equal ranks."""
        have = self.model.types[tensor].shape
        wanted = have if view is None else view
        assert have is not None and wanted is not None
        if self.direction.specification == "tosa":
            wanted = (1,) * (rank - len(wanted)) + tuple(wanted)
        elif wanted == (1,) * (len(wanted) - len(have)) + have:
            wanted = have  # leading ones go without saying
        if wanted == have:
            return wires
        if tensor in self.model.constants:
            return self._reshaped_constant(tensor, wanted)
        return tuple(self._reshaped(wire, tensor, wanted) for wire in wires)

    def _reshaped_constant(self, tensor: str, shape: tuple[Any, ...]) -> tuple[Wire, ...]:
        """A constant of another shape, once for all nodes that see it so."""
        key = f"{tensor} as {text(shape)}"
        if key not in self.wires:
            constant = self.model.constants[tensor]
            carrier = self._carrier(f"constant {tensor!r}", constant.sort)
            arrays = carrier.encode(constant.array.reshape(shape))
            self.wires[key] = tuple(
                Wire(self.steps.builder.constant(array, sort), sort, len(shape))
                for array, sort in zip(arrays, carrier.parts, strict=True)
            )
        return self.wires[key]

    def _moved(self, node: Node, wire: Wire, view: tuple[Any, ...] | None, result: tuple[Any, ...]) -> Wire:
        """The operand of a node that only moves elements, in the result's shape."""
        tensor = node.inputs[0]
        assert tensor is not None
        have = self.model.types[tensor].shape
        assert have is not None
        view = have if view is None else view
        if view == have == result:
            return wire
        if not all(isinstance(size, int) for size in (*view, *result)):
            same = self.direction.respelt(self.steps, node.operator.name, wire, self._numbers(node))
            if same is not None:
                return replace(same, rank=len(result))
        if self.direction.specification == "tosa" and len(view) < len(result):
            view = (1,) * (len(result) - len(view)) + tuple(view)
        if view != have:
            wire = self._reshaped(wire, tensor, view)
        if view != result:
            self._closed(tensor, result)
            wire = self.direction.expand(self.steps, wire, result)
        return wire

    def _reshaped(self, wire: Wire, tensor: str, shape: tuple[Any, ...]) -> Wire:
        self._closed(tensor, shape)
        return self.direction.reshape(self.steps, wire, shape)

    def _closed(self, tensor: str, shape: tuple[Any, ...]) -> None:
        if not all(isinstance(size, int) for size in shape):
            raise Refused(
                f"tensor {tensor!r} has open sizes and must take shape {text(shape)}; "
                "give the shapes of the graph's inputs (shapes=, --shape)"
            )


def _names(
    name: str, carrier: Carrier, source: Collection[str], given: Mapping[str, tuple[Carrier, tuple[str, ...]]]
) -> tuple[str, ...]:
    """Names for the parts of an input or output, which no other one has in the source or in the target."""
    if len(carrier.parts) == 1:
        return (name,)
    taken = {*source, *(part for _, parts in given.values() for part in parts)}
    stems = chain([name], (f"{name}.{number}" for number in count(2)))
    return next(
        parts for stem in stems if taken.isdisjoint(parts := tuple(stem + suffix for suffix in carrier.suffixes))
    )


def _without_unused(model: Model) -> Model:
    """The graph without constants that nothing reads: numbers that became attributes, for example."""
    used = {tensor for node in model.nodes for tensor in node.inputs}
    used |= {output.tensor for output in model.outputs.values()}
    kept = {name: constant for name, constant in model.constants.items() if name in used}
    return replace(model, constants=kept).check()


def _title(model: Model) -> str:
    return f"ONNX opset {model.version}" if model.specification == "onnx" else f"TOSA {model.version}"


__all__ = ["ArraySort", "Lowered", "lower_graph", "with_shapes"]
