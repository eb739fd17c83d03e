"""A lowered BitShift beside the direct one: do fusing and simplifying take the lowering's scaffolding away?"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import lanewise as lw
from benchmarks.contest import US, Settings
from benchmarks.measure import aligned, placed, ratio, summary
from benchmarks.work import differing

SMALL = 1 << 16
VERSIONS = ("1.1", "0.23.0")
FARTHEST = 40  # counts reach beyond the width, which lowered graphs must treat apart


def measure_lowered(settings: Settings, only: str) -> dict[str, Any]:
    """Milliseconds, and the direct graph's time over the lowered one's, by direction, version and size."""
    rows: dict[str, Any] = {}
    generator = np.random.default_rng(7)
    for direction in ("LEFT", "RIGHT"):
        direct = bit_shift(direction)
        lowered = {f"TOSA {version}": lw.lower(direct, to="tosa", version=version).model for version in VERSIONS}
        compiled = {US: lw.compile(direct), **{title: lw.compile(model) for title, model in lowered.items()}}
        for size in sorted({SMALL, settings.elements}):
            name = f"lowered BitShift {direction} int32, {size:,}"
            if not re.search(only, name):
                continue
            x = placed(generator.integers(-(1 << 31), 1 << 31, size, np.int32))
            y = placed(generator.integers(0, FARTHEST, size, np.int32))
            out, expected = aligned(size, np.int32), compiled[US](x, y)
            wrong = {title: differing(expected, call(x, y, out=out)) for title, call in compiled.items()}
            times = settings.race(
                {title: (lambda call=call: call(x, y, out=out)) for title, call in compiled.items()}  # type: ignore[misc]
            )
            rows[name] = {
                "milliseconds": {title: summary(turns) for title, turns in times.items()},
                "speed": {title: ratio(times[US], times[title]) for title in lowered},
                "differing": wrong,
            }
    return rows


def bit_shift(direction: str) -> lw.Model:
    graph = lw.Builder(onnx=28, name="shift")
    x, y = (graph.input(name, "int32", ("n",)) for name in ("x", "y"))
    graph.output("z", graph.node("BitShift", x, y, direction=direction))
    return graph.model()
