"""What several second opinions share: plain integers and fractions, nothing of lanewise's language."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import lanewise as lw


def wrapped(number: int, width: int) -> int:
    """The signed number of that width that is congruent to `number`."""
    return (number + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def fits(number: int, width: int) -> bool:
    return -(2 ** (width - 1)) <= number < 2 ** (width - 1)


def exactly(compute: Callable[[Any, Any], Any], a: float, b: float) -> float | Fraction:
    """A sum, difference or product without rounding; the host says what zeros, infinities and NaNs give."""
    if math.isfinite(a) and math.isfinite(b):
        return compute(Fraction(a), Fraction(b)) or compute(a, b)
    return compute(a, b)


def check_unpredictable(
    call: Callable[[], Any], requirement: str, values: dict[str, Any], index: tuple[int, ...] = (0,), count: int = 1
) -> None:
    """The call raises for that requirement, and says where and with what values."""
    with pytest.raises(lw.UnpredictableError) as caught:
        call()
    error = caught.value
    assert (error.requirement, error.index, error.values, error.count) == (requirement, index, values, count)
    assert f'"{requirement}"' in str(error)
