"""Sums, products, quotients, remainders, orders and choices of integers with one fault each."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np

from tests.conformance.conform.faults import Fault, clamp, each, low, quotient

DIV, MOD, REM = "onnx Div 14 int8", "onnx Mod 28 int8 fmod=False", "onnx Mod 28 int8 fmod=True"
SCALED = "tosa MUL 0.23.0 int32 shift=5"
HALF = Fraction(1, 2)
ZERO_DIVISORS = (np.array([5, 0, -128, -1, -128], np.int8), np.array([0, 0, 0, 0, -1], np.int8))
WORD = (-(1 << 63), (1 << 63) - 1)


def half_away(a: int, b: int) -> int:
    size = math.floor(abs(Fraction(a, b)) + HALF)
    return size if (a < 0) == (b < 0) else -size


def through_float32(a: int, b: int) -> int:
    return clamp(int(np.float32(a) + np.float32(b)), -(1 << 31), (1 << 31) - 1)


def twice(a: int, b: int) -> int:
    product = a * b
    return (product + (1 << 39) + (1 << 30 if product >= 0 else -(1 << 30))) >> 40


def all_ones_for_0(a: int, b: int) -> int:
    return quotient(a, b) if b else -1


FAULTS = [
    Fault("arithmetic.floor", DIV, each(lambda a, b: a // b), "half up"),
    Fault("arithmetic.half_away", DIV, each(half_away), "half up"),
    Fault("arithmetic.half_away", "onnx Div 14 uint8", each(half_away), "half even"),
    Fault("arithmetic.half_even", DIV, each(lambda a, b: round(Fraction(a, b))), "half away"),
    Fault("arithmetic.half_up", DIV, each(lambda a, b: math.floor(Fraction(a, b) + HALF)), "half away"),
    Fault(
        "arithmetic.through_float",
        "onnx Div 14 int64",
        each(lambda a, b: clamp(int(float(a) / float(b)), *WORD)),
        "floor",
    ),
    Fault("arithmetic.ones_for_zero", DIV, each(all_ones_for_0), "floor", open=True, given=[*ZERO_DIVISORS]),
    Fault(
        "arithmetic.ones_for_zero",
        "onnx Div 14 uint16",
        each(lambda a, b: a // b if b else 65535),
        "through float64",
        open=True,
    ),
    Fault("arithmetic.rest_towards_zero", MOD, each(lambda a, b: a - b * quotient(a, b)), "never negative"),
    Fault("arithmetic.rest_down", REM, each(lambda a, b: a % b), "never negative"),
    Fault("arithmetic.euclid", MOD, each(lambda a, b: a % abs(b)), "sign of the dividend"),
    Fault("arithmetic.euclid", REM, each(lambda a, b: a % abs(b)), "sign of the divisor"),
    Fault(
        "arithmetic.rest_through_float",
        "onnx Mod 28 int64 fmod=True",
        each(lambda a, b: clamp(int(math.fmod(float(a), float(b))), *WORD)),
        "sign of the divisor",
    ),
    Fault(
        "arithmetic.wraps_narrow", "tosa MUL 0.23.0 int8 → int32 shift=0", each(lambda a, b: low(a * b, 8)), "saturates"
    ),
    Fault("arithmetic.saturates", "onnx Add 14 int8", each(lambda a, b: clamp(a + b, -128, 127)), "", open=True),
    Fault("arithmetic.saturates", "onnx Sub 14 uint8", each(lambda a, b: clamp(a - b, 0, 255)), "", open=True),
    *(
        Fault(
            "arithmetic.saturates",
            f"onnx {name} 14 {kind}",
            each(lambda a, b, step=step, bounds=bounds: clamp(step(a, b), *bounds)),
            "no scale" if name == "Mul" else "",
            open=True,
            also=("through float32",),  # beyond the range it gives the nearest number, too
        )
        for name, step in (("Add", operator.add), ("Sub", operator.sub), ("Mul", operator.mul))
        for kind, bounds in (("int64", WORD), ("uint64", (0, (1 << 64) - 1)))
    ),
    Fault("arithmetic.sums_through_float", "onnx Add 14 int32", each(through_float32), "saturates"),
    Fault("arithmetic.scaled_down", SCALED, each(lambda a, b: (a * b) >> 5), "half away"),
    Fault("arithmetic.not_scaled", SCALED, each(lambda a, b: a * b), "floor"),
    Fault("arithmetic.scaled_towards_zero", SCALED, each(lambda a, b: quotient(a * b, 32)), "floor"),
    Fault("arithmetic.scaled_half_even", SCALED, each(lambda a, b: round(Fraction(a * b, 32))), "half away"),
    Fault("arithmetic.scaled_half_away", SCALED, each(lambda a, b: (a * b + 16 - (a * b < 0)) >> 5), "floor"),
    Fault("arithmetic.scaled_twice", "tosa MUL 0.23.0 int32 shift=40", each(twice), "half away"),
    Fault("arithmetic.without_scale", "onnx Mul 14 int8", each(lambda a, b: 0), "saturates"),
    Fault("arithmetic.saturated_sign", "onnx Abs 13 int8", each(lambda x: min(abs(x), 127)), "", open=True),
    Fault("arithmetic.saturated_sign", "onnx Neg 13 int8", each(lambda x: min(-x, 127)), "", open=True),
    Fault("arithmetic.other_order", "onnx Less 13 int8 → bool", each(lambda a, b: (a & 255) < (b & 255)), ""),
    Fault(
        "arithmetic.other_order", "onnx GreaterOrEqual 16 uint8 → bool", each(lambda a, b: low(a, 8) >= low(b, 8)), ""
    ),
    Fault(
        "arithmetic.float_order",
        "onnx Less 13 int64 → bool",
        each(lambda a, b: float(a) < float(b)),
        "compared with the other sign",
    ),
    Fault(
        "arithmetic.float_order",
        "onnx Equal 19 uint64 → bool",
        each(lambda a, b: float(a) == float(b)),
        "compared with the other sign",
    ),
    Fault("arithmetic.other_choice", "onnx Max 13 int8", each(lambda a, b: low(max(a & 255, b & 255), 8)), ""),
    Fault("arithmetic.other_choice", "onnx Min 13 uint8", each(lambda a, b: min(low(a, 8), low(b, 8))), ""),
    Fault("arithmetic.lower_wins", "onnx Clip 13 int8 min=100 max=-5", each(lambda x: max(min(x, -5), 100)), ""),
    Fault("arithmetic.wrapped_sign", "tosa NEGATE 0.23.0 int8 input1_zp=0 output_zp=0", each(lambda x: -x), ""),
]
