"""Sums, products and quotients, modulo 2**width."""

from __future__ import annotations

from lanewise.engines.identities.words import divided, is_power, logical, one, ones, place, rest, zero
from lanewise.engines.rules import Rule
from lanewise.language.words import quotient_towards_zero, remainder_towards_zero, shift_left

RULES = [
    Rule("x + 0", lambda x: x + zero(x), lambda x: x),
    Rule("x - 0", lambda x: x - zero(x), lambda x: x),
    Rule("x - x", lambda x: x - x, lambda x: zero(x)),
    Rule("x - c", lambda x, c: x - c, lambda x, c: x + (zero(c) - c)),
    Rule("(x + c) + d", lambda x, c, d: (x + c) + d, lambda x, c, d: x + (c + d)),
    Rule("c - (x + d)", lambda x, c, d: c - (x + d), lambda x, c, d: (c - d) - x),
    Rule("(c - x) + d", lambda x, c, d: (c - x) + d, lambda x, c, d: (c + d) - x),
    Rule("c - (d - x)", lambda x, c, d: c - (d - x), lambda x, c, d: x + (c - d)),
    Rule("x + (0 - y)", lambda x, y: x + (zero(x) - y), lambda x, y: x - y),
    Rule("x - (0 - y)", lambda x, y: x - (zero(x) - y), lambda x, y: x + y),
    Rule("0 - (x - y)", lambda x, y: zero(x) - (x - y), lambda x, y: y - x),
    Rule("(x - y) + y", lambda x, y: (x - y) + y, lambda x: x),
    Rule("(x + y) - y", lambda x, y: (x + y) - y, lambda x: x),
    Rule("x - (x + y)", lambda x, y: x - (x + y), lambda x, y: zero(x) - y),
    Rule("x - (x - y)", lambda x, y: x - (x - y), lambda y: y),
    Rule("~x + 1", lambda x: ~x + one(x), lambda x: zero(x) - x),
    Rule("(x & y) + (x ^ y)", lambda x, y: (x & y) + (x ^ y), lambda x, y: x | y),
    Rule("x * 0", lambda x: x * zero(x), lambda x: zero(x)),
    Rule("x * 1", lambda x: x * one(x), lambda x: x),
    Rule("x * -1", lambda x: x * ones(x), lambda x: zero(x) - x),
    Rule("x * 2**k", lambda x, c: x * c, lambda x, c: shift_left(x, place(c)), lambda c: is_power(c)),
    Rule("(x * c) * d", lambda x, c, d: (x * c) * d, lambda x, c, d: x * (c * d)),
    Rule("x / 1 without sign", lambda x: divided(x, one(x)), lambda x: x),
    Rule(
        "x / 2**k without sign",
        lambda x, c: divided(x, c),
        lambda x, c: logical(x, place(c)),
        lambda c: is_power(c),
        each=lambda width: [1 << k for k in range(width)],
    ),
    Rule("x mod 2**k without sign", lambda x, c: rest(x, c), lambda x, c: x & (c - one(c)), lambda c: is_power(c)),
    Rule(
        "x / 1 with sign",
        lambda x, c: quotient_towards_zero(x, c),
        lambda x: x,
        lambda c: (c == one(c)) & (c > zero(c)),
    ),
    Rule(
        "x mod 1 with sign",
        lambda x, c: remainder_towards_zero(x, c),
        lambda x: zero(x),
        lambda c: (c == one(c)) | (c == ones(c)),
    ),
]
