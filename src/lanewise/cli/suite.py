"""`lanewise suite`: other people's tests, judged."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

from lanewise.conformance.finding import find_tests
from lanewise.conformance.suite import WRONG_REFERENCE, Verdict, report, run_tests
from lanewise.formats.files import write_whole
from lanewise.language.errors import InvalidError, printable

SHOWN = 20  # failures printed in full


def suite_command(folder: Path, wanted: str | None, output: Path | None, workers: int | None) -> int:
    """Runs, prints, writes; 0 only if no test failed."""
    tests = find_tests(folder, wanted)
    if not tests:
        raise InvalidError(
            f"{folder}: holds no test (a folder with a desc.json){f' that matches {wanted!r}' if wanted else ''}"
        )
    if output is not None:
        check_place(output)
    verdicts = _run(tests, folder, workers or len(os.sched_getaffinity(0)))
    failed = [verdict for verdict in verdicts if verdict.verdict == "failed"]
    for verdict in failed[:SHOWN]:
        print(f"FAILED {printable(verdict.test)}: {verdict.reason}{_difference(verdict)}")
    if len(failed) > SHOWN:
        print(f"… and {len(failed) - SHOWN} more (--json FILE lists all)")
    skipped = Counter(_why(verdict) for verdict in verdicts if verdict.verdict == "skipped")
    for why, count in skipped.most_common():
        print(f"skipped {count}: {why}")
    wrong = [verdict for verdict in verdicts if verdict.reason.startswith(WRONG_REFERENCE)]
    for why, count in Counter(verdict.reason for verdict in wrong).most_common():
        print(f"passed {count} although {why}")
    counts = Counter(verdict.verdict for verdict in verdicts)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    if output is not None:  # last: a full disk must not cost the count
        content = json.dumps(report(verdicts), indent=1).encode()
        write_whole(output, lambda file: file.write(content))
    return 1 if failed else 0


def check_place(output: Path, option: str = "--json") -> None:
    """Refuses a file that cannot be written before the tests run, not after."""
    if not output.parent.is_dir():
        raise InvalidError(f"{option} {output}: {output.parent}: no such folder")
    if output.exists() and not output.is_file():
        raise InvalidError(f"{option} {output}: is there, and is no regular file")
    if not os.access(output.parent, os.W_OK | os.X_OK):
        raise InvalidError(f"{option} {output}: {output.parent}: no file can be written there")


def _run(tests: list[Path], folder: Path, workers: int) -> list[Verdict]:
    if not sys.stderr.isatty():
        return run_tests(tests, folder, workers, lambda verdict: None)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("running", total=len(tests))
        return run_tests(tests, folder, workers, lambda verdict: progress.advance(task))


def _difference(verdict: Verdict) -> str:
    if verdict.difference is None:
        return ""
    found = verdict.difference
    place = f" at {found['index']}" if "index" in found else ""
    return f"{place}: {found['got']}, expected {found['expected']}"


def _why(verdict: Verdict) -> str:
    """The reason without the test's own name, so that like ones count together."""
    return verdict.reason.split(": ", 1)[-1]
