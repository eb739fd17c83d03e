"""Shifts with one fault each."""

from __future__ import annotations

import struct

import numpy as np

from tests.conformance.conform.faults import Fault, clamp, each, low

LEFT, RIGHT = "onnx BitShift 28 int8 direction=LEFT", "onnx BitShift 28 int8 direction=RIGHT"
PLAIN = "tosa ARITHMETIC_RIGHT_SHIFT 0.23.0 int8 round=False"
ROUNDED = "tosa ARITHMETIC_RIGHT_SHIFT 0.23.0 int8 round=True"
LOGICAL = "tosa LOGICAL_RIGHT_SHIFT 0.23.0 int8"
LOGICAL_16 = "tosa LOGICAL_RIGHT_SHIFT 0.23.0 int16"
LEFT_32, LEFT_64 = "onnx BitShift 28 int32 direction=LEFT", "onnx BitShift 28 uint64 direction=LEFT"
LOGICAL_LEFT = "tosa LOGICAL_LEFT_SHIFT 0.23.0 int8"


def left(x: int, n: int) -> int:
    """As specified: a count below 0 is a large one."""
    return x << n if 0 <= n < 8 else 0


def right(x: int, n: int) -> int:
    return x >> n if 0 <= n < 8 else x >> 7


def half(n: int) -> int:
    return (1 << n) >> 1


def half_away(x: int, n: int) -> int:
    size = (abs(x) + half(n)) >> n
    return size if x >= 0 else -size


def half_even(x: int, n: int) -> int:
    return round(x / (1 << n))


def float_power(x: int, n: int) -> int:
    """A processor's way: the exponent is moved into its field, and the float is cut to int32."""
    (factor,) = struct.unpack("<f", struct.pack("<I", ((n + 127) << 23) & 0xFFFFFFFF))
    return x * (int(factor) if abs(factor) < 2**31 else -(2**31))


FAULTS = [
    Fault("shift.masked", RIGHT, each(lambda x, n: x >> (n & 7)), "promoted to 32 bits"),
    Fault("shift.masked", LEFT, each(lambda x, n: x << (n & 7)), "x beyond the width"),
    Fault("shift.masked", LOGICAL, each(lambda x, n: (x & 255) >> (n & 7)), "count clamped"),
    Fault("shift.masked", LOGICAL_LEFT, each(lambda x, n: x << (n & 7)), "count clamped"),
    Fault("shift.masked", LOGICAL_16, each(lambda x, n: (x & 65535) >> (n & 15)), "count clamped"),
    Fault("shift.promoted", LEFT, each(lambda x, n: x << (n & 31)), "promoted to 64 bits"),
    Fault("shift.promoted_64", RIGHT, each(lambda x, n: x >> (n & 63)), "promoted to 32 bits"),
    Fault(
        "shift.sign_extended",
        "onnx BitShift 28 uint8 direction=RIGHT",
        each(lambda x, n: low(x, 8) >> (n & 31)),
        "arithmetic for logical",
    ),
    Fault(
        "shift.widened_with_sign",
        LOGICAL,
        each(lambda x, n: (x & 0xFFFFFFFF) >> n),
        "arithmetic for logical",
    ),
    Fault("shift.clamped", LOGICAL_LEFT, each(lambda x, n: x << min(n, 7)), "count masked by the width"),
    Fault("shift.clamped", LEFT, each(lambda x, n: x << min(n & 255, 7)), "count clamped on both sides"),
    Fault("shift.clamped_logical", LOGICAL, each(lambda x, n: (x & 255) >> clamp(n, 0, 7)), "arithmetic for logical"),
    Fault("shift.clamped_signed", LEFT, each(lambda x, n: x << clamp(n, 0, 7)), "count clamped"),
    Fault("shift.clamped_signed", RIGHT, each(lambda x, n: x >> clamp(n, 0, 7)), "0 for negative counts"),
    Fault("shift.nothing_beyond", RIGHT, each(lambda x, n: x >> n if 0 <= n < 8 else 0), "0 for negative counts"),
    Fault("shift.same_beyond", RIGHT, each(lambda x, n: x >> n if 0 <= n < 8 else x), "count clamped on both sides"),
    Fault("shift.same_beyond", LOGICAL, each(lambda x, n: (x & 255) >> n if n < 8 else x), "count clamped"),
    Fault("shift.same_beyond", LOGICAL_LEFT, each(lambda x, n: x << n if n < 8 else x), "count clamped"),
    Fault("shift.nothing_below", RIGHT, each(lambda x, n: right(x, n) if n >= 0 else 0), "0 beyond the width"),
    Fault("shift.same_below", LEFT, each(lambda x, n: left(x, n) if n >= 0 else x), "x beyond the width"),
    Fault(
        "shift.turned",
        RIGHT,
        each(lambda x, n: right(x, n) if n >= 0 else left(x, -n)),
        "0 for negative counts",
    ),
    Fault("shift.turned", LEFT, each(lambda x, n: left(x, n) if n >= 0 else right(x, -n)), "x for negative counts"),
    Fault("shift.saturated", LEFT, each(lambda x, n: clamp(x << (n & 255), -128, 127)), "count clamped"),
    Fault("shift.saturated", LOGICAL_LEFT, each(lambda x, n: clamp(x << n, -128, 127)), "count clamped"),
    Fault(
        "shift.saturated",
        LEFT_32,
        each(lambda x, n: clamp(x << (n % 2**32 if n % 2**32 < 64 else 64), -(2**31), 2**31 - 1)),
        "count clamped",
    ),
    Fault("shift.saturated", LEFT_64, each(lambda x, n: clamp(x << min(n, 64), 0, 2**64 - 1)), "count clamped"),
    Fault("shift.by_exponent", "onnx BitShift 28 int16 direction=LEFT", each(float_power), "promoted to 32 bits"),
    Fault("shift.logical", RIGHT, each(lambda x, n: (x & 255) >> (n & 255)), "0 beyond the width"),
    Fault("shift.logical", PLAIN, each(lambda x, n: (x & 255) >> n), "truncation"),
    Fault("shift.arithmetic", LOGICAL, each(lambda x, n: x >> n), "count clamped"),
    Fault(
        "shift.arithmetic",
        "onnx BitShift 28 uint8 direction=RIGHT",
        each(lambda x, n: low(x, 8) >> n),
        "sign- for zero-extension",
    ),
    Fault("shift.floor", ROUNDED, each(lambda x, n: x >> n), "truncation"),
    Fault("shift.half_up", PLAIN, each(lambda x, n: (x + half(n)) >> n), "half away"),
    Fault("shift.half_away", ROUNDED, each(half_away), "half even"),
    Fault("shift.half_even", ROUNDED, each(half_even), "half away"),
    Fault("shift.truncated", ROUNDED, each(lambda x, n: int(x / (1 << n))), "floor"),
    Fault("shift.truncated", PLAIN, each(lambda x, n: int(x / (1 << n))), "half away"),
    Fault("shift.wrapped_sum", ROUNDED, each(lambda x, n: low(x + half(n), 8) >> n), "half of a wrapped power"),
    Fault(
        "shift.wrapped_half",
        ROUNDED,
        lambda x, n: (x + ((np.int8(1) << n) >> np.int8(1))) >> n,
        "the sum wraps before the shift",
    ),
]
