"""A run on the terminal: one table of all work, and short ones of what is no race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.bars import Bar
from benchmarks.contest import US
from benchmarks.measure import PACKAGES

Figures = Mapping[str, Any]
WIDTH = 170  # where the output is no terminal


def console() -> Console:
    made = Console()
    return made if made.is_terminal else Console(width=WIDTH)


def heading(report: Figures) -> str:
    """Machine, versions and settings in two lines."""
    machine = report["machine"]
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    versions = ", ".join(f"{name} {machine[name]}" for name in PACKAGES if machine[name])
    absent = "".join(f"\nwithout {name}: {reason}" for name, reason in report["missing_peers"].items())
    return (
        f"{machine['processor']}, {machine['cores']} cores ({caches}), {machine['system']}, load {machine['load']}\n"
        f"Python {machine['python']}, {versions}\n"
        f"{report['elements']:,} elements, {report['threads']} threads, {report['rounds']} rounds{absent}"
    )


def race_table(rows: Mapping[str, Figures], peers: Sequence[str]) -> Table:
    """A line for each piece of work."""
    table = Table(title="Work beside the fastest copy and other libraries", title_justify="left")
    table.caption = (
        "GB/s: bytes read and written per second. Of copy: of the fastest copy's bytes per second. Peers: how many "
        "times as long they take; below 1 they are faster. Medians over the turns, in brackets the quartiles. "
        "✗: that many elements of the peer's result are wrong. –: no such work there."
    )
    table.caption_justify = "left"
    table.add_column("work", no_wrap=True)
    for name in ("ms", "GB/s", "of copy", "fastest correct peer", *peers):
        table.add_column(name, justify="right")
    for name, row in rows.items():
        table.add_row(name, *cells(row, peers))
    return table


def cells(row: Figures, peers: Sequence[str]) -> list[str]:
    best = row["fastest_correct_peer"]
    return [
        f"{row['milliseconds'][US]['median']:.3g}",
        f"{row['bytes_per_second'][US] / 1e9:.1f}",
        _spread(row["of_limit"]),
        "–" if best is None else f"{best} {_spread(row['to_fastest_correct_peer'])}",
        *(_peer(row, peer) for peer in peers),
    ]


def line(name: str, row: Figures, peers: Sequence[str]) -> str:
    """What is told of a piece of work as soon as it is measured."""
    best = row["fastest_correct_peer"]
    words = [f"{row['bytes_per_second'][US] / 1e9:6.1f} GB/s", f"{row['of_limit']['ratio']:5.2f} of copy"]
    if best is not None:
        words.append(f"{row['to_fastest_correct_peer']['ratio']:6.2f}x {best}")
    wrong = [f"{peer} wrong in {row['wrong'][peer]:,}" for peer in peers if peer in row["wrong"]]
    return f"  {name:36} " + ", ".join([*words, *wrong])


def _spread(ratio: Mapping[str, float]) -> str:
    return f"{_number(ratio['ratio'])} ({_number(ratio['lower'])}–{_number(ratio['upper'])})"


def _peer(row: Figures, peer: str) -> str:
    if peer not in row["ratios"]:
        return "–"
    ratio = row["ratios"][peer]["ratio"]
    text = f"{_number(ratio)}x"
    if peer in row["wrong"]:
        return f"[yellow]✗ {row['wrong'][peer]:,}; {text}[/]"
    return f"[red]{text}[/]" if ratio < 1 else text


def _number(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def preparation_table(rows: Mapping[str, Figures], peers: Sequence[str]) -> Table:
    table = Table(title="Milliseconds until a fused graph is ready (ours: the first call)", title_justify="left")
    table.add_column("graph")
    for name in (US, *peers):
        table.add_column(name, justify="right")
    for name, row in rows.items():
        ready = row["prepared_seconds"]
        table.add_row(name, *(f"{ready[peer] * 1e3:,.0f}" if peer in ready else "–" for peer in (US, *peers)))
    return table


def checks_table(checks: Figures) -> Table:
    table = Table(title="Requirement checks: time with them over time without", title_justify="left")
    table.add_column("row")
    for name in ("on, ms", "off, ms", "on / off"):
        table.add_column(name, justify="right")
    for name, row in checks["rows"].items():
        table.add_row(name, f"{row['on_milliseconds']:.3g}", f"{row['off_milliseconds']:.3g}", _spread(row))
    table.add_section()
    table.add_row("geometric mean", "", "", f"{checks['geometric_mean']:.3f}")
    return table


def lowered_table(rows: Mapping[str, Figures]) -> Table:
    table = Table(title="A lowered graph's speed beside the direct graph's", title_justify="left")
    for name in ("graph", "lowered to", "direct, ms", "lowered, ms", "direct / lowered"):
        table.add_column(name, justify="left" if name in ("graph", "lowered to") else "right")
    for name, row in rows.items():
        for title, speed in row["speed"].items():
            times = row["milliseconds"]
            wrong = f" ✗ {row['differing'][title]:,}" if row["differing"][title] else ""
            figures = f"{times[US]['median']:.3g}", f"{times[title]['median']:.3g}", _spread(speed) + wrong
            table.add_row(name.removeprefix("lowered "), title, *figures)
    return table


def layouts_table(rows: Mapping[str, Figures]) -> Table:
    table = Table(title="Layouts", title_justify="left")
    for name in ("layout", "lanewise, ms", "NumPy, ms", "NumPy / lanewise"):
        table.add_column(name, justify="left" if name == "layout" else "right")
    for name, row in rows.items():
        times = row["milliseconds"]
        wrong = f" ✗ {row['differing']:,}" if row["differing"] else ""
        table.add_row(
            name.removeprefix("layout "),
            f"{times[US]['median']:.3g}",
            f"{times['NumPy']['median']:.3g}",
            _spread(row["to_numpy"]) + wrong,
        )
    return table


def calls_table(rows: Mapping[str, Figures]) -> Table:
    table = Table(title="Calls on 3 elements", title_justify="left")
    for name in ("call", "µs", "to np.right_shift"):
        table.add_column(name, justify="left" if name == "call" else "right")
    for name, row in rows.items():
        table.add_row(
            name, f"{row['microseconds']:.2f}", f"{row['to_numpy']:.2f}x ({row['lower']:.2f}–{row['upper']:.2f})"
        )
    return table


def bars_table(bars: Sequence[Bar]) -> Table:
    """What was reached; bars that this run did not measure are counted only."""
    table = Table(title="Bars", title_justify="left", show_lines=True)
    unmeasured = sum(bar.met is None for bar in bars)
    table.caption = f"{unmeasured} more were not measured in this run" if unmeasured else None
    table.caption_justify = "left"
    for name in ("work", "bar", "reached", "met"):
        table.add_column(name)
    for bar in bars:
        if bar.met is not None:
            table.add_row(bar.work, bar.bar, bar.reached, "[green]yes[/]" if bar.met else "[red]no[/]")
    return table
