"""Each kind of question against a target that is right, and one with a planted fault, which must be found."""

from __future__ import annotations

import pytest

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.run import Report, conform
from lanewise.conformance.targets.names import target_of
from tests.conformance.conform.wide_targets import FAULTS, RIGHT

HERE = "tests.conformance.conform.wide_targets"
# Types of one question each: all settings and versions of these are asked.
TYPES = {
    "RESCALE": "^(int8|int16 → int32|int32 → int8)$",
    "NEGATE": "^(int8|int16|float32)$",
    "CLAMP": "^(int8|int16|float16|float32)$",
    "CAST": "^(float16 → int8|float32 → int32|int8 → int32|int32 → int8)$",
    "Cast": "^(float16 → int8|float32 → int32|int32 → int8|int16 → uint8)$",
    "Pow": "^(int32|int64|int32 × uint8 → int32|int64 × int8 → int64)$",
    "CLZ": "^int(32|64)$",
    "Where": "int8$|float32$",
    "SELECT": "int8$|float32$",
    "Clip": "^(int8|uint8|float32)$",
    "RECIPROCAL": "^float32$",
    "IDENTITY": "^(int8|float32)$",
    "Identity": "^(int8|float32)$",
}


def judged(name: str, operator: str) -> Report:
    return conform(
        [target_of(f"{HERE}:{name}")],
        [rf"^{operator}(-\d+)?$"],
        [TYPES.get(operator, "^(int8|int32|bool|int32 → bool)$")],
    )


def test_each_operator_has_a_right_target_and_a_fault() -> None:
    assert set(RIGHT) == set(FAULTS)


@pytest.mark.parametrize("operator", RIGHT)
def test_who_is_right_agrees_at_every_version(operator: str) -> None:
    report = judged("right", operator)
    named = [finding for finding in report.findings if report.cells[finding.key].record.name == operator]
    found = [finding for finding in named if finding.verdict != v.ABSENT]
    assert found
    assert {finding.verdict for finding in found} == {v.AGREES}, [f.key for f in found if f.verdict != v.AGREES]
    assert any(finding.compared for finding in found)


@pytest.mark.parametrize("operator", FAULTS)
def test_a_planted_fault_is_found(operator: str) -> None:
    report = judged("wrong", operator)
    named = [f for f in report.findings if report.cells[f.key].record.name == operator]
    found = {report.cells[f.key].record.release.since: f for f in named if f.verdict == v.DIFFERS}
    known = {report.cells[f.key].record.release.since for f in named}
    silent = {"Clip": {1, 6, 11, 12}, "CLAMP": {"0.23.0"}}.get(operator, set())  # where the text does not decide it
    assert set(found) == known - silent, f"{operator}: found at {set(found)} of {known}"
    assert all(finding.differing for finding in found.values())
