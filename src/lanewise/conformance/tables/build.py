"""A table of a real function between quantised numbers: int8 with 256 entries, int16 with 513."""

from __future__ import annotations

import math
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
        if self.type not in LENGTHS:
            raise InvalidError(f"type is {brief(self.type)}; a table is of {' or '.join(LENGTHS)}")
        for name in ("input_scale", "output_scale"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InvalidError(f"{name} is {brief(value)}; allowed: numbers above 0")
        for name in ("input_zero_point", "output_zero_point"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not self.sort.lowest <= value <= self.highest:
                raise InvalidError(f"{name} is {brief(value)}; {self.type} has {self.sort.lowest} … {self.highest}")

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

    def entry(self, code: int) -> int:
        """The nearest code, the even one of two that are as near."""
        value = self.exact(code)
        if math.isnan(value):
            raise InvalidError(f"the function has no value at {self.real(code)!r}, which is input code {code}")
        return round(value)


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
    The function is a Python function of one float, or a name such as "tanh".

    >>> from lanewise import build_table
    >>> build_table("relu", 0.5, 0, 0.5, 0)[[0, 127, 128, 129, 255]]
    array([  0,   0,   0,   1, 127], dtype=int8)
    """
    real = function_named(function) if isinstance(function, str) else function
    if not callable(real):
        raise InvalidError(f"function is {brief(function)}; give a name or a Python function of one float")
    wanted = Quantised(real, input_scale, input_zero_point, output_scale, output_zero_point, type)
    return np.array([wanted.entry(code) for code in wanted.inputs()], np.dtype(type))
