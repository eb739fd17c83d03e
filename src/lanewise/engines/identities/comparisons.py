"""Comparisons: with themselves, at the extremes, and in the one form that other rules look for."""

from __future__ import annotations

from lanewise.engines.identities.words import at_most, below, highest, is_power, lowest, one, ones, truth, zero
from lanewise.engines.rules import Rule
from lanewise.language.words import select

RULES = [
    Rule("x == x", lambda x: x == x, lambda x: truth(True), kinds=("bits", "bool")),  # noqa: PLR0124
    Rule("x < x", lambda x: x < x, lambda x: truth(False)),  # noqa: PLR0124
    Rule("x <= x", lambda x: x <= x, lambda x: truth(True)),  # noqa: PLR0124
    Rule("x below x", lambda x: below(x, x), lambda x: truth(False)),
    Rule("x at most x", lambda x: at_most(x, x), lambda x: truth(True)),
    # the complement is the opposite comparison
    Rule("not x < y", lambda x, y: ~(x < y), lambda x, y: y <= x),
    Rule("not x <= y", lambda x, y: ~(x <= y), lambda x, y: y < x),
    Rule("not x below y", lambda x, y: ~below(x, y), lambda x, y: at_most(y, x)),
    Rule("not x at most y", lambda x, y: ~at_most(x, y), lambda x, y: below(y, x)),
    # extremes
    Rule("x < lowest", lambda x: x < lowest(x), lambda x: truth(False)),
    Rule("highest < x", lambda x: highest(x) < x, lambda x: truth(False)),
    Rule("x <= highest", lambda x: x <= highest(x), lambda x: truth(True)),
    Rule("lowest <= x", lambda x: lowest(x) <= x, lambda x: truth(True)),
    Rule("x below 0", lambda x: below(x, zero(x)), lambda x: truth(False)),
    Rule("ones below x", lambda x: below(ones(x), x), lambda x: truth(False)),
    Rule("x at most ones", lambda x: at_most(x, ones(x)), lambda x: truth(True)),
    Rule("0 at most x", lambda x: at_most(zero(x), x), lambda x: truth(True)),
    Rule("x below 1", lambda x: below(x, one(x)), lambda x: x == zero(x)),
    Rule("0 below x", lambda x: below(zero(x), x), lambda x: ~(x == zero(x))),
    Rule("x at most 0", lambda x: at_most(x, zero(x)), lambda x: x == zero(x)),
    # strict comparisons with constants; what the extremes would make wrong is decided above
    Rule("x <= c", lambda x, c: x <= c, lambda x, c: x < c + one(c), lambda c: c < highest(c)),
    Rule("c <= x", lambda x, c: c <= x, lambda x, c: c - one(c) < x, lambda c: lowest(c) < c),
    Rule("x at most c", lambda x, c: at_most(x, c), lambda x, c: below(x, c + one(c)), lambda c: below(c, ones(c))),
    Rule("c at most x", lambda x, c: at_most(c, x), lambda x, c: below(c - one(c), x), lambda c: below(zero(c), c)),
    # two bounds in one comparison
    Rule(
        "-1 < x and x < c",
        lambda x, c: (ones(x) < x) & (x < c),
        lambda x, c: below(x, c),
        lambda c: zero(c) <= c,
    ),
    Rule(
        "x < 0 or c < x",
        lambda x, c: (x < zero(x)) | (c < x),
        lambda x, c: below(c, x),
        lambda c: zero(c) <= c,
    ),
    Rule(
        "x below c and x below d",
        lambda x, c, d: below(x, c) & below(x, d),
        lambda x, c: below(x, c),
        lambda c, d: at_most(c, d),
    ),
    Rule("x < c and x < d", lambda x, c, d: (x < c) & (x < d), lambda x, c: x < c, lambda c, d: c <= d),
    Rule("c < x and d < x", lambda x, c, d: (c < x) & (d < x), lambda x, c: c < x, lambda c, d: c >= d),
    Rule(
        "x below c or x below d",
        lambda x, c, d: below(x, c) | below(x, d),
        lambda x, c: below(x, c),
        lambda c, d: at_most(d, c),
    ),
    # no bit from some place on is a bound
    Rule(
        "x & -2**k == 0",
        lambda x, c: (x & c) == zero(x),
        lambda x, c: below(x, zero(c) - c),
        lambda c: is_power(zero(c) - c),
    ),
    # equality passes what can be undone
    Rule("~x == c", lambda x, c: ~x == c, lambda x, c: x == ~c, kinds=("bits", "bool")),
    Rule("~x == ~y", lambda x, y: ~x == ~y, lambda x, y: x == y, kinds=("bits", "bool")),
    Rule("(x ^ c) == d", lambda x, c, d: (x ^ c) == d, lambda x, c, d: x == c ^ d, kinds=("bits", "bool")),
    Rule("(x ^ y) == 0", lambda x, y: (x ^ y) == zero(x), lambda x, y: x == y),
    Rule("(x - y) == 0", lambda x, y: (x - y) == zero(x), lambda x, y: x == y),
    Rule("(x + c) == d", lambda x, c, d: (x + c) == d, lambda x, c, d: x == d - c),
    Rule("(x + y) == x", lambda x, y: (x + y) == x, lambda x, y: y == zero(x)),
    # a number that stands for a condition
    Rule(
        "(c if p else d) == c",
        lambda p, c, d: select(p, c, d) == c,
        lambda p: p,
        lambda c, d: ~(c == d),
    ),
    Rule(
        "(c if p else d) == d",
        lambda p, c, d: select(p, c, d) == d,
        lambda p: ~p,
        lambda c, d: ~(c == d),
    ),
    Rule(
        "(c if p else d) == e",
        lambda p, c, d, e: select(p, c, d) == e,
        lambda p: truth(False),
        lambda c, d, e: ~(c == e) & ~(d == e),
    ),
    Rule("(x ^ lowest) < (y ^ lowest)", lambda x, y: (x ^ lowest(x)) < (y ^ lowest(y)), lambda x, y: below(x, y)),
    Rule("(x ^ lowest) <= (y ^ lowest)", lambda x, y: (x ^ lowest(x)) <= (y ^ lowest(y)), lambda x, y: at_most(x, y)),
    Rule("(x ^ lowest) < c", lambda x, c: (x ^ lowest(x)) < c, lambda x, c: below(x, c ^ lowest(c))),
    Rule("c < (x ^ lowest)", lambda x, c: c < (x ^ lowest(x)), lambda x, c: below(c ^ lowest(c), x)),
]
