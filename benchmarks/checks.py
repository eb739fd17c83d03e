"""What the requirement checks cost: each kernel beside the same one without requirements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.cases import Case
from benchmarks.contest import Settings
from benchmarks.measure import geometric_mean, ratio, typical
from lanewise.engines.native.kernel import kernel
from lanewise.language.words import Function

LONGER = 5  # times as many turns: rows of bytes run at two speeds, as the cache has it, and a few turns may meet one


def measure_checks(cases: Iterable[Case], settings: Settings) -> dict[str, Any]:
    """Time with checks over time without, by row; rows without requirements have nothing to compare."""
    rows: dict[str, Any] = {}
    free = 0
    for case in cases:
        function = case.function()
        if not function.requirements:
            free += 1
            continue
        work = case.work(settings.elements)
        checked = kernel(function)
        unchecked = kernel(Function(function.inputs, function.outputs, function.results, ()))
        shape, operands, outs = work.out.shape, list(work.inputs), [work.out]
        times = settings.race(
            {
                "on": lambda: checked(operands, shape, outs),
                "off": lambda: unchecked(operands, shape, outs),
            },
            LONGER,
        )
        rows[case.name] = ratio(times["on"], times["off"]) | {
            "on_milliseconds": typical(times["on"]) * 1e3,
            "off_milliseconds": typical(times["off"]) * 1e3,
        }
    if not rows:
        return {"rows": {}, "rows_without_requirements": free}
    worst = max(rows, key=lambda name: rows[name]["ratio"])
    return {
        "rows": rows,
        "rows_without_requirements": free,
        "geometric_mean": geometric_mean([row["ratio"] for row in rows.values()]),
        "worst": rows[worst]["ratio"],
        "worst_row": worst,
    }
