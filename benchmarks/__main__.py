"""Is lanewise at the memory limit, and ahead of every other library, with its checks on?

    python -m benchmarks [--only REGEX] [--elements N] [--rounds N] [--quick]

Prints a table and what each bar has come to; writes bench-output/bench.json, bench.png and bench.svg.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any

import lanewise as lw
from benchmarks import peers, plot, tables
from benchmarks.bars import judge
from benchmarks.calls import measure_calls
from benchmarks.cases import CASES, Case
from benchmarks.checks import measure_checks
from benchmarks.cold import measure_cold
from benchmarks.contest import Settings, contest
from benchmarks.copies import Copies
from benchmarks.graphs import GRAPHS
from benchmarks.layouts import measure_layouts
from benchmarks.lowered import measure_lowered
from benchmarks.measure import FOLDER, PAUSE, machine, save
from benchmarks.memory import measure_memory
from benchmarks.sizes import SIZES, measure_sizes

SECTIONS = ("rows", "graphs", "checks", "lowered", "layouts", "calls", "cold", "memory", "sizes")
QUICK = {"elements": 1 << 16, "rounds": 2, "pause": 0.002, "memory": 1 << 20}
FULL = {"elements": 1 << 24, "rounds": 7, "pause": PAUSE, "memory": 1 << 26}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--elements", type=int, metavar="N", help=f"of an operand (default {FULL['elements']:,})")
    parser.add_argument("--only", metavar="REGEX", default="", help="measure only work whose name has this in it")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"turns of each contender (default {FULL['rounds']})")
    parser.add_argument(
        "--quick", action="store_true", help="small and few: does it all work? The figures mean nothing"
    )
    parser.add_argument("--sections", metavar="LIST", default=",".join(SECTIONS), help="of: %(default)s")
    parser.add_argument("--peers", metavar="LIST", default=",".join(peers.MODULES), help="of: %(default)s")
    given = parser.parse_args()
    for name, known in (("sections", SECTIONS), ("peers", tuple(peers.MODULES))):
        chosen = [word for word in getattr(given, name).split(",") if word]
        if not set(chosen) <= set(known):
            parser.error(f"--{name} is {getattr(given, name)!r}; allowed, with commas between: {', '.join(known)}")
        setattr(given, name, chosen)
    return given


def chosen(items: Iterable[Any], only: str) -> list[Any]:
    return [item for item in items if re.search(only, item.name)]


def one_of_each(cases: Iterable[Case]) -> Iterator[Case]:
    """The first case of every operation that peers are asked for."""
    seen = set()
    for case in cases:
        if case.operation not in seen:
            seen.add(case.operation)
            yield case


class Run:
    """A run in the making; `report` is what the JSON file will hold."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        defaults = QUICK if given.quick else FULL
        found, missing = peers.load(given.peers, lw.get_threads())
        self.memory = defaults["memory"]
        self.settings = Settings(
            given.elements or defaults["elements"],
            given.rounds or defaults["rounds"],
            found,
            Copies(),
            defaults["pause"],
        )
        self.names = [peer.name for peer in found]
        self.report: dict[str, Any] = {
            "machine": machine(),
            "elements": self.settings.elements,
            "threads": lw.get_threads(),
            "rounds": self.settings.rounds,
            "quick": given.quick,
            "only": given.only,
            "missing_peers": missing,
        }
        self.cases = chosen(CASES, given.only)
        if given.quick and not given.only:
            self.cases = list(one_of_each(self.cases))
        self.graphs = chosen(GRAPHS, given.only)

    def told(self, name: str, figures: dict[str, Any]) -> None:
        print(tables.line(name, figures, self.names), flush=True)

    def races(self, items: Iterable[Any], into: dict[str, Any]) -> None:
        for item in items:
            work = item.work(self.settings.elements)
            into[item.name] = contest(work, item.ours(work), self.settings, item.units)
            self.told(item.name, into[item.name])

    def measure(self) -> None:
        sections, report, only, quick = self.given.sections, self.report, self.given.only, self.given.quick
        report["rows"], report["graphs"] = {}, {}
        if "rows" in sections:
            self.races(self.cases, report["rows"])
        if "graphs" in sections:
            self.races(self.graphs, report["graphs"])
        if "checks" in sections:
            report["checks"] = measure_checks(self.cases, self.settings)
        if "lowered" in sections:
            report["lowered"] = measure_lowered(self.settings, only)
        if "layouts" in sections:
            report["layouts"] = measure_layouts(self.settings, only)
        if "calls" in sections and re.search(only, "calls"):
            report["calls"] = measure_calls(*((500, 3) if quick else ()))
        if "cold" in sections and re.search(only, "cold"):
            report["cold"] = measure_cold(*((1, 6) if quick else ()))
        if "memory" in sections and re.search(only, "memory"):
            report["memory"] = measure_memory(self.memory)
        if "sizes" in sections:
            largest = self.settings.elements if quick else SIZES[-1]
            report["sizes"] = measure_sizes(self.settings, only, largest, self.told)

    def show(self) -> None:
        report, console = self.report, tables.console()
        console.print()
        races = {**report["rows"], **report["graphs"]}
        races |= {
            f"{name}, {int(n):,}": row for name, rows in report.get("sizes", {}).items() for n, row in rows.items()
        }
        if races:
            console.print(tables.race_table(races, self.names))
        if report["graphs"]:
            console.print(tables.preparation_table(report["graphs"], self.names))
        if report.get("checks", {}).get("rows"):
            console.print(tables.checks_table(report["checks"]))
        if report.get("lowered"):
            console.print(tables.lowered_table(report["lowered"]))
        if report.get("layouts"):
            console.print(tables.layouts_table(report["layouts"]))
        if report.get("calls"):
            console.print(tables.calls_table(report["calls"]))
        bars = judge(report)
        report["bars"] = [bar._asdict() for bar in bars]
        console.print(tables.bars_table(bars))

    def draw(self) -> None:
        races = {**self.report["rows"], **self.report["graphs"]}
        if not races:
            return
        try:
            written = plot.draw(races, self.settings.elements, FOLDER)
        except ImportError as error:
            print(f"no plot: {error}")
        else:
            print(f"plots: {', '.join(map(str, written))}")


def main() -> None:
    run = Run(arguments())
    started = time.perf_counter()
    print(tables.heading(run.report))
    try:
        run.measure()
    finally:  # what a run has measured until it was stopped is shown and kept
        run.report["seconds"] = time.perf_counter() - started
        run.show()
        save("bench", run.report)
        run.draw()


if __name__ == "__main__":
    main()
