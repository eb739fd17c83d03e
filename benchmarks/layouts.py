"""Operands that lie otherwise: strided, or broadcast along rows or columns; lanewise beside NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np

from benchmarks.cases import CASES, TYPES
from benchmarks.contest import US, Settings
from benchmarks.measure import aligned, ratio, summary
from benchmarks.peers.numpy_ufuncs import PLAIN
from benchmarks.work import differing

NAMES = ("ADD int32", "ARITHMETIC_RIGHT_SHIFT int8", "BITWISE_XOR int16")
Arrange = Callable[[np.ndarray, int], np.ndarray]


def _strided(long: np.ndarray, side: int) -> np.ndarray:
    return long.reshape(side, 2 * side)[:, ::2]


def _whole(long: np.ndarray, side: int) -> np.ndarray:
    return long[: side * side].reshape(side, side)


def _row(long: np.ndarray, side: int) -> np.ndarray:
    return long[:side].reshape(1, side)


def _column(long: np.ndarray, side: int) -> np.ndarray:
    return long[:side].reshape(side, 1)


LAYOUTS: dict[str, tuple[Arrange, Arrange]] = {
    "contiguous": (_whole, _whole),
    "strided [::2]": (_strided, _strided),
    "row broadcast": (_whole, _row),
    "column broadcast": (_whole, _column),
}


def measure_layouts(settings: Settings, only: str) -> dict[str, Any]:
    """Milliseconds, and how many times as long NumPy takes, by operator and layout."""
    side = isqrt(settings.elements)
    rows: dict[str, Any] = {}
    for case in (case for case in CASES if case.name in NAMES):
        long = case.work(2 * side * side).inputs
        for layout, arrange in LAYOUTS.items():
            name = f"layout {layout}, {case.name}"
            if not re.search(only, name):
                continue
            x, y = (place(array, side) for place, array in zip(arrange, long, strict=True))
            out = aligned((side, side), TYPES[case.output])
            call, ufunc = case.call, PLAIN[case.operation]
            call(x, y, out=out)
            expected = out.copy()
            ufunc(x, y, out=out)
            times = settings.race({US: lambda: call(x, y, out=out), "NumPy": lambda: ufunc(x, y, out=out)})
            rows[name] = {
                "milliseconds": {key: summary(turns) for key, turns in times.items()},
                "to_numpy": ratio(times["NumPy"], times[US]),
                "differing": differing(expected, out),
            }
    return rows
