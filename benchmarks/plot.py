"""Bytes per second by operator and type, with the copy limit as a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import CASES
from benchmarks.contest import US

COLOURS = {8: "#4c78a8", 16: "#72b7b2", 32: "#f2a541", 64: "#b279a2"}  # by the operands' width
GRAPH_COLOUR, LIMIT, PEER = "#9d755d", "#222222", "#d62728"


def draw(rows: Mapping[str, Mapping[str, Any]], elements: int, folder: Path) -> list[Path]:
    """Writes bench.png and bench.svg: a bar for each piece of work, a line for the limit, dots for peers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    widths = {case.name: case.width for case in CASES}
    names = list(rows)
    places = range(len(names))
    figure, axes = pyplot.subplots(figsize=(11, 2 + 0.22 * len(names)), layout="constrained")
    ours = [rows[name]["bytes_per_second"][US] / 1e9 for name in names]
    colours = [COLOURS.get(widths.get(name, 0), GRAPH_COLOUR) for name in names]
    axes.barh(places, ours, color=colours, height=0.7)
    limits = [rows[name]["bytes_per_second"][rows[name]["limit"]] / 1e9 for name in names]
    edges = [edge for k in places for edge in (k - 0.5, k + 0.5)]
    axes.plot(np.repeat(limits, 2), edges, color=LIMIT, linewidth=1.2, label="fastest copy of as many bytes")
    raced = [(k, rows[name]) for k, name in enumerate(names) if rows[name]["fastest_correct_peer"]]
    axes.plot(
        [row["bytes_per_second"][row["fastest_correct_peer"]] / 1e9 for _, row in raced],
        [k for k, _ in raced],
        "o",
        color=PEER,
        markersize=3.5,
        label="fastest peer whose result is correct",
    )
    for width, colour in COLOURS.items():
        axes.bar(0, 0, color=colour, label=f"lanewise, {width}-bit operands")
    axes.bar(0, 0, color=GRAPH_COLOUR, label="lanewise, fused graph")
    axes.set_yticks(places, names, fontsize=7)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("GB read and written per second")
    axes.set_title(f"Bytes per second, {elements:,} elements")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    folder.mkdir(exist_ok=True)
    written = [folder / f"bench.{kind}" for kind in ("png", "svg")]
    for path in written:
        figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return written
