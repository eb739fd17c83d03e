"""Comparisons that an operand's range decides: cut by a mask, clamped, or shifted down."""

from __future__ import annotations

from collections.abc import Callable

from lanewise.engines.identities.words import at_most, below, lesser, logical, ones, rest, truth, zero
from lanewise.engines.rules import Rule
from lanewise.language.words import Value, select

Words = Callable[..., Value]


def _within(name: str, word: Words, highest: Words, known: Words | None = None) -> list[Rule]:
    """The comparisons of a word from 0 to a highest one, both without sign; `d` is the constant beside it."""

    def when(condition: Callable[[Value, Value], Value]) -> Words:
        def holds(c: Value, d: Value) -> Value:
            found = condition(highest(c), d)
            return found if known is None else known(c) & found

        return holds

    return [
        Rule(f"{name} below d", lambda x, c, d: below(word(x, c), d), lambda x: truth(True), when(below)),
        Rule(
            f"{name} < d",
            lambda x, c, d: word(x, c) < d,
            lambda x: truth(True),
            when(lambda high, d: (high >= zero(high)) & (high < d)),
        ),
        Rule(
            f"d < {name}",
            lambda x, c, d: d < word(x, c),
            lambda x: truth(True),
            when(lambda high, d: (high >= zero(high)) & (d < zero(d))),
        ),
        Rule(
            f"not d < {name}",
            lambda x, c, d: d < word(x, c),
            lambda x: truth(False),
            when(lambda high, d: (high >= zero(high)) & (high <= d)),
        ),
        Rule(
            f"not {name} < d",
            lambda x, c, d: word(x, c) < d,
            lambda x: truth(False),
            when(lambda high, d: (high >= zero(high)) & (d <= zero(d))),
        ),
        Rule(
            f"d not below {name}",
            lambda x, c, d: below(d, word(x, c)),
            lambda x: truth(False),
            when(lambda high, d: at_most(high, d)),
        ),
    ]


RULES = [
    *_within("x & c", lambda x, c: x & c, lambda c: c),
    *_within("min(x, c) without sign", lambda x, c: lesser(x, c), lambda c: c),
    *_within("x >>> c", lambda x, c: logical(x, c), lambda c: logical(ones(c), c)),
    *_within("x mod c", lambda x, c: rest(x, c), lambda c: c - (zero(c) - ones(c)), lambda c: ~(c == zero(c))),
    # clamped with sign
    Rule("min(x, c) < d", lambda x, c, d: select(x < c, x, c) < d, lambda x: truth(True), lambda c, d: c < d),
    Rule("d < max(x, c)", lambda x, c, d: d < select(c < x, x, c), lambda x: truth(True), lambda c, d: d < c),
    Rule("not d < min(x, c)", lambda x, c, d: d < select(x < c, x, c), lambda x: truth(False), lambda c, d: c <= d),
    Rule("not max(x, c) < d", lambda x, c, d: select(c < x, x, c) < d, lambda x: truth(False), lambda c, d: d <= c),
    Rule("min(x, c) < d, c beyond", lambda x, c, d: select(x < c, x, c) < d, lambda x, d: x < d, lambda c, d: d <= c),
    Rule("d < max(x, c), c beyond", lambda x, c, d: d < select(c < x, x, c), lambda x, d: d < x, lambda c, d: c <= d),
    # whether some words are equal to what they cannot be
    Rule("(x & c) == d", lambda x, c, d: (x & c) == d, lambda x: truth(False), lambda c, d: ~((c | d) == c)),
    Rule("(x | c) == d", lambda x, c, d: (x | c) == d, lambda x: truth(False), lambda c, d: ~((c & d) == c)),
    # a condition and the comparison it decides
    Rule(
        "x in a choice below c",
        lambda p, c, d, e: below(select(p, c, d), e),
        lambda p: truth(True),
        lambda c, d, e: below(c, e) & below(d, e),
    ),
]
