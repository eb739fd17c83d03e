"""A graph with fewer nodes: the same results and the same status for every run.

Nodes whose operands are constants are computed, nodes that give one of their operands back are left
out, and of equal nodes one remains. What may be left out is decided by the simplifier's rules, each
a theorem, on what nodes compute for an element. A node that can make a run unpredictable stays,
also where nobody reads its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import from_patterns, patterns
from lanewise.engines.simplify import Simplifier, rule_book
from lanewise.graph.check import traced_sorts
from lanewise.graph.model import Constant, Model, Node, Output
from lanewise.graph.run import Status
from lanewise.language import nodes
from lanewise.language.errors import LanewiseError
from lanewise.language.nodes import TRUE, postorder
from lanewise.language.shapes import BROADCASTING
from lanewise.language.sorts import AnySort, Sort, carrier
from lanewise.language.words import Value
from lanewise.lowering.arguments import check_graph
from lanewise.operators import catalogue

Array = np.ndarray[Any, Any]

LARGEST = 1 << 16  # elements of a computed constant, if its operands have no more
BY_ORACLE = 1 << 12  # elements up to which the oracle is faster than compiling
LONGEST = 64  # nodes of an expression that is looked through
INEXACT = "fpow"  # engines may differ in its last place, so it is left to the run


def simplify(model: Model) -> Model:
    """The graph without what does not matter: inputs, outputs and every run's status stay."""
    check_graph(model, "simplify")
    return _Simplification(model).result()


@dataclass(frozen=True)
class _Element:
    """What an element of a tensor is: an expression over tensors, and which nodes could make it unpredictable."""

    expression: nodes.Node
    doubts: frozenset[str]  # outputs of nodes whose requirements are not known to hold


class _Simplification:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.constants = dict(model.constants)
        self.kept: list[Node] = []
        self.alias: dict[str, str] = {}  # a tensor that is another one
        self.elements: dict[str, _Element] = {}
        self.leaves: list[tuple[str, AnySort]] = []
        self.index: dict[tuple[str, AnySort], int] = {}
        self.seen: dict[Any, str] = {}  # nodes by what they do
        self.known: dict[Any, str] = {}  # tensors by what their elements are
        self.harmless: set[str] = set()  # outputs of nodes that can never be unpredictable, nor an error

    def result(self) -> Model:
        for node in self.model.nodes:
            self._visit(replace(node, inputs=tuple(self._known_as(tensor) for tensor in node.inputs)))
        outputs = {name: Output(str(self._known_as(o.tensor)), o.declared) for name, o in self.model.outputs.items()}
        kept = self._needed({output.tensor for output in outputs.values()})
        used = {tensor for node in kept for tensor in node.inputs} | {output.tensor for output in outputs.values()}
        constants = {name: constant for name, constant in self.constants.items() if name in used}
        there = {*self.model.inputs, *constants, *(node.output for node in kept)}
        declared = {name: kind for name, kind in self.model.declared.items() if name in there}
        return replace(
            self.model, outputs=outputs, constants=constants, nodes=tuple(kept), declared=declared, types={}
        ).check()

    def _known_as(self, tensor: str | None) -> str | None:
        return self.alias.get(tensor, tensor) if tensor is not None else None

    def _needed(self, wanted: set[str]) -> list[Node]:
        """The nodes that an output needs, and those that a run's status depends on."""
        kept = []
        for node in reversed(self.kept):
            if node.output in wanted or node.output not in self.harmless:
                kept.append(node)
                wanted |= {tensor for tensor in node.inputs if tensor is not None}
        return kept[::-1]

    # -- one node -------------------------------------------------------------------------

    def _visit(self, node: Node) -> None:
        if self._computed(node):
            return
        key = (node.operator, node.inputs, repr(sorted(node.attributes.items())), str(self.model.types[node.output]))
        if key in self.seen:
            self.alias[node.output] = self.seen[key]
            return
        result = self._result(node)
        if result is None:
            self.seen[key] = node.output
            self.kept.append(node)

    def _computed(self, node: Node) -> bool:
        """Whether the node became a constant: all its operands are, and every element has a result."""
        given = [tensor for tensor in node.inputs if tensor is not None]
        size = self._size(node.output)
        if not all(tensor in self.constants for tensor in given) or size is None:
            return False
        if size > max(LARGEST, *(self.constants[tensor].array.size for tensor in given)):
            return False
        if not self._may_be_constant(node.output) or self._uses(node, INEXACT):
            return False
        alone = replace(
            self.model,
            inputs={},
            outputs={"result": Output(node.output)},
            constants={tensor: self.constants[tensor] for tensor in given},
            nodes=(node,),
            declared={name: kind for name, kind in self.model.declared.items() if name == node.output},
            types={},
        ).check()
        outcome = alone.run({}, engine="exact" if size <= BY_ORACLE else "native", on_error="status")
        if outcome.status is not Status.VALID:
            return False
        self._becomes(node.output, outcome.outputs["result"])
        return True

    def _becomes(self, tensor: str, array: Array) -> None:
        sort = self.model.types[tensor].sort
        assert isinstance(sort, Sort)
        self.constants[tensor] = Constant(sort, array)

    def _result(self, node: Node) -> str | None:
        """The tensor that a node's result is, if it is one that is there already, or became a constant."""
        operator, types = node.operator, self.model.types
        output = types[node.output].sort
        assert isinstance(output, Sort)
        if self._size(node.output) is None or any(
            self._size(tensor) is None for tensor in node.inputs if tensor is not None
        ):
            return None  # what the shapes are, and whether they fit, only a run shows
        sorts = traced_sorts(node, types)
        known = {k: value for k, sort in enumerate(sorts) if (value := self._uniform(node, k, sort)) is not None}
        function = operator.function(sorts, output, node.attributes, known)
        used = [k for k, sort in enumerate(sorts) if sort is not None and k not in known]
        in_place = operator.shape in BROADCASTING
        operands = [self._element(node, k, sorts[k], look_through=in_place) for k in used]
        change = {
            nodes.node("input", data=position, sort=carrier(sort)): element.expression
            for position, (sort, element) in enumerate(zip(function.inputs, operands, strict=True))
        }
        conditions = [requirement.condition for requirement in function.requirements]
        roots = nodes.rewrite([*function.results, *conditions], change)
        expression, *conditions = Simplifier(rule_book()).rewrite(roots)
        sure = all(condition is TRUE for condition in conditions)
        doubts = frozenset().union(*(element.doubts for element in operands))
        if sure:
            self.harmless.add(node.output)
            found = self._there(node, expression, doubts, moves_only=not in_place)
            if found is not None:
                return found
        if sure and in_place and sum(1 for _ in postorder([expression])) <= LONGEST:
            self.elements[node.output] = _Element(expression, doubts)
        else:
            self._leaf(node.output, output, doubts if sure else doubts | {node.output})
        return None

    def _there(self, node: Node, expression: nodes.Node, doubts: frozenset[str], *, moves_only: bool) -> str | None:
        """A tensor with these elements that is as unpredictable as the node's result, and no more."""
        kind = self.model.types[node.output]
        if expression.kind == "input":
            assert expression.data is not None
            tensor, sort = self.leaves[expression.data]
            same = sort == kind.sort and self._shape(tensor) == kind.shape
            if same and self._doubts(tensor) == doubts:
                self.alias[node.output] = tensor
                return tensor
        if not moves_only:
            tensor = self.known.setdefault((expression, str(kind), doubts), node.output)
            if tensor != node.output:
                self.alias[node.output] = tensor
                return tensor
        size = self._size(node.output)
        small = size is not None and size <= LARGEST
        if (
            expression.kind == "const"
            and not doubts
            and small
            and not moves_only
            and self._may_be_constant(node.output)
        ):
            assert isinstance(kind.sort, Sort) and expression.data is not None and kind.known_shape is not None
            one = from_patterns([expression.data], kind.sort)
            self._becomes(node.output, np.full(kind.known_shape, one[0], one.dtype))
            return node.output
        return None

    # -- tensors --------------------------------------------------------------------------

    def _shape(self, tensor: str) -> tuple[Any, ...] | None:
        return self.model.types[tensor].shape

    def _size(self, tensor: str) -> int | None:
        shape = self.model.types[tensor].known_shape
        return None if shape is None else prod(shape)

    def _doubts(self, tensor: str) -> frozenset[str]:
        found = self.elements.get(tensor)
        return frozenset() if found is None else found.doubts

    def _leaf(self, tensor: str, sort: AnySort, doubts: frozenset[str]) -> _Element:
        """The tensor's elements as they are."""
        key = tensor, sort
        if key not in self.index:
            self.index[key] = len(self.leaves)
            self.leaves.append(key)
        made = _Element(nodes.node("input", data=self.index[key], sort=carrier(sort)), doubts)
        self.elements.setdefault(tensor, made)
        return made

    def _element(self, node: Node, k: int, sort: AnySort | None, *, look_through: bool) -> _Element:
        """An operand's elements: an expression that can be looked through, or the tensor's own."""
        tensor = node.inputs[k]
        assert tensor is not None and sort is not None
        found = self.elements.get(tensor)
        if found is not None and look_through and node.operator.argument(k).use == "elements":
            return found
        return self._leaf(tensor, sort, self._doubts(tensor))

    def _uniform(self, node: Node, k: int, sort: AnySort | None) -> Value | None:
        """The number that all elements of a constant operand are."""
        constant = self.constants.get(node.inputs[k] or "")
        if constant is None or constant.sort != sort or not constant.array.size:
            return None
        if node.operator.argument(k).use not in ("elements", "scalar", "channel"):
            return None
        flat = np.ascontiguousarray(constant.array).reshape(-1)
        bits = flat.view(np.dtype(f"u{flat.itemsize}"))
        if not (bits == bits[0]).all():
            return None
        (pattern,) = patterns(flat[:1], constant.sort)
        word = carrier(constant.sort)
        assert isinstance(word, Sort)
        return Value(nodes.constant(pattern, word), constant.sort)

    def _may_be_constant(self, tensor: str) -> bool:
        """Whether the specification has constants of the tensor's type (in the profile, if one is asked for)."""
        sort = self.model.types[tensor].sort
        assert isinstance(sort, Sort)
        return _has_constants(self.model, sort)

    def _uses(self, node: Node, kind: str) -> bool:
        sorts: Sequence[AnySort | None] = traced_sorts(node, self.model.types)
        output = self.model.types[node.output].sort
        assert isinstance(output, Sort)
        function = node.operator.function(sorts, output, node.attributes)
        return any(current.kind == kind for current in postorder(function.results))


def _has_constants(model: Model, sort: Sort) -> bool:
    if model.specification == "onnx":
        return True  # an initialiser may have any type
    try:
        catalogue.find("tosa", "CONST", model.version).row((), {}, model.profile, output=sort)
    except LanewiseError:
        return False
    return True


__all__ = ["simplify"]
