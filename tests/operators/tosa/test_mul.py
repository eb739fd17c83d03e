"""MUL, TOSA 0.23.0: second opinion in plain integers."""

from __future__ import annotations

import pytest

from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples

MUL = find("tosa", "MUL", "0.23.0")
CASES = [
    case
    for case in cases(MUL, shift=(0, 1, 2, 15, 31, 32, 62, 63))
    if case.row.inputs[0].width == 32 and case.row.output.kind == "int" or case.fixed["shift"] in (0, 5)
]


def in_plain_numbers(a, b, shift, *, row):
    if row.output.kind == "float":
        return (
            a * b
            if a * b == 0 or abs(a) == float("inf") or abs(b) == float("inf") or a != a or b != b
            else _exact(a, b)
        )
    if row.inputs[0].width < 32 or shift == 0:
        return (a * b + 2**31) % 2**32 - 2**31
    scaled = (a * b + 2 ** (shift - 1)) // 2**shift
    if b < 0 or not 2 <= shift <= 62 or not -(2**31) <= scaled < 2**31:
        return UNPREDICTABLE
    return scaled


def _exact(a, b):
    from fractions import Fraction

    return Fraction(a) * Fraction(b)


def test_examples():
    check_examples(MUL)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES[::3], ids=str)
def test_layouts(case: Case):
    case.check_layouts()
