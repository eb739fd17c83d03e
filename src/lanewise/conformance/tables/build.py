"""A table of a real function between quantised numbers: int8 with 256 entries, int16 with 513."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.conformance.tables.functions import Real, function_named, value_at
from lanewise.language.errors import InvalidError, brief
from lanewise.language.sorts import BY_NAME, Sort

Array = np.ndarray[Any, Any]

LENGTHS = {"int8": 256, "int16": 513}
STEP = {"int8": 1, "int16": 128}  # between the inputs of two entries
TOLERANCE = 1e-9  # of a step: what a float64 computation of the function may be off by


@dataclass(frozen=True)
class Quantised:
    """A function between quantised numbers: real = (code - zero point) * scale, on both sides."""

    function: Real
    input_scale: float
    input_zero_point: int
    output_scale: float
    output_zero_point: int
    type: str = "int8"

    def __post_init__(self) -> None:
        if not isinstance(self.type, str) or self.type not in LENGTHS:
            raise InvalidError(f"type is {brief(self.type)}; a table is of {' or '.join(LENGTHS)}")
        # Kept as Python's own numbers, so that the function is always given a float.
        for name in ("input_scale", "output_scale"):
            object.__setattr__(self, name, _scale(name, getattr(self, name)))
        for name in ("input_zero_point", "output_zero_point"):
            object.__setattr__(self, name, _zero_point(name, getattr(self, name), self.sort))
        for code in (self.inputs()[0], self.inputs()[-1]):
            if math.isinf(self.real(code)):
                raise InvalidError(
                    f"input_scale is {self.input_scale!r}: code {code} stands for a number that float64 does not "
                    "reach; give a smaller one"
                )

    @property
    def sort(self) -> Sort:
        return BY_NAME[self.type]

    @property
    def highest(self) -> int:
        return self.sort.highest

    def inputs(self) -> list[int]:
        """The code that each entry stands for; the last of int16 is 32768, which ends the last interval."""
        return [self.sort.lowest + k * STEP[self.type] for k in range(LENGTHS[self.type])]

    def real(self, code: float) -> float:
        """The number that an input code stands for."""
        return (code - self.input_zero_point) * self.input_scale

    def exact(self, code: float) -> float:
        """The result in steps of the output, not rounded, within the ends of the type; NaN where there is none."""
        value = value_at(self.function, self.real(code)) / self.output_scale + self.output_zero_point
        return value if math.isnan(value) else min(max(value, self.sort.lowest), self.highest)

    def exact_entries(self) -> Array:
        """What is exact at the code of every entry."""
        return np.array([self.exact(code) for code in self.inputs()])


def _scale(name: str, value: Any) -> float:
    allowed = "allowed: finite numbers above 0"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidError(f"{name} is {brief(value)} ({type(value).__name__}); {allowed}")
    try:
        number = float(value)
    except OverflowError:  # an integer or a fraction
        raise InvalidError(f"{name} is {brief(value)}, which float64 does not reach; {allowed}") from None
    if not 0 < number < math.inf:
        raise InvalidError(f"{name} is {number!r}; {allowed}")
    return number


def _zero_point(name: str, value: Any, sort: Sort) -> int:
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        kind = type(value).__name__
        raise InvalidError(
            f"{name} is {brief(value)} ({kind}); allowed: whole numbers, {sort.lowest} … {sort.highest} for {sort.name}"
        )
    if not sort.lowest <= number <= sort.highest:
        raise InvalidError(f"{name} is {brief(number)}; {sort.name} has {sort.lowest} … {sort.highest}")
    return number


def build_table(
    function: Callable[[float], float] | str,
    input_scale: float,
    input_zero_point: int,
    output_scale: float,
    output_zero_point: int,
    type: str = "int8",
) -> Array:
    """The table of a function between quantised numbers, for the operator that reads tables.

    A code stands for (code - zero point) * scale. int8: 256 entries, for the codes from -128 up. int16: 513
    entries, for the codes from -32768 to 32768 in steps of 128; what is read between them has 7 more fraction
    bits, so its scale is output_scale / 128. Each entry is the nearest code (halves to even) within the type.
    The function is a Python function of one float, or a name such as "tanh"; it must have a value at every entry.

    >>> from lanewise import build_table
    >>> build_table("relu", 0.5, 0, 0.5, 0)[[0, 127, 128, 129, 255]]
    array([  0,   0,   0,   1, 127], dtype=int8)
    """
    real = function_named(function) if isinstance(function, str) else function
    if not callable(real):
        raise InvalidError(f"function is {brief(function)}; give a name or a Python function of one float")
    wanted = Quantised(real, input_scale, input_zero_point, output_scale, output_zero_point, type)
    exact = wanted.exact_entries()
    missing = np.flatnonzero(np.isnan(exact))
    if len(missing):
        code = wanted.inputs()[missing[0]]
        others = f", nor at {len(missing) - 1} more of {len(exact)} entries" if len(missing) > 1 else ""
        raise InvalidError(
            f"the function has no value at {wanted.real(code)!r}, which is input code {code}{others}; "
            "a table needs one at every entry"
        )
    return np.array([round(value) for value in exact.tolist()], np.dtype(type))
