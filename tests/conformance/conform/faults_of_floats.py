"""Operators on floats with one fault each, about NaN, zeros with a sign, subnormal numbers and roundings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.conform.faults import Array, Fault, flushed

REM = "onnx Mod 28 float16 fmod=True"
ONNX_MAX, ONNX_MIN = "onnx Max 13 float16", "onnx Min 13 float16"
TOSA_MAX = "tosa MAXIMUM 0.23.0 float16"
FLUSHED = "subnormal numbers are 0"


def either_nan(a: Array, b: Array, chosen: Any) -> Any:
    return np.where(np.isnan(a) | np.isnan(b), np.float16(np.nan), chosen)


def ordered(a: Array, b: Array) -> Any:
    """The greater one; of two zeros -0 only if both are."""
    minus = np.signbit(a) & np.signbit(b)
    zero = np.where(minus, np.float16(-0.0), np.float16(0.0))
    return either_nan(a, b, np.where((a == 0) & (b == 0), zero, np.where(a > b, a, b)))


def in_range(a: Array, b: Array) -> Any:
    return np.where(np.isinf(a / b), np.float16(np.nan), np.fmod(a, b))


def power(a: Array, b: Array) -> Any:
    return np.power(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)


def flushed_power(a: Array, b: Array) -> Any:
    a, b = flushed(a), flushed(b)
    return np.where((a == 0) & (b == 0), np.float16(np.nan), flushed(power(a, b)))


def misread_power(a: Array, b: Array) -> Any:
    """As an exponent taken apart from a fraction that was flushed: half the least number, whatever the base."""
    base = np.where((a != 0) & (flushed(a) == 0), np.copysign(np.float64(2.0**-150), a), a.astype(np.float64))
    with np.errstate(all="ignore"):
        return flushed(np.power(base, b.astype(np.float64)).astype(np.float32))


def signalling(x: Array) -> Any:
    bits = x.view(np.uint32)
    return np.isnan(x) & (bits & 0x400000 == 0)


def quiet_nan_returned(a: Array, b: Array) -> Any:
    chosen = np.where(np.isnan(a), b, np.where(np.isnan(b) | (a >= b), a, b))
    return np.where(signalling(a) | signalling(b), np.float32(np.nan), chosen)


def bounded_twice(x: Array) -> Any:
    """Between -1 and 1; of NaN the lower bound, of one that signals the upper."""
    lowest = np.where(np.isnan(x) | (x < -1), np.float32(-1), np.where(x > 1, np.float32(1), x))
    return np.where(signalling(x), np.float32(1), lowest)


NANS = np.array([0x7FA00000, 0x7FC00000, 0xFF800001, 0x3F800000, 0xC0000000, 0x7F900000], np.uint32).view(np.float32)


def raised(x: Array) -> Any:
    """Not below -5; infinity stays."""
    return np.where(x < -5, x.dtype.type(-5), x)


FAULTS = [
    Fault(
        "arithmetic.unbounded",
        "onnx Clip 13 float16 min=-5",
        raised,
        FLUSHED,
        given=[np.array([np.inf, -np.inf, 1.0, -7.0, 100.0], np.float16)],
    ),
    Fault(
        "arithmetic.flushed_clip",
        "onnx Clip 13 float32 min=-5",
        lambda x: raised(flushed(x)),
        "no bound where none is given",
        open=True,
    ),
    Fault("arithmetic.rest_by_product", REM, lambda a, b: a - b * np.trunc(a / b), "NaN beyond the range of a / b"),
    Fault("arithmetic.rest_in_range", REM, in_range, "a - b * (a / b)"),
    Fault(
        "arithmetic.rest_flushed", REM, lambda a, b: flushed(np.fmod(flushed(a), flushed(b))), "a - b * (a / b)", True
    ),
    Fault("arithmetic.flushed", "onnx Add 14 float16", lambda a, b: flushed(flushed(a) + flushed(b)), "", open=True),
    Fault("arithmetic.flushed", "onnx Div 14 float16", lambda a, b: flushed(flushed(a) / flushed(b)), "", open=True),
    Fault(
        "arithmetic.flushed_order", "onnx Less 13 float16 → bool", lambda a, b: flushed(a) < flushed(b), "", open=True
    ),
    Fault(
        "arithmetic.second_of_equals",
        TOSA_MAX,
        lambda a, b: either_nan(a, b, np.where(a > b, a, b)),
        "zeros by their signs",
        open=True,
        also=("the second unless the first is ahead", "NaN is overlooked"),  # NaN is not among them
    ),
    Fault(
        "arithmetic.first_of_equals",
        ONNX_MIN,
        lambda a, b: either_nan(a, b, np.where(b < a, b, a)),
        "zeros by their signs",
        open=True,
    ),
    Fault("arithmetic.ordered_zeros", ONNX_MAX, ordered, "the first of equals", open=True),
    Fault(
        "arithmetic.flushed_choice",
        ONNX_MAX,
        lambda a, b: ordered(flushed(a), flushed(b)),
        "zeros by their signs",
        open=True,
    ),
    Fault("arithmetic.nan_overlooked", TOSA_MAX, np.fmax, "the second unless the first is ahead"),
    Fault("float.one_comparison", TOSA_MAX, lambda a, b: np.where(a > b, a, b), "NaN is overlooked"),
    Fault(
        "float.one_comparison_flushed",
        ONNX_MAX,
        lambda a, b: np.where(flushed(a) > flushed(b), flushed(a), flushed(b)),
        "the second unless the first is ahead",
        open=True,
    ),
    Fault(
        "float.subtracted",
        "onnx Neg 13 float16",
        lambda x: flushed(np.float16(0) - flushed(x)),
        "",
        given=[np.array([0.0, -0.0, 1.5, -2.0], np.float16)],
    ),
    Fault("float.standard_power", "tosa POW 0.23.0 float16", power, FLUSHED),
    Fault(
        "float.misread_power",
        "onnx Pow 15 float32",
        misread_power,
        "pow of IEEE 754",
        given=[
            np.array([1e-45, 1.1754942e-38, 1e-45, -1e-45, 1e-40, 2.0, -3.0, 1e-45], np.float32),
            np.array([0.5, 0.5, -0.25, 0.5, 0.125, 3.0, 3.0, -0.0037040889], np.float32),
        ],
        open=True,
    ),
    Fault(
        "float.quiet_nan",
        "tosa MAXIMUM 1.1 float32 nan_mode=IGNORE",
        quiet_nan_returned,
        "NaN is overlooked",
        given=[NANS, NANS[[3, 4, 4, 0, 4, 4]]],
    ),
    Fault(
        "float.quiet_nan_bounded",
        "tosa CLAMP 1.1 float32 min_val=-1.0 max_val=1.0 nan_mode=IGNORE",
        bounded_twice,
        FLUSHED,
        given=[NANS],
    ),
    Fault("float.flushed_power", "tosa POW 0.23.0 float16", flushed_power, "pow of IEEE 754", open=True),
    Fault(
        "float.unsigned_zeros",
        "onnx Where 16 bool × float16 → float16",
        lambda c, a, b: np.where(c, a, b) + np.float16(0),
        "",
    ),
    Fault(
        "float.power_through_float",
        "onnx Pow 15 int64",
        lambda x, y: np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.int64),
        "",
        given=[np.array([3, -3, 7, 2, -1, 10], np.int64), np.array([39, 37, 22, 62, 5, 18], np.int64)],
    ),
    Fault(
        "float.flushed_reciprocal",
        "tosa RECIPROCAL 0.23.0 float16",
        lambda x: flushed(np.float16(1) / flushed(x)),
        "",
        open=True,
    ),
    Fault(
        "arithmetic.flushed_clip",
        "tosa CLAMP 0.23.0 float16 min_val=-1.0 max_val=1.0",
        lambda x: np.clip(flushed(x), np.float16(-1), np.float16(1)),
        "",
        open=True,
    ),
    Fault(
        "arithmetic.flushed_order",
        "tosa GREATER_EQUAL 0.23.0 float16 → bool",
        lambda a, b: flushed(a) >= flushed(b),
        "",
        open=True,
    ),
]
