"""Bit by bit: on words and on conditions."""

from __future__ import annotations

from collections.abc import Callable

from lanewise.engines.identities.words import LOGIC, lowest, ones, truth, zero
from lanewise.engines.rules import Rule
from lanewise.language.words import Value


def _constant_right(symbol: str, apply: Callable[[Value, Value], Value], kinds: tuple[str, ...]) -> Rule:
    return Rule(
        f"a constant stands right of {symbol}",
        lambda c, x: apply(c, x),
        lambda c, x: apply(x, c),
        kinds=kinds,
        ordered=True,
    )


RULES = [
    _constant_right("+", lambda a, b: a + b, ("bits",)),
    _constant_right("*", lambda a, b: a * b, ("bits",)),
    _constant_right("&", lambda a, b: a & b, LOGIC),
    _constant_right("|", lambda a, b: a | b, LOGIC),
    _constant_right("^", lambda a, b: a ^ b, LOGIC),
    _constant_right("==", lambda a, b: a == b, LOGIC),
    # one operand decides
    Rule("x & 0", lambda x: x & zero(x), lambda x: zero(x), kinds=LOGIC),
    Rule("x & ones", lambda x: x & ones(x), lambda x: x, kinds=LOGIC),
    Rule("x & x", lambda x: x & x, lambda x: x, kinds=LOGIC),
    Rule("x & ~x", lambda x: x & ~x, lambda x: zero(x), kinds=LOGIC),
    Rule("x | 0", lambda x: x | zero(x), lambda x: x, kinds=LOGIC),
    Rule("x | ones", lambda x: x | ones(x), lambda x: ones(x), kinds=LOGIC),
    Rule("x | x", lambda x: x | x, lambda x: x, kinds=LOGIC),
    Rule("x | ~x", lambda x: x | ~x, lambda x: ones(x), kinds=LOGIC),
    Rule("x ^ 0", lambda x: x ^ zero(x), lambda x: x, kinds=LOGIC),
    Rule("x ^ ones", lambda x: x ^ ones(x), lambda x: ~x, kinds=LOGIC),
    Rule("x ^ x", lambda x: x ^ x, lambda x: zero(x), kinds=LOGIC),
    Rule("x ^ ~x", lambda x: x ^ ~x, lambda x: ones(x), kinds=LOGIC),
    # complements
    Rule("~~x", lambda x: ~~x, lambda x: x, kinds=LOGIC),
    Rule("~x ^ ~y", lambda x, y: ~x ^ ~y, lambda x, y: x ^ y, kinds=LOGIC),
    Rule("~x ^ c", lambda x, c: ~x ^ c, lambda x, c: x ^ ~c, kinds=LOGIC),
    Rule("~(x ^ c)", lambda x, c: ~(x ^ c), lambda x, c: x ^ ~c, kinds=LOGIC),
    Rule("~x ^ y", lambda x, y: ~x ^ y, lambda x, y: ~(x ^ y), kinds=LOGIC),
    # constants come together
    Rule("(x & c) & d", lambda x, c, d: (x & c) & d, lambda x, c, d: x & (c & d)),
    Rule("(x | c) | d", lambda x, c, d: (x | c) | d, lambda x, c, d: x | (c | d)),
    Rule("(x ^ c) ^ d", lambda x, c, d: (x ^ c) ^ d, lambda x, c, d: x ^ (c ^ d), kinds=LOGIC),
    Rule("(x & c) | (x & d)", lambda x, c, d: (x & c) | (x & d), lambda x, c, d: x & (c | d)),
    Rule("(x | c) & d", lambda x, c, d: (x | c) & d, lambda x, d: x & d, lambda c, d: (c & d) == zero(c)),
    Rule("(x & c) | d", lambda x, c, d: (x & c) | d, lambda x, d: x | d, lambda c, d: (c | d) == ones(c)),
    # an operand stands twice
    Rule("x & (x | y)", lambda x, y: x & (x | y), lambda x: x, kinds=LOGIC),
    Rule("x | (x & y)", lambda x, y: x | (x & y), lambda x: x, kinds=LOGIC),
    Rule("x & (x & y)", lambda x, y: x & (x & y), lambda x, y: x & y, kinds=LOGIC),
    Rule("x | (x | y)", lambda x, y: x | (x | y), lambda x, y: x | y, kinds=LOGIC),
    Rule("x ^ (x ^ y)", lambda x, y: x ^ (x ^ y), lambda y: y, kinds=LOGIC),
    Rule("x & (~x | y)", lambda x, y: x & (~x | y), lambda x, y: x & y, kinds=LOGIC),
    Rule("x | (~x & y)", lambda x, y: x | (~x & y), lambda x, y: x | y, kinds=LOGIC),
    Rule("(x & y) | (~x & y)", lambda x, y: (x & y) | (~x & y), lambda y: y, kinds=LOGIC),
    # equality of conditions
    Rule("p == true", lambda p: p == truth(True), lambda p: p),
    Rule("p == false", lambda p: p == truth(False), lambda p: ~p),
    # a top bit that is turned over before a sum and after it, as a lowering does that may not overflow
    Rule(
        "((x ^ t) + y) ^ t, t at most the top bit",
        lambda x, y, z: ((x ^ (z & lowest(z))) + y) ^ (z & lowest(z)),
        lambda x, y: x + y,
    ),
    Rule(
        "((x ^ t) - y) ^ t, t at most the top bit",
        lambda x, y, z: ((x ^ (z & lowest(z))) - y) ^ (z & lowest(z)),
        lambda x, y: x - y,
    ),
    Rule(
        "no overflow where the signs differ",
        lambda x, y, z: ((z ^ (x ^ (~(x ^ y) & lowest(x)))) & (z ^ y)) < zero(x),
        lambda x: truth(False),
    ),
    Rule(
        "no overflow where the signs agree",
        lambda x, y, z: (((x ^ ((x ^ y) & lowest(x))) ^ y) & z) < zero(x),
        lambda x: truth(False),
    ),
]
