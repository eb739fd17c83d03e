"""Every cell on every target: targets side by side, each in its own process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, TypeVar

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.filters import matches
from lanewise.conformance.judging.judge import judge
from lanewise.conformance.judging.questions import asked, meaning, places
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.names import Target
from lanewise.conformance.targets.process import TargetProcess, Unusable

T = TypeVar("T")
MOST_SILENT = 3  # cells in a row without any answer in time, after which a target is given up on


@dataclass
class Report:
    """All findings, the cells by key in the report's order, and what each target is."""

    targets: dict[str, str] = field(default_factory=dict)  # name → version, or why it did not run
    missing: dict[str, str] = field(default_factory=dict)
    cells: dict[str, Cell] = field(default_factory=dict)
    findings: list[v.Finding] = field(default_factory=list)
    subjects: dict[str, Subject] = field(default_factory=dict)


def conform(
    targets: Sequence[Target],
    operators: Sequence[str] = (),
    types: Sequence[str] = (),
    seconds: float = 20.0,
    workers: int = 2,
    progress: Callable[[str, int, int], Any] = lambda name, done, all: None,
    versions: Sequence[str] = (),
) -> Report:
    """The report on all targets; cells match one of `operators` and one of `types`, regular expressions (filters.py).

    Of `versions`, ONNX opsets and TOSA releases, only operators in force at one of them are asked about.
    """
    report = Report()
    questions: dict[str, list[Cell]] = {}
    for target in targets:
        chosen = [cell for cell in asked(target, versions) if matches(cell, operators, types)]
        if target.missing is not None:
            report.missing[target.name] = target.missing
            continue
        questions[target.name] = chosen
        report.cells |= {cell.key: cell for cell in chosen}
    order = places(report.cells.values())
    report.cells = {key: report.cells[key] for key in sorted(report.cells, key=order.__getitem__)}
    for name, chosen in questions.items():
        questions[name] = sorted(chosen, key=lambda cell: order[cell.key])
    subjects = report.subjects = _subjects(report.cells)

    slow_first = sorted(questions, key=lambda name: not _named(targets, name).slow)
    processes = {name: TargetProcess(_named(targets, name), seconds) for name in slow_first}

    def run(name: str) -> list[v.Finding] | Unusable:
        with processes[name] as process:
            try:
                return _findings(process, [subjects[cell.key] for cell in questions[name]], progress)
            except Unusable as error:
                return error

    results = _side_by_side(run, processes, workers)
    for name in questions:
        found = results[name]
        if isinstance(found, Unusable):
            report.missing[name] = str(found)
        else:
            report.targets[name] = str(processes[name].about.get("version", ""))
            report.findings += found
    report.findings.sort(key=lambda finding: order[finding.key])
    return report


def _subjects(cells: Mapping[str, Cell]) -> dict[str, Subject]:
    """What is to be judged, by key; versions of one meaning have twins, whose results are computed once."""
    first: dict[Any, Subject] = {}
    made = {}
    for key, cell in cells.items():
        same = (meaning(cell), cell.seed) if cell.listed else key
        made[key] = Subject(cell, twin=first.get(same))
        first.setdefault(same, made[key])
    return made


def _findings(
    process: TargetProcess, subjects: Sequence[Subject], progress: Callable[[str, int, int], Any]
) -> list[v.Finding]:
    """One target's findings; one that is silent is given up on."""
    found: list[v.Finding] = []
    name, silent = process.target.name, 0
    for done, subject in enumerate(subjects):
        progress(name, done, len(subjects))
        if silent == MOST_SILENT:
            why = f"not asked further: there was no answer at all to the {MOST_SILENT} questions before"
            found.append(v.Finding(name, subject.cell.key, v.HANGS, why, asked=False))
            continue
        replies = process.replies
        found.append(judge(process, subject))
        silent = silent + 1 if found[-1].verdict == v.HANGS and process.replies == replies else 0
    progress(name, len(found), len(found))
    return found


def _side_by_side(run: Callable[[str], T], processes: Mapping[str, TargetProcess], workers: int) -> dict[str, T]:
    """What `run` gives for each target, some of them at a time; all of them end with whoever waits for them."""
    waiting, results, errors = deque(processes), {}, []

    def work() -> None:
        while True:
            try:
                name = waiting.popleft()
            except IndexError:
                return
            try:
                results[name] = run(name)
            except Exception as error:  # raised again by whoever waits
                errors.append(error)

    # Daemons, as Python waits for other threads before it ends, and a rule may take seconds to be compiled.
    threads = [Thread(target=work, daemon=True) for _ in range(min(workers, len(processes)))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        waiting.clear()
        for process in processes.values():
            process.cancel()
    if errors:
        raise errors[0]
    return {name: results[name] for name in processes}


def _named(targets: Sequence[Target], name: str) -> Target:
    return next(target for target in targets if target.name == name)
