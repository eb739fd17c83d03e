"""`lanewise prove`: the list of theorems, or two models."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from lanewise.cli.suite import check_place
from lanewise.formats import load
from lanewise.formats.files import write_whole
from lanewise.language.errors import InvalidError, printable
from lanewise.lowering import ledger
from lanewise.lowering.directions import directions
from lanewise.proof.equal import prove_graphs
from lanewise.proof.prove import BY_SIGHT
from lanewise.proof.run import Decided, decide_all, matching
from lanewise.proof.verdict import PROVEN, REFUTED, UNKNOWN, Verdict

SLOW = 1.0  # seconds from which a theorem of the list is worth a line of its own


def prove_list(
    pattern: str | None, every: bool, output: Path | None, record: bool, workers: int | None, seconds: float
) -> int:
    """Decides the theorems that match, prints, writes; 0 only if all are proven."""
    try:
        places = matching(pattern)
    except re.error as error:
        raise typer.BadParameter(f"--filter {pattern!r}: {error}") from None
    if not places:
        raise InvalidError(f"--filter {pattern!r}: matches no theorem")
    if output is not None:
        check_place(output)
    decided = _run(places, every, workers or len(os.sched_getaffinity(0)), seconds)
    for group, found in _grouped(decided).items():
        print(f"{group}: {_counts(found)}")
    swept = [one for one in decided if one.same_as is None and "sweep" in one.verdict.method]
    if swept:
        print(f"{len(swept)} of them beyond the solver: tried completely at narrow widths, and swept at their own")
    print(_counts(decided))
    if record:
        from lanewise.engines.proof import solver_version

        rules = {direction.name for direction in directions()}
        kept = [one for one in decided if one.verdict and one.group in rules and one.verdict.method != BY_SIGHT]
        ledger.record({one.fingerprint: one.verdict.method for one in kept}, solver_version())
    if output is not None:
        content = json.dumps([_as_json(one) for one in decided], indent=1).encode()
        write_whole(output, lambda file: file.write(content))
    return 0 if all(one.verdict for one in decided) else 1


def prove_pair(first: Path, second: Path, output: Path | None, seconds: float) -> int:
    """Every output of two models; 0 only if all are proven equal."""
    if output is not None:
        check_place(output)
    verdicts = prove_graphs(load(first), load(second), seconds=seconds)
    for name, verdict in verdicts.items():
        _print(f"output {name!r}: {verdict}")
    counts = Counter(verdict.status for verdict in verdicts.values())
    print(f"{counts[PROVEN]} proven, {counts[REFUTED]} refuted, {counts[UNKNOWN]} unknown")
    if output is not None:
        found = [{"output": name, **_verdict_as_json(verdict)} for name, verdict in verdicts.items()]
        content = json.dumps(found, indent=1).encode()
        write_whole(output, lambda file: file.write(content))
    return 0 if all(verdicts.values()) else 1


def _run(places: Sequence[int], every: bool, workers: int, seconds: float) -> list[Decided]:
    def told(one: Decided) -> None:
        interesting = not one.verdict or (one.same_as is None and one.verdict.seconds >= SLOW)
        if every or interesting:
            again = f" (as {one.same_as})" if one.same_as is not None else ""
            _print(f"{one.group}: {one.name}: {one.verdict}{again}")

    if not sys.stderr.isatty():
        return decide_all(places, told, workers=workers, seconds=seconds)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("proving", total=len(places))

        def counted(one: Decided) -> None:
            told(one)
            progress.advance(task)

        return decide_all(places, counted, workers=workers, seconds=seconds)


def _print(text: str) -> None:
    for line in text.splitlines():
        print(printable(line), flush=True)


def _grouped(decided: Sequence[Decided]) -> dict[str, list[Decided]]:
    groups: dict[str, list[Decided]] = {}
    for one in decided:
        groups.setdefault(one.group, []).append(one)
    return groups


def _counts(decided: Sequence[Decided]) -> str:
    counts = Counter(one.verdict.status for one in decided)
    return f"{counts[PROVEN]} proven, {counts[REFUTED]} refuted, {counts[UNKNOWN]} unknown"


def _as_json(one: Decided) -> dict[str, Any]:
    return {"group": one.group, "theorem": one.name, "same_as": one.same_as, **_verdict_as_json(one.verdict)}


def _verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = {"verdict": verdict.status, "method": verdict.method, "seconds": verdict.seconds}
    example = verdict.counterexample
    if example is not None:
        found["counterexample"] = {
            "operands": {
                name: {"type": sort.name, "value": _plain(value)}
                for name, sort, value in zip(example.names, example.types, example.values, strict=True)
            },
            "source": _plain(example.source_value),
            "target": _plain(example.target_value),
            "broken": list(example.broken),
        }
    return found


def _plain(value: Any) -> Any:
    """A number that JSON has: floats that are none are their names."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124
        return str(value)
    return list(value) if isinstance(value, tuple) else value
