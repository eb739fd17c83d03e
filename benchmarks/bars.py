"""The bars that speed is held to, each with what was reached and whether that is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from benchmarks.cases import CASES, Case
from benchmarks.cold import KERNEL
from benchmarks.graphs import GRAPHS
from benchmarks.measure import geometric_mean

Report = Mapping[str, Any]
Figures = Mapping[str, Any]

SAME_WIDTH = ("shift", "rounding shift", "bitwise", "add", "multiply", "extremum")  # bound by memory
MEBIBYTE = 1 << 20


class Bar(NamedTuple):
    work: str
    bar: str
    reached: str
    met: bool | None  # None: not measured in this run


def judge(report: Report) -> list[Bar]:
    parts = (_operators, _graphs, _checks, _lowered, _calls, _cold, _memory)
    return [bar for part in parts for bar in part(report)]


def _unmeasured(work: str, bar: str) -> Bar:
    return Bar(work, bar, "not measured", None)


def _operators(report: Report) -> Iterator[Bar]:
    rows: Mapping[str, Figures] = report.get("rows", {})
    raced = {name: row["to_fastest_correct_peer"]["ratio"] for name, row in rows.items() if row["fastest_correct_peer"]}
    work, bar = "every operator and row", "at least as fast as the fastest correct peer"
    if raced:
        behind = {name: f"{name} ({rows[name]['fastest_correct_peer']})" for name, ratio in raced.items() if ratio < 1}
        reached = f"{len(raced) - len(behind)} of {len(raced)} rows; {_lowest(raced, behind)}"
        yield Bar(work, bar, reached, not behind)
    else:
        yield _unmeasured(work, bar)
    for peer, least in (("NumPy", 2.5), ("ONNX Runtime", 4.0)):
        bar = f"geometric mean at least {least}x {peer}"
        ratios = [row["ratios"][peer]["ratio"] for row in rows.values() if _correct(row, peer)]
        if ratios:
            mean = geometric_mean(ratios)
            yield Bar(work, bar, f"{mean:.2f}x over the {len(ratios)} rows that it gets right", mean >= least)
        else:
            yield _unmeasured(work, bar)
    yield _of_limit(rows, "32-bit and 64-bit rows that memory bounds", 0.85, _wide)
    yield _of_limit(rows, "8-bit and 16-bit shifts, rounding shifts, bitwise", 0.75, _narrow)
    table = rows.get("TABLE int8")
    for bar in ("ahead of JAX", "at least 0.5 of the fastest copy"):
        if table is None or (bar == "ahead of JAX" and not _correct(table, "JAX")):
            yield _unmeasured("int8 TABLE", bar)
        elif bar == "ahead of JAX":
            ratio = table["ratios"]["JAX"]["ratio"]
            yield Bar("int8 TABLE", bar, f"{ratio:.2f}x", ratio > 1)
        else:
            ratio = table["of_limit"]["ratio"]
            yield Bar("int8 TABLE", bar, f"{ratio:.2f}", ratio >= 0.5)
    for name in ("INTDIV int32", "MUL int32 shift 15", "POW float32"):
        bar = "at least 2.5x the fastest correct peer"
        if name in raced:
            reached = f"{raced[name]:.2f}x {rows[name]['fastest_correct_peer']}"
            yield Bar(name, bar, reached, raced[name] >= 2.5)
        else:
            yield _unmeasured(name, bar)


def _correct(row: Figures, peer: str) -> bool:
    return peer in row["ratios"] and peer not in row["wrong"]


def _wide(case: Case) -> bool:
    return case.group in SAME_WIDTH and case.width >= 32


def _narrow(case: Case) -> bool:
    return case.group in ("shift", "rounding shift", "bitwise") and case.width <= 16


def _of_limit(rows: Mapping[str, Figures], work: str, least: float, chosen: Callable[[Case], bool]) -> Bar:
    bar = f"at least {least} of the fastest copy's bytes per second"
    found = {case.name: rows[case.name]["of_limit"]["ratio"] for case in CASES if case.name in rows and chosen(case)}
    if not found:
        return _unmeasured(work, bar)
    below = {name: name for name, ratio in found.items() if ratio < least}
    return Bar(work, bar, f"{len(found) - len(below)} of {len(found)} rows; {_lowest(found, below)}", not below)


def _lowest(ratios: Mapping[str, float], short: Mapping[str, str]) -> str:
    """The rows that fall short, worst first; if none does, the lowest."""
    if not short:
        name = min(ratios, key=ratios.__getitem__)
        return f"lowest {ratios[name]:.2f} {name}"
    return "short: " + ", ".join(f"{ratios[name]:.2f} {short[name]}" for name in sorted(short, key=ratios.__getitem__))


def _graphs(report: Report) -> Iterator[Bar]:
    found: Mapping[str, Figures] = report.get("graphs", {})
    for graph in GRAPHS:
        row = found.get(graph.name)
        for peer, least in (("ONNX Runtime", 12.0), ("JAX", 5.0), ("numba", 1.7)):
            bar = f"at least {least:g}x {peer}"
            if row is None or not _correct(row, peer):
                yield _unmeasured(graph.name, bar)
                continue
            ratio = row["ratios"][peer]["ratio"]
            reached = f"{ratio:.2f}x (ready in {row['prepared_seconds'][peer] * 1e3:,.0f} ms)"
            if peer == "JAX" and _correct(row, "JAX (new memory)"):
                new = row["ratios"]["JAX (new memory)"]["ratio"]
                reached += f"; {new:.2f}x where every result is new memory"
            yield Bar(graph.name, bar, reached, ratio >= least)
        bar = "at most 1.2x the fastest copy's time"
        if row is None:
            yield _unmeasured(graph.name, bar)
        else:
            longer = 1 / row["of_limit"]["ratio"]
            ready = row["prepared_seconds"]["lanewise"] * 1e3
            yield Bar(graph.name, bar, f"{longer:.2f}x (first call {ready:,.0f} ms)", longer <= 1.2)


def _checks(report: Report) -> Iterator[Bar]:
    checks = report.get("checks", {})
    if not checks.get("rows"):
        yield _unmeasured("checks on against off", "at most 10 % more time, geometric mean")
        yield _unmeasured("checks on against off", "at most 25 % in any row")
        return
    mean, worst = (checks[key] - 1 for key in ("geometric_mean", "worst"))
    counted = f"over the {len(checks['rows'])} rows that have requirements"
    yield Bar("checks on against off", "at most 10 % more time, geometric mean", f"{mean:+.1%} {counted}", mean <= 0.1)
    yield Bar("checks on against off", "at most 25 % in any row", f"{worst:+.1%} {checks['worst_row']}", worst <= 0.25)


def _lowered(report: Report) -> Iterator[Bar]:
    rows: Mapping[str, Figures] = report.get("lowered", {})
    work, bar = "a lowered BitShift int32", "at least 0.7 of the direct one's speed"
    if not rows:
        yield _unmeasured(work, bar)
        return
    found = {f"{name}, {title}": ratio["ratio"] for name, row in rows.items() for title, ratio in row["speed"].items()}
    short = {name: name for name, ratio in found.items() if ratio < 0.7}
    wrong = any(count for row in rows.values() for count in row["differing"].values())
    reached = f"{len(found) - len(short)} of {len(found)}; {_lowest(found, short)}"
    yield Bar(work, bar, reached + ("; results differ" if wrong else ""), not short and not wrong)


def _calls(report: Report) -> Iterator[Bar]:
    calls: Mapping[str, Figures] = report.get("calls", {})
    single, graph = "an operator's call on 3 elements", "a compiled graph's call on 3 elements"
    if not calls:
        yield _unmeasured(single, "at most 2x np.right_shift")
        yield _unmeasured(graph, "at most 5 µs")
        return
    operators = {name: call["to_numpy"] for name, call in calls.items() if name.startswith(("tosa", "onnx"))}
    reached = ", ".join(f"{name} {ratio:.2f}x" for name, ratio in operators.items())
    yield Bar(single, "at most 2x np.right_shift in the same form", reached, max(operators.values()) <= 2)
    graphs = {name: call["microseconds"] for name, call in calls.items() if name.startswith("compiled")}
    reached = ", ".join(f"{name.removeprefix('compiled ')} {time:.2f} µs" for name, time in graphs.items())
    yield Bar(graph, "at most 5 µs", reached, max(graphs.values()) <= 5)


def _cold(report: Report) -> Iterator[Bar]:
    cold = report.get("cold", {})
    if cold:
        slowest = f"slowest {cold['slowest kernel']:.0f} {cold['slowest kernel is']}"
        reached = f"median {cold['kernel']:.0f} ms, first {cold['first kernel']:.0f}; "
        reached += f"{cold['slow kernels']} of {cold['kernels']} take longer, {slowest}"
        yield Bar("cold: compile one kernel", f"at most {KERNEL} ms", reached, not cold["slow kernels"])
        reached = f"{cold['import']:.0f} ms; with NumPy and the operators' names {cold['import with operators']:.0f}"
        yield Bar("cold: import lanewise", "at most 150 ms", reached, cold["import with operators"] <= 150)
    else:
        yield _unmeasured("cold: compile one kernel", f"at most {KERNEL} ms")
        yield _unmeasured("cold: import lanewise", "at most 150 ms")
    if cold:
        yield Bar("cold: lanewise --version", "at most 300 ms", f"{cold['version']:.0f} ms", cold["version"] <= 300)
    else:
        yield _unmeasured("cold: lanewise --version", "at most 300 ms")


def _memory(report: Report) -> Iterator[Bar]:
    memory = report.get("memory", {})
    work, bar = "peak memory of a 12-node graph", "inputs + output + 32 MiB"
    if not memory:
        yield _unmeasured(work, bar)
        return
    run, all_ = ((memory[key] - memory["tensor_bytes"]) / MEBIBYTE for key in ("grown_bytes", "grown_with_compiler"))
    reached = (
        f"inputs + output + {run:.1f} MiB on {memory['elements']:,} int32; "
        f"{all_:.1f} MiB with the compiler, loaded and run in the same process"
    )
    yield Bar(work, bar, reached, memory["grown_bytes"] <= memory["allowed_bytes"])
