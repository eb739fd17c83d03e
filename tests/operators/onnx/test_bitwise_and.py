"""BitwiseAnd, ONNX: second opinion bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import bits, from_bits

BITWISE_AND = find("onnx", "BitwiseAnd", 18)
CASES = list(cases(BITWISE_AND))


def in_plain_numbers(A, B, *, row):
    return from_bits([int(a and b) for a, b in zip(bits(A, row.output), bits(B, row.output), strict=True)], row.output)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_floats_are_refused():
    x = np.array([1.5], np.float32)
    with pytest.raises(lw.InvalidError, match=r"BitwiseAnd-18: no row for inputs \(float32, float32\)"):
        lw.onnx.bitwise_and(x, x)


def test_no_version_before_18():
    x = np.array([1], np.int8)
    with pytest.raises(lw.InvalidError, match="BitwiseAnd: not in ONNX opset 17; its versions are 18"):
        lw.onnx.bitwise_and(x, x, opset=17)


def test_a_number_takes_the_type_beside_it():
    assert lw.onnx.bitwise_and(np.array([6, 5], np.uint8), 3).dtype == np.uint8
    with pytest.raises(lw.InvalidError, match=r"BitwiseAnd-18: B: 256 does not fit uint8 \(0 … 255\)"):
        lw.onnx.bitwise_and(np.array([6, 5], np.uint8), 256)
