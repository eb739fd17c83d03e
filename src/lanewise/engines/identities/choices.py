"""Choices: known conditions, equal branches, and minima and maxima in one form."""

from __future__ import annotations

from collections.abc import Callable

from lanewise.engines.identities.words import EVERY, LOGIC, at_most, below, highest, lowest, one, ones, truth, zero
from lanewise.engines.rules import Rule
from lanewise.language.words import Value, select

Order = Callable[[Value, Value], Value]


def _extremes(name: str, less: Order, no_more: Order, low: Callable[[Value], Value], high: Callable[[Value], Value]):  # type: ignore[no-untyped-def]
    """Minima and maxima in one order of the words."""
    return [
        Rule(
            f"min, {name}: written with the constant first",
            *_pair(lambda x, c: select(less(c, x), c, x), lambda x, c: select(less(x, c), x, c)),
        ),
        Rule(
            f"max, {name}: written with the constant first",
            *_pair(lambda x, c: select(less(x, c), c, x), lambda x, c: select(less(c, x), x, c)),
        ),
        Rule(
            f"min, {name}: compared with the next number",
            lambda x, c, d: select(less(x, d), x, c),
            lambda x, c: select(less(x, c), x, c),
            lambda c, d: less(c, high(c)) & (d == c + one(c)),
        ),
        Rule(
            f"max, {name}: compared with the number before",
            lambda x, c, d: select(less(d, x), x, c),
            lambda x, c: select(less(c, x), x, c),
            lambda c, d: less(low(c), c) & (d == c - one(c)),
        ),
        Rule(f"min, {name}: with the highest", lambda x: select(less(x, high(x)), x, high(x)), lambda x: x),
        Rule(f"max, {name}: with the lowest", lambda x: select(less(low(x), x), x, low(x)), lambda x: x),
        Rule(
            f"min, {name}: x < y gives the lesser of equals",
            *_pair(lambda x, y: select(no_more(x, y), x, y), lambda x, y: select(less(x, y), x, y)),
        ),
        Rule(
            f"max, {name}: x < y gives the greater of equals",
            *_pair(lambda x, y: select(no_more(x, y), y, x), lambda x, y: select(less(x, y), y, x)),
        ),
        Rule(
            f"min of min, {name}",
            lambda x, c, d: select(less(select(less(x, c), x, c), d), select(less(x, c), x, c), d),
            lambda x, c, d: select(less(x, select(less(c, d), c, d)), x, select(less(c, d), c, d)),
        ),
        Rule(
            f"max of max, {name}",
            lambda x, c, d: select(less(d, select(less(c, x), x, c)), select(less(c, x), x, c), d),
            lambda x, c, d: select(less(select(less(c, d), d, c), x), x, select(less(c, d), d, c)),
        ),
        Rule(
            f"min of min, the outer bound decides, {name}",
            lambda x, c, d: select(less(x, d), select(less(x, c), x, c), d),
            lambda x, d: select(less(x, d), x, d),
            lambda c, d: no_more(d, c),
        ),
    ]


def _pair(left: Callable[..., Value], right: Callable[..., Value]) -> tuple[Callable[..., Value], Callable[..., Value]]:
    return left, right


RULES = [
    Rule("x if true else y", lambda x, y: select(truth(True), x, y), lambda x: x, kinds=EVERY),
    Rule("x if false else y", lambda x, y: select(truth(False), x, y), lambda y: y, kinds=EVERY),
    Rule("x if p else x", lambda p, x: select(p, x, x), lambda x: x, kinds=EVERY),
    Rule("x if not p else y", lambda p, x, y: select(~p, x, y), lambda p, x, y: select(p, y, x), kinds=EVERY),
    Rule(
        "(x if p else y) if p else z",
        lambda p, x, y, z: select(p, select(p, x, y), z),
        lambda p, x, z: select(p, x, z),
        kinds=EVERY,
    ),
    Rule(
        "x if p else (y if p else z)",
        lambda p, x, y, z: select(p, x, select(p, y, z)),
        lambda p, x, z: select(p, x, z),
        kinds=EVERY,
    ),
    Rule(
        "x if p else (x if q else y)",
        lambda p, q, x, y: select(p, x, select(q, x, y)),
        lambda p, q, x, y: select(p | q, x, y),
        kinds=EVERY,
    ),
    # conditions as branches
    Rule("true if p else false", lambda p: select(p, truth(True), truth(False)), lambda p: p),
    Rule("false if p else true", lambda p: select(p, truth(False), truth(True)), lambda p: ~p),
    Rule("q if p else false", lambda p, q: select(p, q, truth(False)), lambda p, q: p & q),
    Rule("true if p else q", lambda p, q: select(p, truth(True), q), lambda p, q: p | q),
    Rule("false if p else q", lambda p, q: select(p, truth(False), q), lambda p, q: ~p & q),
    Rule("q if p else true", lambda p, q: select(p, q, truth(True)), lambda p, q: ~p | q),
    # what the condition says of the branches
    Rule("x if x == y else y", lambda x, y: select(x == y, x, y), lambda y: y, kinds=LOGIC),
    Rule("y if x == y else x", lambda x, y: select(x == y, y, x), lambda x: x, kinds=LOGIC),
    Rule("x if x == 0 else 0", lambda x: select(x == zero(x), x, zero(x)), lambda x: zero(x)),
    Rule("0 if x == 0 else x & y", lambda x, y: select(x == zero(x), zero(x), x & y), lambda x, y: x & y),
    Rule(
        "(x ^ c) if p else (y ^ c)",
        lambda p, x, y, c: select(p, x ^ c, y ^ c),
        lambda p, x, y, c: select(p, x, y) ^ c,
    ),
    Rule("~x if p else ~y", lambda p, x, y: select(p, ~x, ~y), lambda p, x, y: ~select(p, x, y), kinds=LOGIC),
    Rule(
        "ones if p else 0, as a mask", lambda p, x: select(p, ones(x), zero(x)) & x, lambda p, x: select(p, x, zero(x))
    ),
    *_extremes("signed", lambda a, b: a < b, lambda a, b: a <= b, lowest, highest),
    *_extremes("without sign", below, at_most, zero, ones),
]
