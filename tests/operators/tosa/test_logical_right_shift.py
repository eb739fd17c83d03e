"""LOGICAL_RIGHT_SHIFT, TOSA 0.23.0: second opinion in plain integers."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable, wrapped

LOGICAL_RIGHT_SHIFT = find("tosa", "LOGICAL_RIGHT_SHIFT", "0.23.0")
CASES = list(cases(LOGICAL_RIGHT_SHIFT))


def in_plain_numbers(a, b, *, row):
    if not 0 <= b <= 31:
        return UNPREDICTABLE
    width = row.output.width
    return wrapped(a % 2**width // 2**b, width)


def test_examples():
    check_examples(LOGICAL_RIGHT_SHIFT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_counts_end_at_31_for_every_width(dtype: type):
    one = np.array([1], dtype)
    width = 8 * one.itemsize
    for count in range(width, 32):
        assert lw.tosa.logical_right_shift(-one, one * count).tolist() == [0]
    for count in (-1, 32):
        check_unpredictable(
            lambda count=count: lw.tosa.logical_right_shift(one, one * count),
            "0 <= input2 <= 31",
            {"input1": 1, "input2": count},
        )


@pytest.mark.parametrize(
    ("dtype", "a", "b", "want"),
    [
        # https://github.com/iree-org/iree/issues/11792
        (np.int16, [5, 8, 9, 256, -2], [0, 1, 2, 8, 1], [5, 4, 2, 1, 32767]),
        # https://github.com/esl-epfl/ESL-CGRA-simulator/pull/2
        (np.int32, [-123456789], [3], [521438813]),
    ],
)
def test_public_cases(dtype, a, b, want):
    assert lw.tosa.logical_right_shift(np.array(a, dtype), np.array(b, dtype)).tolist() == want
