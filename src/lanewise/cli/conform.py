"""`lanewise conform`: other implementations, judged."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console

from lanewise.cli.suite import check_place
from lanewise.conformance.judging.filters import hint
from lanewise.conformance.judging.questions import asked
from lanewise.conformance.judging.run import Report, conform
from lanewise.conformance.report.record import record
from lanewise.conformance.report.terminal import FAILING, show, summary
from lanewise.conformance.targets.names import Target, target_of
from lanewise.formats.files import write_whole
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError, brief, printable
from lanewise.operators.catalogue import in_force
from lanewise.operators.onnx.rows import NEWEST_OPSET
from lanewise.operators.tosa.rows import VERSIONS


def conform_command(
    names: list[str],
    operators: list[str],
    types: list[str],
    versions: list[str],
    output: Path | None,
    html: Path | None,
    tosa_tools: Path | None,
    seconds: float,
    workers: int,
) -> int:
    """Runs, prints, writes; 0 only if no target differs, crashes, hangs or accepts what it ought to refuse."""
    targets = list({name: target_of(name, tosa_tools) for name in names}.values())
    for patterns, option in ((operators, "--operator"), (types, "--type")):
        for pattern in patterns:
            _check_pattern(pattern, option)
    for version in versions:
        _check_version(version)
    for file, option in ((output, "--json"), (html, "--html")):
        if file is not None:
            check_place(file, option)
    if html is not None and find_spec("PIL") is None:
        raise UnsupportedError(
            "--html draws pictures with Pillow, which is not installed; pip install 'lanewise[report]'"
        )
    known = [cell for target in targets for cell in asked(target, versions)]
    said = hint(known, operators, types)
    if said or not known:
        options = "--operator, --type and --version" if versions else "--operator and --type"
        said = said or "'lanewise ops' lists what there is"
        raise InvalidError(f"no question to these targets matches {options}; {said}")
    report = _run(targets, operators, types, versions, seconds, workers)
    wide = None if sys.stdout.isatty() else 160
    show(report, Console(highlight=False, soft_wrap=True, width=wide))
    if output is not None:
        content = json.dumps(record(report), indent=1).encode()
        write_whole(output, lambda file: file.write(content))
    if html is not None:
        from lanewise.conformance.report.page import page

        text = page(report).encode()
        write_whole(html, lambda file: file.write(text))
    for file in (output, html):
        if file is not None:
            print(printable(f"written: {file}"))
    print(summary(report))
    return 1 if report.missing or any(finding.verdict in FAILING for finding in report.findings) else 0


def _check_pattern(pattern: str, option: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise InvalidError(f"{option} {pattern!r}: no regular expression: {error}") from None


def _check_version(version: str) -> None:
    try:
        in_force((), version)
    except LanewiseError:
        raise InvalidError(
            f"--version {brief(version)}: no version of a specification; "
            f"ONNX has opsets from 1 to {NEWEST_OPSET}, TOSA the releases {', '.join(VERSIONS)}"
        ) from None


def _run(
    targets: list[Target],
    operators: list[str],
    types: list[str],
    versions: list[str],
    seconds: float,
    workers: int,
) -> Report:
    def run(progress: Callable[[str, int, int], Any]) -> Report:
        return conform(targets, operators, types, seconds, workers, progress, versions)

    if not sys.stderr.isatty():
        return run(lambda name, done, total: None)
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bars:
        tasks = {target.name: bars.add_task(target.name, total=None) for target in targets if target.missing is None}
        return run(lambda name, done, total: bars.update(tasks[name], completed=done, total=total))
