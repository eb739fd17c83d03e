"""CAST, TOSA 0.23.0: second opinion in plain integers and fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw
from lanewise.language.sorts import bf16, boolean, f16, f32, i8, i16, i32
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples
from tests.operators.tosa.plain import wrapped

CAST = find("tosa", "CAST", "0.23.0")
CASES = list(cases(CAST, [{"output_type": sort} for sort in (boolean, i8, i16, i32, f16, bf16, f32)]))


def in_plain_numbers(a, *, output_type, row):
    if output_type.kind == "bool":
        return a != 0
    if output_type.kind == "float":
        return Fraction(a)
    limit = 2 ** (output_type.width - 1)
    if row.inputs[0].kind == "float":
        if math.isnan(a):
            return 0
        whole = round(Fraction(a)) if math.isfinite(a) else math.copysign(2**40, a)
        return int(min(max(whole, -limit), limit - 1))
    return wrapped(int(a), output_type.width)


def test_every_row_is_tried():
    assert len(CASES) == len(CAST.rows) == 30


def test_examples():
    check_examples(CAST)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("name", ["int8", np.int8, np.dtype(np.int8), i8, "INT8"])
def test_a_type_may_be_given_in_several_ways(name):
    found = lw.tosa.cast(np.float32([1.5, 2.5, -0.5, 300, math.nan]), output_type=name)
    assert found.dtype == np.int8
    assert found.tolist() == [2, 2, 0, 127, 0]


def test_bfloat16_is_ml_dtypes():
    found = lw.tosa.cast(np.int32([257, 259]), output_type="bfloat16")
    assert found.dtype == ml_dtypes.bfloat16
    assert found.astype(float).tolist() == [256.0, 260.0]  # ties to even


@pytest.mark.parametrize(
    ("value", "output_type", "listed"),
    [
        (np.float32([1]), "bool", "float32"),
        (np.float32([1]), "float16", "float32"),
        (np.array([True]), "float32", "bool"),
        (np.int8([1]), "int8", "int8"),
        (np.int8([1]), "uint8", "int8"),
    ],
)
def test_pairs_that_the_table_lacks_are_refused(value, output_type, listed):
    with pytest.raises(lw.InvalidError, match=rf"CAST: no row for inputs \({listed}\) -> {output_type}"):
        lw.tosa.cast(value, output_type=output_type)


def test_an_unknown_type_is_refused_by_name():
    with pytest.raises(lw.InvalidError, match="attribute output_type is 'int9'; allowed: the name of an element type"):
        lw.tosa.cast(np.int8([1]), output_type="int9")
    with pytest.raises(lw.InvalidError, match="attribute output_type is missing"):
        lw.tosa.cast(np.int8([1]))


def test_floats_need_a_main_profile():
    with pytest.raises(lw.InvalidError, match="profile BI has no row for"):
        lw.tosa.cast(np.float32([1]), output_type="int8", profile="BI")
    assert lw.tosa.cast(np.float32([1]), output_type="int8", profile="MI").tolist() == [1]
