"""ADD, TOSA 0.23.0: second opinion in plain integers and fractions."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, cases, check_examples
from tests.operators.tosa.plain import check_unpredictable, exactly, fits

ADD = find("tosa", "ADD", "0.23.0")
CASES = list(cases(ADD))


def in_plain_numbers(a, b, *, row):
    if row.output.kind == "float":
        return exactly(operator.add, a, b)
    return a + b if fits(a + b, 32) else UNPREDICTABLE


def test_examples():
    check_examples(ADD)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/llvm/llvm-project/pull/172695
def test_an_overflow_is_unpredictable():
    check_unpredictable(
        lambda: lw.tosa.add(np.int32([1, 2147483647]), np.int32([1, 1])),
        "input1 + input2 fits int32",
        {"input1": 2147483647, "input2": 1},
        index=(1,),
    )


# https://github.com/llvm/llvm-project/pull/108133
def test_a_dimension_of_zero_is_an_error():
    empty = np.zeros((3, 0), np.int32)
    with pytest.raises(
        lw.InvalidError, match=r"input1 has shape \[3, 0\]; TOSA needs every dimension to be at least 1"
    ):
        lw.tosa.add(empty, empty)
