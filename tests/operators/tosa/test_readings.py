"""Comments point to numbered readings; every number is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
READINGS = (ROOT / "docs" / "readings.md").read_text("utf-8")


@pytest.mark.parametrize("letter", "TVO")
def test_numbers_run_without_a_gap(letter: str):
    numbers = [int(number) for number in re.findall(rf"^\*\*{letter}(\d+) ", READINGS, re.MULTILINE)]
    assert numbers
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_reference_has_a_reading():
    references = {
        (path.name, number)
        for path in (ROOT / "src" / "lanewise" / "operators" / "tosa").glob("*.py")
        for number in re.findall(r"\b[TV]\d+\b", path.read_text("utf-8"))
    }
    assert len(references) > 20
    assert [(name, number) for name, number in references if f"**{number} " not in READINGS] == []
    assert not re.search(
        r"\bR\d+\b", "".join(p.read_text() for p in (ROOT / "src/lanewise/operators/tosa").glob("*.py"))
    )
