"""a ** b for floats, correctly rounded: exact fractions where the result may be a tie, mpmath elsewhere."""

from __future__ import annotations

import math
from fractions import Fraction

from lanewise.language import floats
from lanewise.language.sorts import Sort


def rounded_power(a: int, b: int, sort: Sort) -> int:
    """The pattern nearest to a ** b; special cases as IEEE 754 pow has them."""
    x, y = floats.decode(a, sort), floats.decode(b, sort)
    special = _special(x, y)
    if special is not None:
        return floats.encode(special, sort)
    negative = x < 0 and _is_odd(y)
    magnitude = _magnitude(abs(x), y, sort)
    pattern = floats.encode(magnitude, sort)
    return pattern | floats.sign_bit(sort) if negative else pattern


def _special(x: float, y: float) -> float | None:
    """The result where it is not a rounded real power."""
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if math.isinf(y):
        if abs(x) == 1:
            return 1.0
        return math.inf if (abs(x) > 1) == (y > 0) else 0.0
    odd = _is_odd(y)
    if x == 0 or math.isinf(x):
        size = 0.0 if (x == 0) == (y > 0) else math.inf
        return math.copysign(size, x) if odd else size
    if x < 0 and y != math.floor(y):
        return math.nan
    return None


def _is_odd(y: float) -> bool:
    return math.fmod(y, 2) in (1, -1)  # exact, where Python's % rounds: -(1 - 2**-53) % 2 is 1


def _magnitude(x: float, y: float, sort: Sort) -> Fraction | float:
    if x == 1:
        return 1.0
    if y == math.floor(y) and abs(y) <= 64:  # only small whole exponents reach a tie between two floats
        return Fraction(x) ** int(y)
    import mpmath

    with mpmath.workprec(400):
        log2 = mpmath.mpf(y) * mpmath.log(mpmath.mpf(x), 2)
        if log2 > 1 << (sort.exponent_bits - 1):
            return math.inf
        if log2 < -(1 << (sort.exponent_bits - 1)) - sort.fraction_bits:
            return 0.0
        return Fraction(*mpmath.libmp.to_rational(mpmath.power(2, log2)._mpf_))
