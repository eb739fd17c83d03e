"""The same work from 3 elements to 64 M: where calls, caches and memory decide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.cases import CASES
from benchmarks.contest import Settings, contest
from benchmarks.graphs import GRAPHS

SIZES = (3, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 22, 1 << 26)
NAMES = ("ADD int32", "ARITHMETIC_RIGHT_SHIFT int8 round", "BITWISE_XOR int16", GRAPHS[0].name)


def measure_sizes(
    settings: Settings, only: str, largest: int, told: Callable[[str, dict[str, Any]], None]
) -> dict[str, Any]:
    """Figures as of any work, by name and number of elements; a regular expression chooses other rows."""
    rows: dict[str, Any] = {}
    for item in (*CASES, *GRAPHS):
        if not (re.search(only, item.name) if only else item.name in NAMES):
            continue
        rows[item.name] = {}
        for size in (size for size in SIZES if size <= largest):
            work = item.work(size)
            figures = contest(work, item.ours(work), replace(settings, elements=size), item.units)
            rows[item.name][str(size)] = figures
            told(f"{item.name}, {size:,}", figures)
    return rows
