"""Float patterns: exact both ways, against struct and ml_dtypes."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanewise.language.floats import decode, encode, is_nan
from lanewise.language.sorts import bf16, f16, f32, f64

FORMATS = [(f16, np.float16), (bf16, ml_dtypes.bfloat16), (f32, np.float32), (f64, np.float64)]


@pytest.mark.parametrize(("sort", "dtype"), FORMATS[:2], ids=str)
def test_all_sixteen_bit_patterns(sort, dtype):
    for pattern in range(1 << 16):
        value = decode(pattern, sort)
        host = float(np.array(pattern, np.uint16).view(dtype))
        if math.isnan(host):
            assert math.isnan(value)
            assert is_nan(pattern, sort)
        else:
            assert value == host
            assert math.copysign(1, value) == math.copysign(1, host)
            assert encode(value, sort) == pattern
            assert value == 0 or math.isinf(value) or encode(Fraction(value), sort) == pattern


@given(st.floats(allow_nan=False, width=64))
@pytest.mark.parametrize(("sort", "dtype"), FORMATS, ids=str)
def test_rounding_is_the_hosts(sort, dtype, value):
    with np.errstate(over="ignore"):
        if sort == bf16:
            # ml_dtypes rounds float64 twice, through float32: only values that float32 has are a fair test.
            value = float(np.float32(value))
        expected = np.array(value, np.float64).astype(dtype)
    word = {16: np.uint16, 32: np.uint32, 64: np.uint64}[sort.width]
    assert encode(value, sort) == int(expected.view(word))


def test_ties_go_to_even_and_overflow_to_infinity():
    assert decode(encode(Fraction(2049), f16), f16) == 2048
    assert decode(encode(Fraction(2051), f16), f16) == 2052
    assert decode(encode(Fraction(65520), f16), f16) == math.inf
    assert decode(encode(Fraction(65519), f16), f16) == 65504
    assert encode(Fraction(1, 1 << 26), f16) == 0
    assert encode(Fraction(3, 1 << 26), f16) == 1
    assert encode(-0.0, f32) == 0x80000000
    assert encode(math.nan, f32) == struct.unpack("<I", struct.pack("<f", math.nan))[0]
