"""CLZ, TOSA 0.23.0: second opinion in plain numbers."""

from __future__ import annotations

import pytest

from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

CLZ = find("tosa", "CLZ", "0.23.0")
CASES = list(cases(CLZ))


def in_plain_numbers(a, *, row):
    return 0 if a < 0 else 32 - len(f"{a:b}".lstrip("0"))


def test_examples():
    check_examples(CLZ)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()
