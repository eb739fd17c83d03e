"""Which requirement fails where: the second pass, run only after a loop has seen a failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.checks import CODES, codes
from lanewise.language.errors import UnpredictableError
from lanewise.language.sorts import ArraySort
from lanewise.language.words import Function

Array = np.ndarray[Any, Any]

BLOCK = 1 << 20  # elements looked at in one go, which bounds the memory of the pass


@dataclass(frozen=True)
class Violation:
    """One requirement that fails: where first, for how many elements, and with what values."""

    node: str
    operator: str
    requirement: str
    count: int
    index: tuple[int, ...]
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        place = f" at {self.node}" if self.node else ""
        more = "" if self.count == 1 else f"; {self.count} elements break it"
        return (
            f"{self.operator}{place}: unpredictable: element {list(self.index)} breaks "
            f'"{self.requirement}" ({values}){more}'
        )

    def error(self) -> UnpredictableError:
        return UnpredictableError(
            str(self),
            operator=self.operator,
            requirement=self.requirement,
            index=self.index,
            values=self.values,
            count=self.count,
        )


@dataclass(frozen=True)
class Failure:
    """A failing requirement by its position in the function: count and first index (row-major)."""

    position: int
    count: int
    index: tuple[int, ...]


def locate(
    function: Function, operands: Sequence[Array], shape: tuple[int, ...], make_kernel: Callable[[Function], Any]
) -> list[Failure]:
    """Every requirement of the function that fails for some element, in the function's order."""
    failures = []
    for start in range(0, len(function.requirements), CODES):
        checker = make_kernel(codes(function, start))
        counts: dict[int, int] = {}
        first: dict[int, int] = {}
        seen = 0
        for part, part_shape in blocks(function, operands, shape):
            (words,), _ = checker(part, part_shape)
            words = words.ravel()
            for bit in _bits(int(np.bitwise_or.reduce(words, initial=0))):
                failing = (words >> np.uint64(bit)) & np.uint64(1)
                counts[bit] = counts.get(bit, 0) + int(failing.sum())
                first.setdefault(bit, seen + int(failing.argmax()))
            seen += words.size
        for bit in sorted(counts):
            index = tuple(int(i) for i in np.unravel_index(first[bit], shape)) if shape else ()
            failures.append(Failure(start + bit, counts[bit], index))
    return failures


def _bits(word: int) -> list[int]:
    return [bit for bit in range(CODES) if word >> bit & 1]


def blocks(function: Function, operands: Sequence[Array], shape: tuple[int, ...]) -> Any:
    """The work in row-major parts of at most about BLOCK elements."""
    if prod(shape) <= BLOCK:
        yield operands, shape
        return
    row = prod(shape[1:])
    step = max(1, BLOCK // row)
    for start in range(0, shape[0], step):
        size = min(step, shape[0] - start)
        part = [
            operand
            if isinstance(sort, ArraySort) or operand.ndim < len(shape) or operand.shape[0] == 1
            else operand[start : start + size]
            for operand, sort in zip(operands, function.inputs, strict=True)
        ]
        if row <= BLOCK:
            yield part, (size, *shape[1:])
        else:
            # One row is a block of its own size; go one axis deeper.
            inner = [
                operand if isinstance(sort, ArraySort) or operand.ndim < len(shape) else operand[0]
                for operand, sort in zip(part, function.inputs, strict=True)
            ]
            yield from blocks(function, inner, shape[1:])


def element_at(operand: Array, index: tuple[int, ...]) -> Any:
    """The element of a broadcast operand at an index of the result, as a NumPy scalar."""
    shape = operand.shape
    tail = index[len(index) - len(shape) :]
    return operand[tuple(0 if size == 1 else i for size, i in zip(shape, tail, strict=True))]


def named_in(reason: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that a requirement speaks of."""
    return {name: value for name, value in attributes.items() if re.search(rf"\b{name}\b", reason)}
