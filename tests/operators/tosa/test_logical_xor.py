"""LOGICAL_XOR, TOSA 0.23.0: second opinion in Python's own logic."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

LOGICAL_XOR = find("tosa", "LOGICAL_XOR", "0.23.0")
CASES = list(cases(LOGICAL_XOR))


def in_plain_numbers(a, b, *, row):
    return a is not b


def test_examples():
    check_examples(LOGICAL_XOR)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_every_byte_but_zero_is_true(engine: str):
    a, b = np.meshgrid(*[np.arange(256, dtype=np.uint8)] * 2)
    found = lw.tosa.logical_xor(a.view(np.bool_), b.view(np.bool_), engine=engine)
    want = [[(x != 0) != (y != 0) for y in range(256)] for x in range(256)]
    assert found.T.tolist() == want
    assert set(found.view(np.uint8).ravel().tolist()) == {0, 1}
