"""Where an ONNX graph may have a shift written as arithmetic: Div(x, 2 ** n) and Mul(x, 2 ** n)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from lanewise.graph.model import Model, Node
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

SHOWN = 6  # counts of many
LARGEST = 1 << 24  # elements of a power that the graph fixes
MOVING = ("Cast", "Identity")


@dataclass(frozen=True)
class Pattern:
    """A node that may have been a shift of x; `count` is a tensor, or the numbers that the graph fixes."""

    node: Node
    position: int  # of x among the node's operands; the other one is the power
    direction: str
    sort: Sort
    root: str  # the tensor behind x's casts
    moves: tuple[Node, ...]  # these casts, in the graph's order
    count: str | Array
    base: Shape  # of the twos that are raised to a computed count
    chain: tuple[Node, ...]  # from the count to the node, which is the last; alone if the power is a constant

    @property
    def x(self) -> str:
        """The tensor that is shifted."""
        tensor = self.node.inputs[self.position]
        assert tensor is not None
        return tensor

    @property
    def text(self) -> str:
        """The form: Div('x', 2 ** 3), or Div('x', Cast(Pow(2, Cast('n'))))."""
        power = f"2 ** {_counts(self.count)}"
        if len(self.chain) > 1:
            power = _counts(self.count)
            for node in self.chain[:-1]:
                power = f"{node.operator.name}({'2, ' if node.operator.name == 'Pow' else ''}{power})"
        return f"{self.node.operator.name}({self.x!r}, {power})"


@dataclass(frozen=True)
class _Power:
    """A tensor that is 2 ** count."""

    root: str  # the tensor behind its casts
    count: str | Array
    base: Shape
    chain: tuple[Node, ...]  # the nodes that compute it from the count


def patterns(model: Model) -> Iterator[Pattern]:
    """Divisions of signed integers by powers of 2, and products of integers with a computed one."""
    makers = {node.output: node for node in model.nodes}
    for node in model.nodes:
        if node.operator.name not in ("Div", "Mul"):
            continue
        sort = model.types[node.output].sort
        if not isinstance(sort, Sort) or sort.kind != "int":
            continue
        divides = node.operator.name == "Div"
        if divides and not sort.signed:
            continue
        for position in (0,) if divides else (0, 1):
            x, other = node.inputs[position], node.inputs[1 - position]
            assert x is not None and other is not None
            power = _power(model, makers, other)
            if power is None or not (divides or power.chain):  # a product with a constant power is exact
                continue
            root, moves = _root(makers, x)
            if power.chain and root == power.root:  # the power by itself: one number, not two
                continue
            direction, chain = "RIGHT" if divides else "LEFT", (*power.chain, node)
            yield Pattern(node, position, direction, sort, root, tuple(moves), power.count, power.base, chain)
            break


def _power(model: Model, makers: dict[str, Node], tensor: str) -> _Power | None:
    """The count n of a tensor that is 2 ** n, and the nodes that compute it; None if it is something else."""
    root, moves = _root(makers, tensor)
    if root in model.constants:
        counts = _logarithms(model, model.constants[root].array, moves)
        return None if counts is None else _Power(root, counts, (), ())
    maker = makers.get(root)
    if maker is None or maker.operator.name != "Pow":
        return None
    base, exponent = maker.inputs
    assert base is not None and exponent is not None
    two, _ = _root(makers, base)
    if two not in model.constants:
        return None
    twos = np.asarray(model.constants[two].array, np.float64)
    if not twos.size or not (twos == 2).all():
        return None
    count, before = _root(makers, exponent)
    chain = (*before, maker, *moves)
    if count in model.constants:
        fixed = _repeated(maker, twos.shape, model.constants[count].array)
        return None if fixed is None else _Power(root, fixed, (), chain)
    sort = model.types[count].sort
    return _Power(root, count, twos.shape, chain) if isinstance(sort, Sort) and sort.kind == "int" else None


def _logarithms(model: Model, powers: Array, moves: list[Node]) -> Array | None:
    """The counts of powers of 2 that a graph fixes, and that the types on their way hold."""
    if not _whole(powers) or not powers.size:
        return None
    numbers = [int(value) for value in powers.ravel()]
    sorts = [model.types[node.output].sort for node in moves]
    fits = all(isinstance(sort, Sort) and (sort.kind == "float" or max(numbers) <= sort.highest) for sort in sorts)
    if not fits or any(number < 1 or number & (number - 1) for number in numbers):
        return None
    return np.array([number.bit_length() - 1 for number in numbers], np.int64).reshape(powers.shape)


def _repeated(maker: Node, base: Shape, counts: Array) -> Array | None:
    """The counts that a graph fixes, in the shape of the power."""
    if not _whole(counts) or not counts.size:
        return None
    shapes = maker.operator.shape(maker.operator.argument_names(2), (base, counts.shape), maker.attributes)
    view = shapes.operands[1]
    if view is None or prod(shapes.result) > LARGEST:
        return None
    return np.broadcast_to(counts.astype(np.int64).reshape(view), shapes.result)


def _root(makers: dict[str, Node], tensor: str) -> tuple[str, list[Node]]:
    """The tensor behind casts, and these in the graph's order."""
    moves: list[Node] = []
    while tensor in makers and makers[tensor].operator.name in MOVING:
        moves.append(makers[tensor])
        before = makers[tensor].inputs[0]
        assert before is not None
        tensor = before
    return tensor, moves[::-1]


def _whole(values: Array) -> bool:
    """Whether all numbers are whole, and small enough to count with."""
    if values.dtype.kind == "b":
        return False
    numbers = np.asarray(values, np.float64)
    return bool(np.isfinite(numbers).all() and (numbers == np.rint(numbers)).all() and (abs(numbers) < 2**63).all())


def _counts(count: str | Array) -> str:
    """A tensor's name, a number, or the first of many."""
    if isinstance(count, str):
        return repr(count)
    numbers = [str(number) for number in count.ravel()[:SHOWN]] + ["…"] * (count.size > SHOWN)
    return numbers[0] if count.size == 1 else f"[{', '.join(numbers)}]"
