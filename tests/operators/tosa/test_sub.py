"""SUB, TOSA 0.23.0: second opinion in plain integers and fractions."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable, exactly, fits

SUB = find("tosa", "SUB", "0.23.0")
CASES = list(cases(SUB))


def in_plain_numbers(a, b, *, row):
    if row.output.kind == "float":
        return exactly(operator.sub, a, b)
    return a - b if fits(a - b, 32) else UNPREDICTABLE


def test_examples():
    check_examples(SUB)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/llvm/llvm-project/pull/172695
def test_an_overflow_is_unpredictable():
    check_unpredictable(
        lambda: lw.tosa.sub(np.int32([-2147483648]), np.int32([1])),
        "input1 - input2 fits int32",
        {"input1": -2147483648, "input2": 1},
    )


# https://github.com/llvm/llvm-project/issues/61304
def test_a_number_beside_a_list_differs_in_rank():
    with pytest.raises(
        lw.InvalidError, match=r"input1 has shape \[4\] and input2 has shape \[\]; TOSA needs equal ranks"
    ):
        lw.tosa.sub(np.float32([1, 2, 3, 4]), 3.0)
