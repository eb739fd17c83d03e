"""What a plan is made of: tensors in memory, values that are expressions over them, loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lanewise.graph.model import Node
from lanewise.language import nodes
from lanewise.language.sorts import AnySort, Sort, boolean
from lanewise.language.words import Function, Requirement

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Leaf:
    """A tensor in memory as an operand: viewed in a shape, then broadcast."""

    tensor: str
    view: Shape | None  # None for a table
    sort: AnySort
    level: int  # how many loops run before it is there
    mask: bool = False  # the tensor's record of unpredictable elements, not its values


@dataclass(frozen=True)
class Origin:
    """Whose requirement it is, the shape of its elements, and the operands to report."""

    node: Node
    reason: str
    operands: tuple[tuple[str, nodes.Node], ...]
    shape: Shape


@dataclass
class Virtual:
    """A value that is an expression over leaves, in the loop of its shape."""

    name: str
    shape: Shape
    sort: Sort
    expression: nodes.Node
    mask: nodes.Node
    leaves: frozenset[int]
    level: int
    size: int


@dataclass
class Stored:
    """A value in memory (an input, a constant, or the result of an earlier loop), possibly viewed."""

    leaf: Leaf
    shape: Shape  # what it broadcasts to
    mask: Leaf | None = None


@dataclass
class Loop:
    """One function to run over one shape: what it reads, writes and checks."""

    shape: Shape
    level: int
    results: list[tuple[str, Sort, nodes.Node]] = field(default_factory=list)
    requirements: list[tuple[Requirement, Origin]] = field(default_factory=list)
    function: Function | None = None
    operands: list[Leaf] = field(default_factory=list)
    only_checks: bool = False

    def finish(self, leaves: Sequence[Leaf]) -> None:
        """Numbers the operands that are really used, and makes the function."""
        expressions = [expression for *_, expression in self.results]
        conditions = [requirement.condition for requirement, _ in self.requirements]
        self.only_checks = not self.results
        if self.only_checks:  # one throw-away result gives the loop its shape
            self.results.append(("", boolean, nodes.FALSE))
            expressions = [nodes.FALSE]
        reported = [operand for _, origin in self.requirements for _, operand in origin.operands]
        used = {n.data: n for n in nodes.postorder([*expressions, *conditions]) if n.kind == "input"}
        for operand in nodes.postorder(reported):
            if operand.kind == "input":
                used.setdefault(operand.data, operand)
        change = {}
        for position, index in enumerate(sorted(used, key=lambda i: -1 if i is None else i)):
            assert index is not None
            self.operands.append(leaves[index])
            change[used[index]] = nodes.node("input", data=position, sort=used[index].sort)
        rewritten = nodes.rewrite([*expressions, *conditions, *reported], change)
        results, rest = rewritten[: len(expressions)], rewritten[len(expressions) :]
        made = [
            Requirement(condition, requirement.reason)
            for condition, (requirement, _) in zip(rest, self.requirements, strict=False)
        ]
        new_reported = iter(rest[len(conditions) :])
        self.requirements = [
            (
                requirement,
                replace(origin, operands=tuple((n, next(new_reported)) for n, _ in origin.operands)),
            )
            for requirement, (_, origin) in zip(made, self.requirements, strict=True)
        ]
        self.function = Function(
            tuple(leaf.sort for leaf in self.operands),
            tuple(sort for _, sort, _ in self.results),
            tuple(results),
            tuple(made),
        )


@dataclass
class Plan:
    loops: list[Loop]
    outputs: dict[str, Stored]
    stored_bytes: int  # results and intermediate tensors of all loops, and outputs that are views until the end
    groups: list[Any] | None = None  # of loops that run block by block: see `blocks`
