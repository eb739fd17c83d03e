"""Loops that hand each other tensors, run block by block: what lies between them is never there whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.arrays import Array
from lanewise.graph.loops import Leaf, Loop, Plan, Shape, Stored
from lanewise.graph.model import Model
from lanewise.graph.plan import Planner, mask_name
from lanewise.language import nodes
from lanewise.language.sorts import ArraySort, Sort, boolean
from lanewise.language.words import Function

BLOCK = 1 << 17  # elements of a tensor between two loops: a few blocks of a few bytes an element stay in cache
ONE_BLOCK = 1 << 20  # elements that are looked at in one go: their verdicts take a byte each
LEAST = 1 << 20  # bytes between loops from which it is worth the trouble
MAX_PART = 8 << 20  # bytes of a part of smaller shape that is stored where blocks do not help


class Group:
    """Loops that run together, block by block, and the tensors that only they know.

    Their shapes broadcast to the group's. It is cut only along axes that all of them have, so that
    every block of every loop is computed once.
    """

    def __init__(self, loops: Sequence[Loop], passed: frozenset[Shape] = frozenset()) -> None:
        self.loops = list(loops)
        self.shapes = {loop.shape for loop in loops}
        self.shape = max(self.shapes, key=lambda shape: (prod(shape), len(shape)))
        # The shapes of tensors that one loop makes and another, or nobody, reads.
        self.passed = passed | {loop.shape for loop in loops if loop.only_checks}
        self.inner: set[str] = set()

    @property
    def shapes_between(self) -> set[Shape]:
        """The shapes of what is computed in buffers, throw-away results included."""
        return {loop.shape for loop in self.loops for name, *_ in loop.results if not name or name in self.inner}

    @property
    def made(self) -> dict[str, Shape]:
        return {name: loop.shape for loop in self.loops for name, *_ in loop.results if name}

    def with_users(self, users: Group) -> Group | None:
        """This group and one that reads its tensors as one group; None if they cannot share blocks."""
        made = self.made
        read = [leaf for loop in users.loops for leaf in loop.operands if _tensor(leaf) in made]
        if not all(_is_of_elements(loop) for loop in (*self.loops, *users.loops)):
            return None
        if any(isinstance(leaf.sort, ArraySort) or leaf.view != made[_tensor(leaf)] for leaf in read):
            return None
        if self.shapes != users.shapes and _bytes(self, {_tensor(leaf) for leaf in read}) < LEAST:
            return None
        passed = self.passed | users.passed | {made[_tensor(leaf)] for leaf in read}
        joined = Group([*self.loops, *users.loops], passed)
        if any(_broadcast(shape, joined.shape) != joined.shape for shape in joined.shapes):
            return None
        steps = block_of(joined.shape, joined.shapes, passed, BLOCK)
        return joined if _most(steps, passed) <= BLOCK else None


def _is_of_elements(loop: Loop) -> bool:
    """Whether something varies from element to element, so that a block needs blocks of operands."""
    return any(not isinstance(leaf.sort, ArraySort) for leaf in loop.operands)


def _tensor(leaf: Leaf) -> str:
    return mask_name(leaf.tensor) if leaf.mask else leaf.tensor


def _bytes(group: Group, names: set[str]) -> int:
    return sum(
        prod(loop.shape) * dtype_of(sort).itemsize
        for loop in group.loops
        for name, sort, _ in loop.results
        if name in names
    )


def _broadcast(one: Shape, other: Shape) -> Shape | None:
    try:
        return np.broadcast_shapes(one, other)
    except ValueError:
        return None


def _aligned(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + shape


def _most(block: Shape, passed: frozenset[Shape]) -> int:
    """The elements in a block of the largest tensor between the loops."""
    return max((prod(map(min, block, _aligned(shape, len(block)))) for shape in passed), default=0)


def block_of(shape: Shape, shapes: set[Shape], passed: frozenset[Shape], limit: int) -> Shape:
    """The shape of a block: the last axes whole, as long as tensors between the loops have at most `limit` elements."""
    block = list(shape)
    for axis, size in enumerate(shape):
        most = _most(tuple(block), passed)
        if most <= limit:
            break
        if size > 1 and all(_aligned(other, len(shape))[axis] == size for other in shapes):
            fitting = max(1, limit // (most // size))
            block[axis] = -(-size // -(-size // fitting))  # equal parts
    return tuple(block)


# -- which loops run together ---------------------------------------------------------------


def grouped(plan: Plan) -> list[Group]:
    """The plan's loops in groups, in an order in which they can run; those that blocks do not help stay alone."""
    if plan.groups is None:
        plan.groups = _grouped(plan)
    found: list[Group] = plan.groups
    return found


def _grouped(plan: Plan) -> list[Group]:
    place = {id(loop): k for k, loop in enumerate(plan.loops)}
    maker: dict[str, Group] = {}  # of each tensor
    needs: dict[Group, set[Group]] = {}  # the groups that must run before

    def merge(first: Group, second: Group, joined: Group) -> None:
        joined.loops.sort(key=lambda loop: place[id(loop)])
        needs[joined] = (needs.pop(first) | needs.pop(second)) - {first, second}
        for others in needs.values():
            if first in others or second in others:
                others -= {first, second}
                others.add(joined)
        maker.update(dict.fromkeys(joined.made, joined))

    for loop in plan.loops:
        group = Group([loop])
        read = {_tensor(leaf) for leaf in loop.operands}
        needs[group] = {maker[name] for name in read if name in maker}
        maker.update(dict.fromkeys(group.made, group))
        for source in sorted(needs[group], key=lambda g: (-_bytes(g, read), place[id(g.loops[0])])):
            if not _goes_round(source, group, needs):
                joined = source.with_users(group)
                if joined is not None:
                    merge(source, group, joined)
                    group = joined
    return _worthwhile(plan, _ordered(needs, place))


def _goes_round(source: Group, user: Group, needs: Mapping[Group, set[Group]]) -> bool:
    """Whether something else lies on the way from one group to the other, which could then not run in between."""
    waiting, seen = list(needs[user] - {source}), set()
    while waiting:
        group = waiting.pop()
        if group is source:
            return True
        if group not in seen:
            seen.add(group)
            waiting.extend(needs[group])
    return False


def _ordered(needs: Mapping[Group, set[Group]], place: Mapping[int, int]) -> list[Group]:
    order: list[Group] = []
    waiting = sorted(needs, key=lambda group: place[id(group.loops[0])])
    done: set[Group] = set()
    while waiting:
        ready = next(group for group in waiting if needs[group] <= done)
        waiting.remove(ready)
        done.add(ready)
        order.append(ready)
    return order


def _worthwhile(plan: Plan, groups: Sequence[Group]) -> list[Group]:
    """Groups whose loops hand each other enough; the loops of others run one by one."""
    kept = {name for stored in plan.outputs.values() for name in _names(stored)}
    readers: dict[str, set[Group]] = {}
    for group in groups:
        for loop in group.loops:
            for leaf in loop.operands:
                readers.setdefault(_tensor(leaf), set()).add(group)
    result: list[Group] = []
    for group in groups:
        group.inner = {name for name in group.made if name not in kept and readers.get(name, set()) <= {group}}
        if len(group.loops) > 1 and _bytes(group, group.inner) >= LEAST:
            result.append(group)
        else:
            result += [Group([loop]) for loop in group.loops]
    return result


def _names(stored: Stored) -> Iterator[str]:
    yield stored.leaf.tensor
    if stored.mask is not None:
        yield _tensor(stored.mask)


def planned(
    model: Model, shapes: Mapping[str, Shape], numbers: Mapping[str, tuple[int, ...]], masks: bool, fuse: bool
) -> Plan:
    """A plan that stores no large part of smaller shape: where blocks do not help, it is computed where it is used."""
    inline: set[str] = set()
    while True:
        plan = Planner(model, shapes, numbers, masks, fuse, inline).plan()
        more = _large_parts(plan) - inline if fuse else set()
        if not more:
            return plan
        inline |= more


def _large_parts(plan: Plan) -> set[str]:
    """Large tensors that only broadcast into others, and that would be stored although loops run in blocks."""
    kept = {name for stored in plan.outputs.values() for name in _names(stored)}
    shape_of = {name: loop.shape for loop in plan.loops for name, *_ in loop.results if name}
    broadcast = {
        _tensor(leaf) for loop in plan.loops for leaf in loop.operands if shape_of.get(_tensor(leaf)) != loop.shape
    }
    found: set[str] = set()
    for group in grouped(plan):
        for name in group.made.keys() - group.inner - kept:
            if name in broadcast and _bytes(group, {name}) > MAX_PART:
                found.add(name)
    return found


# -- running them ---------------------------------------------------------------------------


def run_group(
    group: Group,
    operands: Mapping[str, Array],
    results: Mapping[str, Array],
    make_kernel: Callable[[Any], Any],
    each: Callable[[Sequence[Any], Callable[[Any], None]], None],
) -> bool:
    """Fills `results`, the tensors that others need; whether a requirement failed. `operands` by `key_of`."""
    tables = {key_of(leaf) for leaf in outer_operands(group) if isinstance(leaf.sort, ArraySort)}
    whole = [*(array for key, array in operands.items() if key not in tables), *results.values()]
    flat = len(group.shapes) == 1 and all(
        array.size == 1 or (array.shape == group.shape and array.flags.c_contiguous) for array in whole
    )

    def seen(array: Array) -> Array:
        return array.reshape(-1 if array.shape == group.shape else ()) if flat else array

    def seen_shape(shape: Shape) -> Shape:
        return (prod(shape),) if flat else shape

    given = {key: array if key in tables else seen(array) for key, array in operands.items()}
    made = {name: seen(array) for name, array in results.items()}
    full = seen_shape(group.shape)
    rank = len(full)
    limit = BLOCK * 4 if all(loop.only_checks for loop in group.loops) else BLOCK  # verdicts take a byte each
    steps = block_of(full, set(map(seen_shape, group.shapes)), frozenset(map(seen_shape, group.passed)), limit)
    kernels = [make_kernel(loop.function) for loop in group.loops]
    over = _over(group)
    # What nobody reads here again need not be in the cache.
    read = {_tensor(leaf) for loop in group.loops for leaf in loop.operands}
    written = [
        min(results[name].nbytes if name in results and name not in read else 0 for name, *_ in loop.results)
        for loop in group.loops
    ]
    failed: list[bool] = []
    # Buffers go from block to block: fresh memory for each would cost a page fault every few elements.
    widest = max(dtype_of(sort).itemsize for loop in group.loops for _, sort, _ in loop.results)
    room = widest * max(prod(map(min, steps, _aligned(seen_shape(shape), rank))) for shape in group.shapes_between)
    buffers: list[Array] = []

    def fresh(shape: Shape, sort: Sort) -> tuple[Array, Array]:
        """A buffer, and the array that lies in it."""
        try:
            buffer = buffers.pop()
        except IndexError:
            buffer = np.empty(room, np.uint8)
        dtype = dtype_of(sort)
        return buffer, buffer[: prod(shape) * dtype.itemsize].view(dtype).reshape(shape)

    def part(array: Array, start: Shape) -> Array:
        skipped = rank - array.ndim
        return array[
            tuple(
                slice(None) if size == 1 else slice(at, at + step)
                for size, at, step in zip(array.shape, start[skipped:], steps[skipped:], strict=True)
            )
        ]

    def work(start: Shape) -> None:
        size = tuple(min(step, n - at) for n, at, step in zip(full, start, steps, strict=True))
        between: dict[str, Array] = {}
        held: dict[str, Array] = {}
        for position, (loop, kernel) in enumerate(zip(group.loops, kernels, strict=True)):
            taken = []
            for leaf in loop.operands:
                name, key = _tensor(leaf), key_of(leaf)
                if name in between:
                    taken.append(between[name])
                else:
                    taken.append(given[key] if key in tables else part(given[key], start))
            shape = seen_shape(loop.shape)
            block = tuple(map(min, size[rank - len(shape) :], shape))
            outs = []
            for name, sort, _ in loop.results:
                if name in made:
                    between[name] = part(made[name], start)
                else:
                    held[name], between[name] = fresh(block, sort)
                outs.append(between[name])
            if kernel.block(taken, outs, written[position]):
                failed.append(True)
            for name in over[position]:
                del between[name]
                if name in held:
                    buffers.append(held.pop(name))

    each(list(itertools.product(*(range(0, n, step) for n, step in zip(full, steps, strict=True)))), work)
    return bool(failed)


def breaks(
    function: Function, operands: Sequence[Array], shape: Shape, make_kernel: Callable[[Any], Any], native: bool
) -> bool:
    """Whether a requirement of a function from `checking` fails for some element; nothing large is stored."""
    if not native or prod(shape) <= ONE_BLOCK:
        broken: bool = make_kernel(function)(operands, shape)[1]
        return broken
    from lanewise.engines.native.threads import each

    loop = Loop(shape, 0, [("", boolean, nodes.FALSE)], function=function, only_checks=True)
    for k, (operand, sort) in enumerate(zip(operands, function.inputs, strict=True)):
        loop.operands.append(Leaf(str(k), None if isinstance(sort, ArraySort) else operand.shape, sort, 0))
    named = {key_of(leaf): operand for leaf, operand in zip(loop.operands, operands, strict=True)}
    return run_group(Group([loop]), named, {}, make_kernel, each)


def _over(group: Group) -> list[list[str]]:
    """For each loop, the tensors that no later one reads: their memory serves the next."""
    last: dict[str, int] = {}
    for position, loop in enumerate(group.loops):
        last.update((name, position) for name, *_ in loop.results)
        last.update((_tensor(leaf), position) for leaf in loop.operands if _tensor(leaf) in last)
    over: list[list[str]] = [[] for _ in group.loops]
    for name, position in last.items():
        over[position].append(name)
    return over


def key_of(leaf: Leaf) -> str:
    """Tensors may be seen in several views: each has its own entry among the operands."""
    return f"{_tensor(leaf)}\0{leaf.view}"


def outer_operands(group: Group) -> Iterator[Leaf]:
    """The operands that the group does not make itself."""
    made = group.made
    for loop in group.loops:
        yield from (leaf for leaf in loop.operands if _tensor(leaf) not in made)
