"""What several second opinions share: plain integers, fractions and Python floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases


def wrapped(number: int, sort: Any) -> int:
    """The number of that type which is congruent to `number` modulo 2 to the width."""
    number %= 2**sort.width
    return number - 2**sort.width if sort.signed and number >= 2 ** (sort.width - 1) else number


def bits(number: int, sort: Any) -> list[int]:
    """The bits of a number, the lowest first."""
    return [number // 2**k % 2 for k in range(sort.width)]


def from_bits(ones: list[int], sort: Any) -> int:
    return wrapped(sum(one * 2**k for k, one in enumerate(ones)), sort)


def exactly(compute: Callable[[Any, Any], Any], a: float, b: float) -> float | Fraction:
    """A sum, difference or product without rounding; the host says what zeros, infinities and NaNs give."""
    if math.isfinite(a) and math.isfinite(b):
        return compute(Fraction(a), Fraction(b)) or compute(a, b)
    return compute(a, b)


def older(name: str, *versions: int, **settings: Any) -> list[Case]:
    """A sample of an operator's older versions, which have the definition of the newest one."""
    return [
        case
        for version in versions
        for case in cases(find("onnx", name, version), **settings)
        if case.row.inputs[-1].name in ("float32", "int32", "bool")
    ]


def is_real(sort: Any) -> bool:
    return bool(sort.kind == "float")
