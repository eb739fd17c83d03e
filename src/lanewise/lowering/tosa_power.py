"""POW of 0.23.0, which is total, in later releases' POW, which wants a finite base and exponent and a base above 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lanewise.lowering.rule import Rule, Source
from lanewise.lowering.steps import Steps, Term

# From here on every float32 is an even number; a float16 and a bfloat16 are from far below.
EVEN_FROM = 1 << 24


def _power(t: Steps, source: Source, operands: Sequence[Sequence[Term] | None]) -> Sequence[Term]:
    """The power of the magnitude where POW has one, what the limits are elsewhere, and then the sign."""
    x, y = (part[0] for part in operands if part is not None)
    number = source.sort
    one, infinity = t.const(1.0, number), t.const(math.inf, number)

    size = t("ABS", x)
    finite = t("GREATER", infinity, t("ABS", y))  # no NaN either
    ordinary = _all(t, t("GREATER", size, 0.0), t("GREATER", infinity, size), finite)
    exponent = t("SELECT", finite, y, 2.0)  # an even number, since infinities give no sign
    power = t("POW", t("SELECT", ordinary, size, 1.0), exponent)

    vanishes = t("LOGICAL_XOR", t("GREATER", size, 1.0), t("GREATER", y, 0.0))
    limit = t("SELECT", vanishes, t.const(0.0, number), infinity)
    is_one = t("LOGICAL_OR", t("EQUAL", y, 0.0), t("EQUAL", size, 1.0))
    magnitude = t("SELECT", ordinary, power, t("SELECT", is_one, one, limit))

    bound = min(EVEN_FROM, number.highest)
    near = t("CLAMP", exponent, min_val=-bound, max_val=bound)
    whole = t("CAST", near, output_type="int32")
    is_whole = t("EQUAL", t("CAST", whole, output_type=number.name), near)
    is_odd = t("LOGICAL_AND", is_whole, t("EQUAL", t("BITWISE_AND", whole, 1), 1))
    below = t("GREATER", t.const(0.0, number), x)
    minus = t("LOGICAL_OR", below, t("GREATER", t.const(0.0, number), t("RECIPROCAL", x)))  # -0.0, too
    signed = t("MUL", magnitude, t("SELECT", t("LOGICAL_AND", minus, is_odd), t.const(-1.0, number), one))

    no_root = _all(t, below, ordinary, t("LOGICAL_NOT", is_whole))
    numbers = t("LOGICAL_AND", t("EQUAL", x, x), t("EQUAL", y, y))
    given = t("LOGICAL_AND", numbers, t("LOGICAL_NOT", no_root))
    return [t("SELECT", given, signed, math.nan)]


def _all(t: Steps, *conditions: Term) -> Term:
    first, *others = conditions
    for other in others:
        first = t("LOGICAL_AND", first, other)
    return first


POWER = Rule(
    _power,
    lambda source: "special cases are exact; other powers are as near as the target's POW, bounded in ulps by TOSA",
)
