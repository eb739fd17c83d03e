"""What a table is asked for with: functions that have gaps or faults, and numbers of every type."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.tables.build import Quantised
from lanewise.conformance.tables.check import check_table


def test_only_a_domain_error_or_nan_is_no_value():
    def read(x: float) -> float:
        return float("three" if x == 5 else x)

    def ranged(x: float) -> float:
        if x < 0:
            raise ValueError("x below 0")
        return x

    for function, message in [
        (read, "the function, at 5.0: ValueError: could not convert string to float: 'three'; "),
        (ranged, "the function, at -128.0: ValueError: x below 0; it gives math.nan where it has no value"),
        (lambda x: missing, "the function, at -128.0: NameError: "),  # type: ignore[name-defined]  # noqa: F821
        (len, "the function, at -128.0: object of type 'float' has no len()"),
    ]:
        with pytest.raises(lw.InvalidError) as caught:
            check_table(np.zeros(256, np.int8), Quantised(function, 1.0, 0, 1.0, 0))
        assert message in str(caught.value)
    # As Python itself says it: math domain error, or from 3.14 on what was expected.
    for function in (math.sqrt, math.log, math.acos, math.gamma, math.log1p, lambda x: 1 / x, lambda x: math.nan):
        with pytest.raises(lw.InvalidError, match="the function has no value at"):
            lw.build_table(function, 1.0, 0, 1.0, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, np.int64, np.uint8])
def test_scales_of_numpy_types_are_numbers(kind: type):
    scale = kind(2)
    assert lw.build_table("identity", scale, 0, scale, 0).tolist() == list(range(-128, 128))
    assert isinstance(Quantised(math.tanh, scale, 0, scale, 0).input_scale, float)
    zero_point = np.int64(5)
    assert lw.build_table("tanh", 0.05, zero_point, 0.01, zero_point).tolist() == (
        lw.build_table("tanh", 0.05, 5, 0.01, 5).tolist()
    )


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (True, "input_scale is True (bool)"),
        (np.True_, "input_scale is np.True_ (bool"),
        ("1", "input_scale is '1' (str)"),
        (1j, "input_scale is 1j (complex)"),
        (math.nan, "input_scale is nan;"),
        (np.float32(np.inf), "input_scale is inf;"),
        (0, "input_scale is 0.0;"),
        (np.float32(-1), "input_scale is -1.0;"),
        (10**400, "input_scale is (a whole number of 1329 bits), which float64 does not reach"),
        (-(10**400), "input_scale is -(a whole number of 1329 bits), which float64 does not reach"),
        (1e308, "input_scale is 1e+308: code -128 stands for a number that float64 does not reach"),
    ],
)
def test_what_is_no_scale_is_refused_with_the_reason(scale: object, text: str):
    with pytest.raises(lw.InvalidError) as caught:
        lw.build_table("identity", scale, 0, 1.0, 0)  # type: ignore[arg-type]
    assert str(caught.value).startswith(text)
    assert "allowed: finite numbers above 0" in str(caught.value) or scale == 1e308


@pytest.mark.parametrize(
    ("zero_point", "text"),
    [
        (True, "output_zero_point is True (bool); allowed: whole numbers, -128 … 127 for int8"),
        (np.True_, "output_zero_point is np.True_ (bool"),
        (3.0, "output_zero_point is 3.0 (float); allowed: whole numbers, -128 … 127 for int8"),
        (np.int64(200), "output_zero_point is 200; int8 has -128 … 127"),
    ],
)
def test_what_is_no_zero_point_is_refused_with_the_reason(zero_point: object, text: str):
    with pytest.raises(lw.InvalidError) as caught:
        lw.build_table("identity", 1.0, 0, 1.0, zero_point)  # type: ignore[arg-type]
    assert str(caught.value).startswith(text)
