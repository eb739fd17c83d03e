"""Conversions with one fault each."""

from __future__ import annotations

import math

import numpy as np

from tests.conformance.conform.faults import Fault, clamp, each, flushed

REALS = (0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.75, 3.25, -3.25, 126.5, -127.5)  # within a byte
BEYOND = (127.75, -128.75, 128.0, -129.0, 300.0, -300.0, 65544.0, 2.0**31, -(2.0**31) - 600.0, 2.0**40 + 2.0**20, 1e30)
FAR = np.array([*BEYOND, math.inf, -math.inf], np.float32)
MIXED = np.array([*REALS, *BEYOND], np.float32)


def towards_zero(x: float) -> int:
    return math.trunc(x)


def half_away(x: float) -> int:
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def cut(x: float, width: int) -> int:
    """As a processor does: the lowest number for what does not fit."""
    inside = math.isfinite(x) and -(1 << (width - 1)) <= math.trunc(x) < 1 << (width - 1)
    return math.trunc(x) if inside else -(1 << (width - 1))


def in_halves(x: float) -> int:
    """To uint32 by conversions to int32."""
    return cut(x - 2.0**31, 32) ^ (1 << 31) if x >= 2.0**31 else cut(x, 32)


FAULTS = [
    Fault(
        "conversion.truncated",
        "tosa CAST 0.23.0 float32 → int8",
        each(lambda x: clamp(towards_zero(x), -128, 127)),
        "floor",
        given=[MIXED],
    ),
    Fault(
        "conversion.half_away",
        "tosa CAST 1.1 float32 → int8 input_unsigned=False",
        each(lambda x: clamp(half_away(x), -128, 127)),
        "truncation, saturating",
        given=[MIXED],
    ),
    Fault(
        "conversion.floor",
        "tosa CAST 0.23.0 float32 → int8",
        each(lambda x: clamp(math.floor(x), -128, 127)),
        "truncation, saturating",
        given=[MIXED],
    ),
    Fault(
        "conversion.half_even",
        "onnx Cast 28 float32 → int8",
        each(round),
        "half away",
        given=[np.array(REALS, np.float32)],
    ),
    Fault(
        "conversion.low_of_32",
        "onnx Cast 28 float64 → int8",
        each(lambda x: cut(x, 32)),
        "wraps from 64 bits",
        open=True,
        given=[np.array([*BEYOND, 2.0**31 + 7, -(2.0**40) - 9])],
    ),
    Fault(
        "conversion.low_of_64",
        "onnx Cast 28 float32 → int16",
        each(lambda x: cut(x, 64)),
        "wraps from 32 bits",
        open=True,
        given=[np.append(FAR, np.float32(-(2.0**31) - 65536 - 512))],
    ),
    Fault(
        "conversion.indefinite",
        "onnx Cast 28 float32 → int8",
        each(lambda x: cut(x, 8)),
        "wraps from 32 bits",
        open=True,
        given=[FAR],
    ),
    Fault(
        "conversion.halves",
        "onnx Cast 28 float32 → uint32",
        each(in_halves),
        "wraps from 64 bits",
        open=True,
        given=[np.append(FAR, np.float32([math.nan, -1.0, -(2.0**33) - 1024.0, 2.0**33 + 1024.0]))],
    ),
    Fault(
        "conversion.saturated",
        "onnx Cast 28 int16 → int8",
        each(lambda x: clamp(x, -128, 127)),
        "read with the other sign",
    ),
    Fault("conversion.low_bit", "onnx Cast 28 int8 → bool", each(lambda x: x % 2), "read with the other sign"),
    Fault(
        "conversion.whole_first",
        "onnx Cast 28 float16 → bool",
        lambda x: np.where(np.isnan(x), np.float16(0), np.trunc(x)) != 0,
        "subnormal numbers are 0",
    ),
    Fault(
        "conversion.twice",
        "onnx Cast 28 float64 → float16",
        lambda x: x.astype(np.float32).astype(np.float16),
        "subnormal numbers are 0",
        given=[np.array([1.0, 1 + 2.0**-11 + 2.0**-40, 3 + 2.0**-10 + 2.0**-41, -1 - 2.0**-11 - 2.0**-45, 1.5])],
    ),
    Fault("conversion.other_sign", "onnx Cast 28 int8 → int16", each(lambda x: x & 255), "saturates"),
    Fault("conversion.other_sign", "onnx Cast 28 uint8 → float32", lambda x: x.view(np.int8), ""),
    Fault(
        "conversion.flushed",
        "onnx Cast 28 float64 → float16",
        lambda x: flushed(flushed(x).astype(np.float16)),
        "double rounding",
        open=True,
    ),
    Fault(
        "conversion.twice",
        "tosa CAST 1.1 int32 → bfloat16 input_unsigned=True",
        lambda x: x.view(np.uint32).astype(np.float32),
        "read with the other sign",
        given=[np.array([-8388609, 1, -1, 135790590, -135790590], np.int32)],
    ),
]
