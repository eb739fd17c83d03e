"""Comments point to numbered readings; every number is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
READINGS = (ROOT / "docs" / "readings.md").read_text("utf-8")
SOURCES = sorted((ROOT / "src" / "lanewise" / "operators" / "onnx").glob("*.py"))


def test_numbers_run_without_a_gap():
    numbers = [int(number) for number in re.findall(r"^\*\*O(\d+) ", READINGS, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_reading_is_referred_to_and_every_reference_has_one():
    referred = {int(number) for path in SOURCES for number in re.findall(r"\bO(\d+)\b", path.read_text("utf-8"))}
    assert referred == {int(number) for number in re.findall(r"^\*\*O(\d+) ", READINGS, re.MULTILINE)}
