"""What contenders are asked to do: an operation on arrays that lie ready, into one that lies ready too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# The finaliser of MurmurHash3: shift and xor, multiply, twice; shift and xor.
MURMUR_SHIFTS = (16, 13, 16)
MURMUR_FACTORS = (0x85EBCA6B, 0xC2B2AE35)

# The requantisation: take the zero point off, scale by FACTOR / 2 ** PLACES (halves up), keep to int8's range.
ZERO_POINT, FACTOR, PLACES = 7, 200, 15
LOWEST, HIGHEST = -128, 127


@dataclass(frozen=True)
class Work:
    """`operation` names what peers know how to do; all arrays start on a cache line."""

    operation: str
    inputs: tuple[np.ndarray, ...]
    out: np.ndarray
    table: np.ndarray | None = None  # of a lookup: small, so that it does not count as moved

    @property
    def moved(self) -> int:
        """Bytes read and written."""
        return sum(array.nbytes for array in self.inputs) + self.out.nbytes


class Contender(NamedTuple):
    """A peer made ready for one piece of work."""

    run: Callable[[], Any]
    result: Callable[[], np.ndarray]  # what the last run has computed
    prepared: float | None = None  # seconds of compiling or loading, where there is such a step


def unsigned(array: np.ndarray) -> np.ndarray:
    """The same bits as unsigned integers."""
    return array.view(f"u{array.dtype.itemsize}")


def differing(expected: np.ndarray, got: np.ndarray, units: int = 0) -> int:
    """How many elements differ. Any NaN equals any other, -0 equals 0; floats may be `units` steps apart."""
    if expected.dtype.kind in "iub":
        return int(np.count_nonzero(expected != got))
    same = (expected == got) | (np.isnan(expected) & np.isnan(got))
    if units:
        same |= np.abs(_places(expected) - _places(got)) <= units
    return int(np.count_nonzero(~same))


def _places(array: np.ndarray) -> np.ndarray:
    """Where each float stands in the order of all floats of its type (NaNs beyond the infinities)."""
    bits = unsigned(array).astype(np.int64)
    sign = 1 << (array.dtype.itemsize * 8 - 1)
    return np.where(bits >= sign, sign - bits, bits)
