"""Every cell on every target: targets side by side, each in its own process."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from lanewise.conformance.detective.detect import detect
from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.cells import Cell, cells
from lanewise.conformance.judging.judge import differing, judge
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.names import Target
from lanewise.conformance.targets.process import Crashed, Hung, TargetProcess, Unusable


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
    operators: str | None = None,
    types: str | None = None,
    seconds: float = 20.0,
    workers: int = 2,
    progress: Callable[[str, int, int], Any] = lambda name, done, all: None,
) -> Report:
    """The report on all targets; `operators` and `types` are regular expressions that cells must match."""
    report = Report()
    questions: dict[str, list[Cell]] = {}
    for target in targets:
        chosen = [
            cell
            for specification in target.specifications
            for cell in cells(specification, target.tosa_version, target.versioned)
            if (operators is None or re.search(operators, cell.record.label, re.IGNORECASE))
            and (types is None or re.search(types, cell.type_text))
        ]
        if target.missing is not None:
            report.missing[target.name] = target.missing
            continue
        questions[target.name] = chosen
        report.cells |= {cell.key: cell for cell in chosen}
    order = {key: k for k, key in enumerate(sorted(report.cells, key=_specification_first))}
    subjects = report.subjects = {key: Subject(cell) for key, cell in report.cells.items()}

    def run(target: Target) -> tuple[str | None, list[v.Finding]]:
        found = []
        with TargetProcess(target, seconds) as process:
            for done, cell in enumerate(questions[target.name]):
                progress(target.name, done, len(questions[target.name]))
                try:
                    found.append(_one(process, subjects[cell.key]))
                except Unusable as error:
                    report.missing[target.name] = str(error)
                    return None, []
            progress(target.name, len(found), len(found))
            return str(process.about.get("version", "")), found

    running = [target for target in targets if target.name in questions]
    with ThreadPoolExecutor(max(1, workers)) as pool:
        for target, (version, found) in zip(running, pool.map(run, running), strict=True):
            if version is not None:
                report.targets[target.name] = version
            report.findings += found
    report.findings.sort(key=lambda finding: order[finding.key])
    report.cells = {key: report.cells[key] for key in order}
    return report


def _specification_first(key: str) -> bool:
    return not key.startswith("onnx")


def _one(process: TargetProcess, subject: Subject) -> v.Finding:
    try:
        finding = judge(process, subject)
        if finding.differing and finding.elements:
            rows, found = differing(subject, finding, process)
            finding.rules = detect(subject, rows, found)
    except Crashed as error:  # while starting, or again where it answered before
        return v.Finding(process.target.name, subject.cell.key, v.CRASHES, str(error))
    except Hung as error:
        return v.Finding(process.target.name, subject.cell.key, v.HANGS, str(error))
    return finding
