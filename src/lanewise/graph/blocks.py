"""Loops of one shape that hand each other tensors, run block by block: what lies between them is never there whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.arrays import Array
from lanewise.graph.loops import Leaf, Loop, Plan, Stored
from lanewise.graph.plan import mask_name
from lanewise.language.sorts import ArraySort

BLOCK = 1 << 16  # elements: a few blocks of a few bytes an element stay in cache
LEAST = 1 << 20  # bytes between loops from which it is worth the trouble


class Group:
    """Loops one after another of one shape, and the tensors that only they know."""

    def __init__(self, first: Loop) -> None:
        self.shape = first.shape
        self.loops = [first]
        self.inner: set[str] = set()

    def takes(self, loop: Loop) -> bool:
        """Whether a loop may run beside the others, block by block: all is made of elements, and seen in this shape."""
        if not all(_is_of_elements(other) for other in (*self.loops, loop)):
            return False
        made = {name for other in self.loops for name, *_ in other.results}
        return loop.shape == self.shape and all(
            leaf.view == self.shape or _tensor(leaf) not in made for leaf in loop.operands
        )

    @property
    def bytes_between(self) -> int:
        return sum(
            prod(self.shape) * dtype_of(sort).itemsize
            for loop in self.loops
            for name, sort, _ in loop.results
            if name in self.inner
        )


def _is_of_elements(loop: Loop) -> bool:
    return bool(loop.operands) and not any(isinstance(leaf.sort, ArraySort) for leaf in loop.operands)


def _tensor(leaf: Leaf) -> str:
    return mask_name(leaf.tensor) if leaf.mask else leaf.tensor


def grouped(plan: Plan) -> list[Group]:
    """The plan's loops in order; those that are worth it in one group."""
    if plan.groups is None:
        plan.groups = _grouped(plan)
    found: list[Group] = plan.groups
    return found


def _grouped(plan: Plan) -> list[Group]:
    groups: list[Group] = []
    for loop in plan.loops:
        if groups and groups[-1].takes(loop):
            groups[-1].loops.append(loop)
        else:
            groups.append(Group(loop))
    kept = {leaf_name for stored in plan.outputs.values() for leaf_name in _names(stored)}
    result: list[Group] = []
    for group in groups:
        elsewhere = {
            _tensor(leaf) for other in groups if other is not group for loop in other.loops for leaf in loop.operands
        }
        made = {name for loop in group.loops for name, *_ in loop.results if name}
        group.inner = made - kept - elsewhere
        if group.bytes_between >= LEAST:
            result.append(group)
        else:
            result += [Group(loop) for loop in group.loops]
    return result


def _names(stored: Stored) -> Iterator[str]:
    yield stored.leaf.tensor
    if stored.mask is not None:
        yield _tensor(stored.mask)


def run_group(
    group: Group,
    operands: Mapping[str, Array],
    results: Mapping[str, Array],
    make_kernel: Callable[[Any], Any],
    each: Callable[[Sequence[Any], Callable[[Any], None]], None],
) -> bool:
    """Fills `results`, the tensors that others need; whether a requirement failed. `operands` by name and view."""
    shape = group.shape
    whole = [*operands.values(), *results.values()]
    flat = all(array.size == 1 or (array.shape == shape and array.flags.c_contiguous) for array in whole)

    def seen(array: Array) -> Array:
        return array.reshape(-1 if array.shape == shape else ()) if flat else array

    given = {key: seen(array) for key, array in operands.items()}
    made = {name: seen(array) for name, array in results.items()}
    length, row = (prod(shape), 1) if flat else (shape[0], prod(shape[1:]))
    rank = 1 if flat else len(shape)
    step = max(1, BLOCK // max(row, 1))
    kernels = [make_kernel(loop.function) for loop in group.loops]
    failed: list[bool] = []

    def part(array: Array, start: int) -> Array:
        return array if array.ndim < rank or array.shape[0] == 1 else array[start : start + step]

    def work(start: int) -> None:
        size = min(step, length - start)
        block = (size,) if flat else (size, *shape[1:])
        between: dict[str, Array] = {}
        for loop, kernel in zip(group.loops, kernels, strict=True):
            taken = [
                between[name] if (name := _tensor(leaf)) in between else part(given[key_of(leaf)], start)
                for leaf in loop.operands
            ]
            outs = []
            for name, sort, _ in loop.results:
                outs.append(part(made[name], start) if name in made else np.empty(block, dtype_of(sort)))
                between[name] = outs[-1]
            if kernel(taken, block, outs)[1]:
                failed.append(True)

    each(range(0, length, step), work)
    return bool(failed)


def key_of(leaf: Leaf) -> str:
    """Tensors may be seen in several views: each has its own entry among the operands."""
    return f"{_tensor(leaf)}\0{leaf.view}"


def outer_operands(group: Group) -> Iterator[Leaf]:
    """The operands that the group does not make itself."""
    made = {name for loop in group.loops for name, *_ in loop.results}
    for loop in group.loops:
        yield from (leaf for leaf in loop.operands if _tensor(leaf) not in made)
