"""From a graph and its input shapes to a few loops.

Nodes of one shape are fused into one function; a node of another shape (it broadcasts into its
user, or is reshaped) is computed once, into a tensor of its own (of a large one, `blocks` keeps a
block at a time). Scalars that the graph fixes become constants of the function. All of this happens
once for each set of input shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import prod
from typing import Any

from lanewise.engines.storage import dtype_of
from lanewise.graph.check import known_operands, traced_sorts
from lanewise.graph.loops import Leaf, Loop, Origin, Plan, Shape, Stored, Virtual
from lanewise.graph.model import Model, Node
from lanewise.language import nodes
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import AnySort, ArraySort, Sort, boolean, carrier
from lanewise.language.words import Function, Requirement, Value

MAX_LEAVES = 24  # operands of one loop; a ufunc takes 64, results and masks included
MAX_NODES = 512  # expression nodes of one loop; beyond, compiling takes longer than it saves

FIXED = ("elements", "scalar", "channel")  # the uses of operands that may become constants


class Planner:
    """Walks the nodes once. `shapes` are the inputs', `numbers` the values of operands read in advance.

    `inline` names parts of smaller shape to compute where they are used, for every element.
    """

    def __init__(
        self,
        model: Model,
        shapes: Mapping[str, Shape],
        numbers: Mapping[str, tuple[int, ...]],
        masks: bool,
        fuse: bool,
        inline: Set[str] = frozenset(),
    ) -> None:
        self.model = model
        self.types = dict(model.types)
        self.numbers = numbers
        self.masks = masks
        self.fuse = fuse
        self.inline = inline
        self.leaves: list[Leaf] = []
        self._leaf_index: dict[Leaf, int] = {}
        self.values: dict[str, Virtual | Stored] = {}
        self.roots: dict[str, Virtual] = {}  # virtual values that must be in memory
        self.checks: list[tuple[Shape, int, Requirement, Origin, frozenset[int]]] = []
        for name, kind in model.inputs.items():
            self.values[name] = Stored(Leaf(name, shapes[name], kind.sort, 0), shapes[name])
        for name, constant in model.constants.items():
            shape = constant.array.shape
            self.values[name] = Stored(Leaf(name, shape, constant.sort, 0), shape)

    def plan(self) -> Plan:
        for node in self.model.nodes:
            self.values[node.output] = self._node(node)
        outputs = {name: self._in_memory(output.tensor) for name, output in self.model.outputs.items()}
        loops = self._loops()
        total = sum(
            prod(loop.shape) * dtype_of(sort).itemsize
            for loop in loops
            for _, sort, _ in (() if loop.only_checks else loop.results)
        )
        for stored in outputs.values():
            if stored.leaf.level == 0 or stored.leaf.view != stored.shape:  # written out when the run ends
                total += prod(stored.shape) * dtype_of(stored.leaf.sort).itemsize
        return Plan(loops, outputs, total)

    # -- one node -----------------------------------------------------------------------

    def _node(self, node: Node) -> Virtual | Stored:
        if node.operator.variadic and len(node.inputs) > MAX_LEAVES:
            # A variadic operator folds its operands from the left, so a part may come first.
            part = replace(node, inputs=node.inputs[:MAX_LEAVES], output=f"{node.output}\0{len(node.inputs)}")
            self.types[part.output] = self.types[node.output]
            self.values[part.output] = self._node(part)
            return self._node(replace(node, inputs=(part.output, *node.inputs[MAX_LEAVES:])))
        operator = node.operator
        names = operator.argument_names(len(node.inputs))
        operand_shapes: list[Shape | None] = []
        numbers: dict[str, Any] = dict(node.attributes)
        for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
            use = operator.argument(k).use
            if use == "numbers" and tensor is not None:
                numbers[name] = self.numbers[tensor]
            takes = tensor is not None and operator.takes_shape(k)
            operand_shapes.append(self.values[tensor].shape if takes and tensor is not None else None)
        try:
            for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
                if tensor is not None:
                    operator.check_shape(k, name, self.values[tensor].shape)
        except InvalidError as error:
            raise InvalidError(f"{self.model.source}, {node.place}: {error}") from None
        try:
            shapes = operator.shape(names, operand_shapes, numbers)
        except InvalidError as error:
            raise InvalidError(f"{self.model.source}, {node.place}: {operator.label}: {error}") from None
        checked = self.types[node.output].known_shape
        if self.model.version == "0.23.0" and checked is not None and checked != shapes.result:
            shapes = shapes._replace(result=checked)  # the operands repeat into a larger result (T3)
        types = traced_sorts(node, self.types)
        # Operands of one element that the graph fixes become constants of the function.
        known = known_operands(self.model, node, types, FIXED if self.fuse else ("scalar",))
        output = self.types[node.output].sort
        assert isinstance(output, Sort)
        function = operator.function(types, output, node.attributes, known)
        if function.results[0].kind == "input" and not function.requirements and function.inputs == (output,):
            moved = self._moved(node, shapes.result, shapes.operands)
            if moved is not None:
                return moved
        return self._fused(node, names, function, known, types, shapes.result, shapes.operands)

    def _moved(self, node: Node, shape: Shape, views: Sequence[Shape | None]) -> Virtual | Stored | None:
        """A node that only moves elements needs no loop: a view, if its operand is (or gets) in memory."""
        tensor, view = node.inputs[0], views[0]
        assert tensor is not None
        value = self.values[tensor]
        if isinstance(value, Virtual) and value.shape == shape == view:
            return value
        if isinstance(value, Virtual) and view == shape and self.fuse and prod(shape) == prod(value.shape):
            viewed = self._viewed(node.output, value, shape)
            if viewed is not None:
                return viewed
        stored = self._in_memory(tensor)
        if view is None or prod(view) != prod(stored.leaf.view or ()) or stored.leaf.view != stored.shape:
            if stored.shape != view:
                return None
            view = stored.leaf.view
        leaf = Leaf(stored.leaf.tensor, view, stored.leaf.sort, stored.leaf.level)
        mask = stored.mask and Leaf(stored.mask.tensor, view, boolean, stored.mask.level, mask=True)
        return Stored(leaf, shape, mask)

    def _viewed(self, name: str, value: Virtual, shape: Shape) -> Virtual | None:
        """A value that is not in memory in another shape, if all that it is computed from can be seen so."""
        change: dict[nodes.Node, nodes.Node] = {}
        seen: dict[int, int] = {}
        for index in value.leaves:
            leaf = self.leaves[index]
            if leaf.view == value.shape:
                leaf = replace(leaf, view=shape)
            elif leaf.view is not None:  # tables have no shape
                if prod(leaf.view) != 1:
                    return None
                leaf = replace(leaf, view=())
            sort = carrier(leaf.sort)
            seen[index] = self._index(leaf)
            change[nodes.node("input", data=index, sort=sort)] = nodes.node("input", data=seen[index], sort=sort)
        # What must be checked on the way is checked in the same loop.
        for k, (check_shape, level, requirement, origin, leaves) in enumerate(self.checks):
            if check_shape == value.shape and leaves <= value.leaves:
                names, operands = [n for n, _ in origin.operands], [operand for _, operand in origin.operands]
                condition, *operands = nodes.rewrite([requirement.condition, *operands], change)
                moved = replace(origin, operands=tuple(zip(names, operands, strict=True)))
                found = frozenset(seen[index] for index in leaves)
                self.checks[k] = (shape, level, Requirement(condition, requirement.reason), moved, found)
        expression, mask = nodes.rewrite([value.expression, value.mask], change)
        return Virtual(name, shape, value.sort, expression, mask, frozenset(seen.values()), value.level, value.size)

    def _fused(
        self,
        node: Node,
        names: Sequence[str],
        function: Function,
        known: Mapping[int, Value],
        types: Sequence[AnySort | None],
        shape: Shape,
        views: Sequence[Shape | None],
    ) -> Virtual:
        used = [k for k, sort in enumerate(types) if sort is not None and k not in known and node.inputs[k] is not None]
        parts = self._operands(node, used, shape, views)
        change = {
            nodes.node("input", data=position, sort=carrier(sort)): expression
            for position, (sort, (expression, *_)) in enumerate(zip(function.inputs, parts, strict=True))
        }
        conditions = [requirement.condition for requirement in function.requirements]
        result, *conditions = nodes.rewrite([*function.results, *conditions], change)
        leaves = frozenset().union(*(found for _, _, found, _ in parts))
        level = max((level for *_, level in parts), default=0)
        reported = tuple(
            (names[k], expression)
            for k, (expression, *_) in zip(used, parts, strict=True)
            if not isinstance(types[k], ArraySort)
        )
        fixed = tuple((names[k], value.node) for k, value in known.items())
        mask = nodes.FALSE
        for _, operand_mask, *_ in parts:
            mask = _either(mask, operand_mask)
        for requirement, condition in zip(function.requirements, conditions, strict=True):
            origin = Origin(node, requirement.reason, (*reported, *fixed), shape)
            self.checks.append((shape, level, Requirement(condition, requirement.reason), origin, leaves))
            if self.masks:
                mask = _either(mask, nodes.node("not", condition))
        sort = function.outputs[0]
        size = sum(1 for _ in nodes.postorder([result, mask, *conditions]))
        return Virtual(node.output, shape, sort, result, mask, leaves, level, size)

    def _operands(
        self, node: Node, used: Sequence[int], shape: Shape, views: Sequence[Shape | None]
    ) -> list[tuple[nodes.Node, nodes.Node, frozenset[int], int]]:
        """For each operand: its expression, its mask, its leaves and its level."""
        tensors = [str(node.inputs[k]) for k in used]
        inline = [self._inlined(self.values[tensor], shape, views[k]) for k, tensor in zip(used, tensors, strict=True)]
        virtual = [self.values[tensor] for tensor, fits in zip(tensors, inline, strict=True) if fits]
        leaves = frozenset().union(*(value.leaves for value in virtual if isinstance(value, Virtual)))
        size = sum(value.size for value in virtual if isinstance(value, Virtual))
        if len(leaves) + inline.count(False) > MAX_LEAVES or size > MAX_NODES:
            inline = [False] * len(used)
        parts = []
        for k, tensor, fits in zip(used, tensors, inline, strict=True):
            value = self.values[tensor]
            if fits and isinstance(value, Virtual):
                parts.append((value.expression, value.mask, value.leaves, value.level))
                continue
            stored = self._in_memory(tensor)
            parts.append(self._read(node, k, stored, views[k]))
        return parts

    def _inlined(self, value: Virtual | Stored, shape: Shape, view: Shape | None) -> bool:
        """Whether a value is computed where it is used: of the same shape, or of a smaller one if it must be."""
        if not (self.fuse and isinstance(value, Virtual) and value.shape == view):
            return False
        return view == shape or value.name in self.inline

    def _read(
        self, node: Node, k: int, stored: Stored, view: Shape | None
    ) -> tuple[nodes.Node, nodes.Node, frozenset[int], int]:
        use = node.operator.argument(k).use
        sort: AnySort = stored.leaf.sort
        if use == "table":
            assert isinstance(sort, Sort)
            sort, view = ArraySort(sort, stored.shape[0]), None
        elif use in ("scalar", "channel"):
            sort = traced_sorts(node, self.types)[k] or sort
            view = view if view is not None else ()
        elif view == stored.shape:
            view = stored.leaf.view  # broadcasting twice is broadcasting once
        elif stored.leaf.view != stored.shape:
            # Seen in a shape that broadcasting has already changed: NumPy's view cannot say that.
            stored = self._copied(stored)
        leaf = Leaf(stored.leaf.tensor, view, sort, stored.leaf.level)
        index = self._index(leaf)
        found = {index}
        mask = nodes.FALSE
        if stored.mask is not None and use != "table":
            masked = Leaf(stored.mask.tensor, view, boolean, stored.mask.level, mask=True)
            found.add(self._index(masked))
            mask = nodes.node("input", data=self._index(masked), sort=boolean)
        expression = nodes.node("input", data=index, sort=carrier(sort))
        return expression, mask, frozenset(found), leaf.level

    def _copied(self, stored: Stored) -> Stored:
        """A broadcast view written out in full, so that it can be reshaped."""
        name = f"{stored.leaf.tensor} as {stored.shape}"
        sort = stored.leaf.sort
        assert isinstance(sort, Sort)
        if name not in self.values:
            index = self._index(stored.leaf)
            expression = nodes.node("input", data=index, sort=carrier(sort))
            mask, leaves = nodes.FALSE, {index}
            if stored.mask is not None:
                leaves.add(self._index(stored.mask))
                mask = nodes.node("input", data=self._index(stored.mask), sort=boolean)
            self.values[name] = Virtual(
                name, stored.shape, sort, expression, mask, frozenset(leaves), stored.leaf.level, 1
            )
        return self._in_memory(name)

    def _index(self, leaf: Leaf) -> int:
        index = self._leaf_index.get(leaf)
        if index is None:
            index = self._leaf_index[leaf] = len(self.leaves)
            self.leaves.append(leaf)
        return index

    def _in_memory(self, name: str) -> Stored:
        value = self.values[name]
        if isinstance(value, Stored):
            return value
        self.roots[value.name] = value
        level = value.level + 1
        mask = None
        if self.masks and value.mask is not nodes.FALSE:
            mask = Leaf(value.name, value.shape, boolean, level, mask=True)
        return Stored(Leaf(value.name, value.shape, value.sort, level), value.shape, mask)

    # -- loops --------------------------------------------------------------------------

    def _loops(self) -> list[Loop]:
        """Groups what must be computed by shape and level; splits groups with too many operands."""
        loops: list[Loop] = []
        open_loops: dict[tuple[Shape, int], tuple[Loop, set[int]]] = {}

        def loop_for(shape: Shape, level: int, leaves: frozenset[int]) -> Loop:
            found = open_loops.get((shape, level)) if self.fuse else None
            if found is not None and len(found[1] | leaves) <= MAX_LEAVES and len(found[0].results) < 8:
                found[1].update(leaves)
                return found[0]
            made = Loop(shape, level)
            loops.append(made)
            open_loops[shape, level] = (made, set(leaves))
            return made

        for value in self.roots.values():
            loop = loop_for(value.shape, value.level, value.leaves)
            loop.results.append((value.name, value.sort, value.expression))
            if self.masks and value.mask is not nodes.FALSE:
                loop.results.append((mask_name(value.name), boolean, value.mask))
        for shape, level, requirement, origin, leaves in self.checks:
            loop_for(shape, level, leaves).requirements.append((requirement, origin))
        for loop in loops:
            loop.finish(self.leaves)
        return sorted(loops, key=lambda loop: loop.level)


def mask_name(tensor: str) -> str:
    """The name under which a run keeps which elements of a tensor are unpredictable."""
    return f"{tensor}\0unpredictable"


def _either(a: nodes.Node, b: nodes.Node) -> nodes.Node:
    if a is nodes.FALSE or a is b:
        return b
    return a if b is nodes.FALSE else nodes.node("or", a, b)
