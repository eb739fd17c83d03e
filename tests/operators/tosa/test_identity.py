"""IDENTITY, TOSA 0.23.0: what goes in comes out."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

IDENTITY = find("tosa", "IDENTITY", "0.23.0")
CASES = list(cases(IDENTITY))


def in_plain_numbers(a, *, row):
    return a


def test_examples():
    check_examples(IDENTITY)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, any_nan=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_gives_a_copy_with_every_bit(engine: str):
    nans = np.uint32([0x7FC01234, 0xFFC00001, 0x7F800001, 0x80000000]).view(np.float32)
    found = lw.tosa.identity(nans, engine=engine)
    assert found.tobytes() == nans.tobytes()
    assert not np.shares_memory(found, nans)


def test_other_types_are_refused():
    with pytest.raises(lw.InvalidError, match=r"IDENTITY: no row for inputs \(uint8\)"):
        lw.tosa.identity(np.uint8([1]))
