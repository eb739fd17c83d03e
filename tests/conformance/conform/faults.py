"""Targets with one fault each, in plain integers and NumPy, and the rule that is to name it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Fault:
    """`target` gives what comes out for whole columns: integers, whose low bits count, or floats of the type."""

    rule: str  # the module's first word and the function's name
    cell: str  # the key of a cell
    target: Callable[..., Any]
    near: str  # the name of a rule that is about the same and must not get the credit; "" where there is none
    open: bool = False  # the inputs about which the text is silent, instead of those that it decides
    given: Sequence[Any] | None = None  # columns, where those of the cell do not show the fault
    also: tuple[str, ...] = ()  # rules that say the same on such inputs


def each(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A function of numbers, applied to all elements."""
    return lambda *columns: [function(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def low(value: int, width: int) -> int:
    """The low bits, read as a signed number."""
    half = 1 << (width - 1)
    return (value + half) % (2 * half) - half


def clamp(value: int, lowest: int, highest: int) -> int:
    return max(lowest, min(value, highest))


def quotient(a: int, b: int) -> int:
    """Towards zero."""
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


def flushed(values: Array) -> Array:
    """Zeros with the signs of subnormal numbers."""
    tiny = np.finfo(values.dtype).tiny
    return np.where(np.abs(values) < tiny, np.copysign(values.dtype.type(0), values), values)
