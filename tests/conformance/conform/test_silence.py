"""Targets that do not answer: time limits, giving up, and a person who gives up first."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.run import conform
from lanewise.conformance.report.terminal import show, summary
from lanewise.conformance.targets.names import target_of
from lanewise.conformance.targets.process import Hung, TargetProcess
from tests.conformance.conform.sample_targets import STREAM

HERE = "tests.conformance.conform.sample_targets"
PATIENCE = 120  # seconds, for a loaded machine; what must not be waited for takes longer


def test_a_stream_without_an_end_is_no_answer_in_time(tmp_path: Path) -> None:
    script = tmp_path / "stream.py"
    script.write_text(STREAM)
    silent = target_of(f"program:{sys.executable} {script}")
    # Who waits for the end gets a line that is no JSON.
    with TargetProcess(silent, 0.5) as process, pytest.raises(Hung, match="no answer within 0.5 s"):
        process.ask({"do": "run"})


def test_a_target_that_never_answers_is_given_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    report = conform([target_of(f"{HERE}:never_answers")], ["^Bitwise"], ["^u?int8$"], 0.3)
    assert len(report.findings) > 10
    assert {finding.verdict for finding in report.findings} == {v.HANGS}
    tried = [finding for finding in report.findings if finding.asked]
    assert len(tried) == 3
    assert len((tmp_path / "asked").read_text().splitlines()) == 2 * len(tried)
    assert tried[0].message == "no answer within 0.3 s, to single inputs as well"
    rest = len(report.findings) - 3
    out = io.StringIO()
    show(report, Console(file=out, width=160))
    words = f"{HERE}:never_answers: {rest} more rows of types hang, not asked further: there was no answer at all"
    assert words in out.getvalue()
    assert "  none of 65,536 inputs has a result; no others were tried\n" in out.getvalue()
    assert summary(report) == f"{len(report.findings)} hangs"


def test_a_target_that_hangs_here_and_there_is_asked_everything() -> None:
    report = conform([target_of(f"{HERE}:hangs_on_seven")], ["^Bitwise(And|Or)-"], ["^u?int8$"], 0.2)
    assert len(report.findings) == 4
    assert {finding.verdict for finding in report.findings} == {v.HANGS}
    assert all(finding.asked for finding in report.findings)


COMPUTES = """
import sys, time
from collections.abc import Iterator
from pathlib import Path
from lanewise.conformance.judging.run import conform
from lanewise.conformance.targets.names import target_of

def progress(*_):  # as a rule that takes long to be compiled
    Path(sys.argv[1]).touch()
    time.sleep(900)

try:
    conform([target_of("numpy")], ["^BitwiseAnd"], ["^int8$"], progress=progress)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Who runs tests in the background may ignore interrupts, and so would children; a handler is not inherited."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_an_interrupt_does_not_wait_for_what_is_being_computed(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with subprocess.Popen([sys.executable, "-c", COMPUTES, str(begun)]) as running:
        started = time.monotonic()
        while not begun.exists():
            assert time.monotonic() - started < PATIENCE and running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 130


def _gone(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.usefixtures("_interruptible")
def test_an_interrupt_ends_at_once_with_the_targets_and_writes_nothing(tmp_path: Path) -> None:
    asked, file = tmp_path / "asked", tmp_path / "report.json"
    command = [sys.executable, "-m", "lanewise", "conform", f"{HERE}:never_answers", f"{HERE}:right"]
    command += ["--operator", "^BitwiseAnd", "--type", "^int8$", "--json", str(file), "--timeout", "900"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ASKED": str(asked)},
    ) as running:
        started = time.monotonic()
        while not asked.exists() or not asked.read_text().endswith("\n"):
            assert time.monotonic() - started < PATIENCE and running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, errors) == (130, "", "lanewise: interrupted\n")
    assert list(tmp_path.iterdir()) == [asked]
    (number,) = asked.read_text().split()
    until = time.monotonic() + PATIENCE
    while not _gone(int(number)):
        assert time.monotonic() < until
        time.sleep(0.05)
