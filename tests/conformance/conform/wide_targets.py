"""Targets that are right about operators with operands and attributes of many kinds, and such with one fault each.

The right one computes with Python's numbers and NumPy's own words, without lanewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def whole(case: Any, function: Callable[[int], int], *columns: Array) -> Array:
    """A function of whole numbers on all elements, its low bits as the result's type."""
    width = np.dtype(case.output).itemsize * 8
    rows = zip(*(column.tolist() for column in columns), strict=True)
    found = [function(*row) % (1 << width) for row in rows]
    return np.array(found, f"u{width // 8}").view(case.output)


def clipped(value: int, kind: str) -> int:
    limits = np.iinfo(kind)
    return max(int(limits.min), min(value, int(limits.max)))


def up(value: Fraction) -> int:
    """The nearest whole number, ties upwards."""
    return math.floor(value + Fraction(1, 2))


def rescaled(rounding: Callable[[Fraction], int], zero_point: bool = True) -> Callable[..., Array]:
    """RESCALE of 0.23.0 and later, rounded once."""

    def run(case: Any, x: Array, multiplier: Array, shift: Array, *zeros: Array) -> Array:
        given = case.attributes
        once = not given.get("double_round") and given.get("rounding_mode", "SINGLE_ROUND") == "SINGLE_ROUND"
        if not once or given.get("input_unsigned") or given.get("output_unsigned"):
            raise NotImplementedError("rounds once, with sign")
        points = [point.item() for point in zeros] or [given["input_zp"], given["output_zp"]]
        scale = Fraction(multiplier.item(), 1 << shift.item())

        def one(value: int) -> int:
            return clipped(rounding((value - points[0]) * scale) + points[1] * zero_point, case.output)

        return whole(case, one, x)

    return run


def negated(saturates: bool = True) -> Callable[..., Array]:
    def run(case: Any, x: Array, *zeros: Array) -> Array:
        if x.dtype.kind != "i":
            return np.negative(x)
        points = [point.item() for point in zeros] or [case.attributes["input1_zp"], case.attributes["output_zp"]]

        def one(value: int) -> int:
            found = points[1] - (value - points[0])
            return clipped(found, case.output) if saturates else found

        return whole(case, one, x)

    return run


def clamped(nan: str) -> Callable[..., Array]:
    """CLAMP that brings NaN to a bound where it is to be overlooked: to `nan`."""

    def run(case: Any, x: Array) -> Array:
        given = case.attributes
        low, high = (x.dtype.type(given[name]) for name in ("min_val", "max_val"))
        found = np.where(x < low, low, np.where(x > high, high, x))
        if given.get("nan_mode", "PROPAGATE") == "IGNORE" and x.dtype.kind == "f":
            found = np.where(np.isnan(x), low if nan == "min_val" else high, found)
        return found.astype(x.dtype)

    return run


def cast(rounding: Callable[[float], int]) -> Callable[..., Array]:
    def run(case: Any, x: Array) -> Array:
        output = np.dtype(case.output)
        unsigned = case.attributes.get("input_unsigned") and x.dtype.kind == "i"
        x = x.view(x.dtype.name.replace("i", "ui", 1)) if unsigned else x
        if x.dtype.kind != "f" or output.kind != "i":
            return x.astype(output)
        limits = np.iinfo(output)

        def one(value: float) -> int:
            if not math.isfinite(value):
                return 0 if math.isnan(value) else int(limits.max if value > 0 else limits.min)
            return clipped(rounding(value), case.output)

        return np.array([one(value) for value in x.astype(np.float64).tolist()], output)

    return run


def power(wrap: int) -> Callable[..., Array]:
    """Powers of integers modulo 2 ** wrap; where a fraction is left, what is left of it without it."""

    def one(x: int, y: int) -> int:
        if y >= 0:
            return pow(x, y, 1 << wrap)
        return x ** (y % 2) if abs(x) == 1 else 0

    return lambda case, x, y: whole(case, one, x, y) if x.dtype.kind == "i" else np.power(x, y)


def leading_zeros(of_zero: int) -> Callable[..., Array]:
    def run(case: Any, x: Array) -> Array:
        width = x.dtype.itemsize * 8

        def one(value: int) -> int:
            size = (value % (1 << width)).bit_length()
            return width - size if size else width - of_zero

        return whole(case, one, x)

    return run


def chosen(first: bool) -> Callable[..., Array]:
    return lambda case, condition, a, b: np.where(condition if first else ~condition, a, b)


def bounded(raised_first: bool) -> Callable[..., Array]:
    """Clip with bounds that are operands, or attributes, or absent."""

    def run(case: Any, x: Array, low: Any = None, high: Any = None) -> Array:
        low, high = case.attributes.get("min", low), case.attributes.get("max", high)
        if x.dtype.kind == "f":  # what is absent is the highest finite number, of float32 where it is an attribute
            most = np.finfo(np.float32 if case.version < 11 else x.dtype).max
            low, high = -most if low is None else low, most if high is None else high

        def raised(y: Array) -> Array:
            return y if low is None else np.maximum(y, np.asarray(low).astype(x.dtype))

        def lowered(y: Array) -> Array:
            return y if high is None else np.minimum(y, np.asarray(high).astype(x.dtype))

        return lowered(raised(x)) if raised_first else raised(lowered(x))

    return run


RIGHT: dict[str, Callable[..., Array]] = {
    "RESCALE": rescaled(up),
    "NEGATE": negated(),
    "CLAMP": clamped("min_val"),
    "CAST": cast(round),
    "Cast": cast(math.trunc),
    "Pow": power(64),
    "CLZ": leading_zeros(0),
    "Where": chosen(True),
    "SELECT": chosen(True),
    "Clip": bounded(True),
    "ABS": lambda case, x: np.abs(x),
    "BITWISE_NOT": lambda case, x: ~x,
    "EQUAL": lambda case, a, b: a == b,
    "GREATER": lambda case, a, b: a > b,
    "GREATER_EQUAL": lambda case, a, b: a >= b,
    "LOGICAL_NOT": lambda case, x: ~x,
    "RECIPROCAL": lambda case, x: (1 / x.astype(np.float64)).astype(x.dtype),
    "IDENTITY": lambda case, x: x,
    "Identity": lambda case, x: x,
}
FAULTS: dict[str, Callable[..., Array]] = {
    "RESCALE": rescaled(math.floor),
    "NEGATE": negated(saturates=False),
    "CLAMP": clamped("max_val"),
    "CAST": cast(math.trunc),
    "Cast": cast(round),
    "Pow": power(16),
    "CLZ": leading_zeros(1),
    "Where": chosen(False),
    "SELECT": chosen(False),
    "Clip": bounded(False),
    "ABS": lambda case, x: x,
    "BITWISE_NOT": lambda case, x: -x,
    "EQUAL": lambda case, a, b: (a == b) & (a != 0),
    "GREATER": lambda case, a, b: a >= b,
    "GREATER_EQUAL": lambda case, a, b: a > b,
    "LOGICAL_NOT": lambda case, x: x,
    "RECIPROCAL": lambda case, x: (1 / x.astype(np.float64)).astype(np.float16).astype(x.dtype),
    "IDENTITY": lambda case, x: x + x.dtype.type(0) if x.dtype.kind == "f" else x ^ x.dtype.type(1),
    "Identity": lambda case, x: x + x.dtype.type(0) if x.dtype.kind == "f" else x ^ x.dtype.type(1),
}


def computed(table: dict[str, Callable[..., Array]], case: Any, operands: tuple[Array, ...]) -> Array:
    if case.operator not in table:
        raise NotImplementedError(f"not {case.operator}")
    with np.errstate(all="ignore"):
        return np.asarray(table[case.operator](case, *operands))


def right(case: Any, *operands: Array) -> Array:
    return computed(RIGHT, case, operands)


def wrong(case: Any, *operands: Array) -> Array:
    return computed(FAULTS, case, operands)
