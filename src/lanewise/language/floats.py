"""Floating-point numbers as bit patterns: exact conversion to and from real numbers.

Plain integers and fractions, no host rounding: what this file says is what the engines must do.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lanewise.language.sorts import Sort


def infinity(sort: Sort) -> int:
    """The pattern of positive infinity: all exponent bits, no fraction."""
    return ((1 << sort.exponent_bits) - 1) << sort.fraction_bits


def quiet_nan(sort: Sort) -> int:
    """The one NaN pattern that lanewise produces: positive, quiet, empty payload."""
    return infinity(sort) | 1 << (sort.fraction_bits - 1)


def is_nan(pattern: int, sort: Sort) -> bool:
    return (pattern & ~sign_bit(sort)) > infinity(sort)


def sign_bit(sort: Sort) -> int:
    return 1 << (sort.width - 1)


def decode(pattern: int, sort: Sort) -> float:
    """The value of a pattern; exact, because every sort here is a subset of float64."""
    fraction_bits, highest = sort.fraction_bits, (1 << sort.exponent_bits) - 1
    fraction, exponent = pattern & ((1 << fraction_bits) - 1), pattern >> fraction_bits & highest
    sign = -1.0 if pattern & sign_bit(sort) else 1.0
    if exponent == highest:
        return math.nan if fraction else sign * math.inf
    if exponent:
        fraction |= 1 << fraction_bits
    return sign * math.ldexp(fraction, max(exponent, 1) - (highest >> 1) - fraction_bits)


def encode(value: float | int | Fraction, sort: Sort) -> int:
    """The pattern nearest to a real number, ties to even; beyond the largest, infinity."""
    if isinstance(value, float):
        if math.isnan(value):
            return quiet_nan(sort)
        sign = sign_bit(sort) if math.copysign(1.0, value) < 0 else 0
        if math.isinf(value):
            return sign | infinity(sort)
    else:
        sign = sign_bit(sort) if value < 0 else 0
    over, under = value.as_integer_ratio()
    if over == 0:
        return sign
    over = abs(over)
    lowest_exponent = 2 - (1 << (sort.exponent_bits - 1))
    exponent = max(_floor_log2(over, under), lowest_exponent)
    shift = sort.fraction_bits - exponent
    divisor = under << max(-shift, 0)
    scaled, rest = divmod(over << max(shift, 0), divisor)
    if 2 * rest > divisor or (2 * rest == divisor and scaled & 1):
        scaled += 1
    # The hidden bit of a normal number, and a carry out of the fraction, both land in the exponent.
    pattern = ((exponent - lowest_exponent) << sort.fraction_bits) + scaled
    return sign | min(pattern, infinity(sort))


def _floor_log2(over: int, under: int) -> int:
    guess = over.bit_length() - under.bit_length()
    return guess if over << max(-guess, 0) >= under << max(guess, 0) else guess - 1
