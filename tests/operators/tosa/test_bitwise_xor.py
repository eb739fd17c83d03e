"""BITWISE_XOR, TOSA 0.23.0: second opinion bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples
from tests.operators.tosa.plain import wrapped

BITWISE_XOR = find("tosa", "BITWISE_XOR", "0.23.0")
CASES = list(cases(BITWISE_XOR))


def in_plain_numbers(a, b, *, row):
    width = row.output.width
    return wrapped(sum(2**k for k in range(width) if a >> k & 1 != b >> k & 1), width)


def test_examples():
    check_examples(BITWISE_XOR)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/openvinotoolkit/openvino/issues/34638
def test_one_element_beside_a_row():
    found = lw.tosa.bitwise_xor(np.arange(64, dtype=np.int8).reshape(1, 64), np.int8([[15]]))
    assert found.tolist() == [[k ^ 15 for k in range(64)]]
