"""Shifts, whose counts are without sign and total: from the width on nothing is left, or the sign.

So a count that was cut or clamped to keep a specification's bounds can be taken as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lanewise.engines.identities.words import (
    at_most,
    below,
    covers,
    is_mask,
    last,
    lesser,
    logical,
    one,
    ones,
    width,
    zero,
)
from lanewise.engines.rules import Rule
from lanewise.language.words import Value, select, shift_left, shift_right

Shift = Callable[[Value, Value], Value]
SHIFTS: dict[str, Shift] = {"<<": shift_left, ">>>": logical, ">>": shift_right}


def _by_count() -> Iterator[Rule]:
    """Results that were replaced where the count y is large, and counts that were changed there."""
    for symbol, shift in SHIFTS.items():
        if symbol != ">>":
            yield from _else_zero(symbol, shift)
        yield from _cut(symbol, shift)
        yield _chosen(symbol, shift)
    yield Rule(
        "x >> y below c, else the sign",
        lambda x, y, c, d: select(below(y, c), shift_right(x, y), shift_right(x, d)),
        lambda x, y: shift_right(x, y),
        lambda c, d: at_most(last(c), c) & at_most(last(d), d),
    )
    yield Rule(
        "the sign if y above c, else x >> y",
        lambda x, y, c, d: select(below(c, y), shift_right(x, d), shift_right(x, y)),
        lambda x, y: shift_right(x, y),
        lambda c, d: at_most(last(c), c) & at_most(last(d), d),
    )


def _else_zero(symbol: str, shift: Shift) -> Iterator[Rule]:
    yield Rule(
        f"x {symbol} y below c, else 0",
        lambda x, y, c: select(below(y, c), shift(x, y), zero(x)),
        lambda x, y: shift(x, y),
        lambda c: at_most(width(c), c),
    )
    yield Rule(
        f"0 if y above c, else x {symbol} y",
        lambda x, y, c: select(below(c, y), zero(x), shift(x, y)),
        lambda x, y: shift(x, y),
        lambda c: at_most(last(c), c),
    )


def _cut(symbol: str, shift: Shift) -> Iterator[Rule]:
    yield Rule(
        f"x {symbol} (y & d) where y is below c",
        lambda x, y, z, c, d: select(below(y, c), shift(x, y & d), z),
        lambda x, y, z, c: select(below(y, c), shift(x, y), z),
        lambda c, d: covers(d, c),
    )
    yield Rule(
        f"x {symbol} (y & d) where y is not above c",
        lambda x, y, z, c, d: select(below(c, y), z, shift(x, y & d)),
        lambda x, y, z, c: select(below(c, y), z, shift(x, y)),
        lambda c, d: is_mask(d) & at_most(c, d),
    )
    yield Rule(
        f"x {symbol} min(y, d) where y is below c",
        lambda x, y, z, c, d: select(below(y, c), shift(x, lesser(y, d)), z),
        lambda x, y, z, c: select(below(y, c), shift(x, y), z),
        lambda c, d: (c == zero(c)) | at_most(c - one(c), d),
    )
    yield Rule(
        f"x {symbol} min(y, d) where y is not above c",
        lambda x, y, z, c, d: select(below(c, y), z, shift(x, lesser(y, d))),
        lambda x, y, z, c: select(below(c, y), z, shift(x, y)),
        lambda c, d: at_most(c, d),
    )


def _chosen(symbol: str, shift: Shift) -> Rule:
    return Rule(
        f"x {symbol} (y if p) where p",
        lambda x, y, z, p, d: select(p, shift(x, select(p, y, d)), z),
        lambda x, y, z, p: select(p, shift(x, y), z),
    )


RULES = [
    *_by_count(),
    # known counts
    Rule("x << 0", lambda x: shift_left(x, zero(x)), lambda x: x),
    Rule("x >> 0", lambda x: shift_right(x, zero(x)), lambda x: x),
    Rule("x >>> 0", lambda x: logical(x, zero(x)), lambda x: x),
    Rule("x << c, all bits", lambda x, c: shift_left(x, c), lambda x: zero(x), lambda c: at_most(width(c), c)),
    Rule("x >>> c, all bits", lambda x, c: logical(x, c), lambda x: zero(x), lambda c: at_most(width(c), c)),
    Rule(
        "x >> c, all bits",
        lambda x, c: shift_right(x, c),
        lambda x: shift_right(x, last(x)),
        lambda c: at_most(width(c), c),
    ),
    Rule("0 << x", lambda x: shift_left(zero(x), x), lambda x: zero(x)),
    Rule("0 >> x", lambda x: shift_right(zero(x), x), lambda x: zero(x)),
    Rule("-1 >> x", lambda x: shift_right(ones(x), x), lambda x: ones(x)),
    Rule("0 >>> x", lambda x: logical(zero(x), x), lambda x: zero(x)),
    # one after another
    Rule(
        "(x << c) << d",
        lambda x, c, d: shift_left(shift_left(x, c), d),
        lambda x, c, d: shift_left(x, c + d),
        lambda c, d: below(c, width(c)) & below(d, width(d)),
    ),
    Rule(
        "(x >>> c) >>> d",
        lambda x, c, d: logical(logical(x, c), d),
        lambda x, c, d: logical(x, c + d),
        lambda c, d: below(c, width(c)) & below(d, width(d)),
    ),
    Rule(
        "(x >> c) >> d",
        lambda x, c, d: shift_right(shift_right(x, c), d),
        lambda x, c, d: shift_right(x, c + d),
        lambda c, d: below(c, width(c)) & below(d, width(d)),
    ),
    Rule("(x >>> c) << c", lambda x, c: shift_left(logical(x, c), c), lambda x, c: x & shift_left(ones(c), c)),
    Rule("(x >> c) << c", lambda x, c: shift_left(shift_right(x, c), c), lambda x, c: x & shift_left(ones(c), c)),
    Rule("(x << c) >>> c", lambda x, c: logical(shift_left(x, c), c), lambda x, c: x & logical(ones(c), c)),
    Rule(
        "(x & c) << d",
        lambda x, c, d: shift_left(x & c, d),
        lambda x, d: shift_left(x, d),
        lambda c, d: shift_left(c, d) == shift_left(ones(c), d),
    ),
    Rule(
        "(x & c) >>> d",
        lambda x, c, d: logical(x & c, d),
        lambda x, d: logical(x, d),
        lambda c, d: logical(c, d) == logical(ones(c), d),
    ),
    # counts that were clamped
    Rule(
        "x << min(y, c)",
        lambda x, y, c: shift_left(x, lesser(y, c)),
        lambda x, y: shift_left(x, y),
        lambda c: at_most(width(c), c),
    ),
    Rule(
        "x >>> min(y, c)",
        lambda x, y, c: logical(x, lesser(y, c)),
        lambda x, y: logical(x, y),
        lambda c: at_most(width(c), c),
    ),
    Rule(
        "x >> min(y, c)",
        lambda x, y, c: shift_right(x, lesser(y, c)),
        lambda x, y: shift_right(x, y),
        lambda c: at_most(last(c), c),
    ),
    # a clamp written with bits: negative counts and those above c become c
    Rule(
        "(min(y, c) | y >> d) & c",
        lambda y, c, d: (select(y < c, y, c) | shift_right(y, d)) & c,
        lambda y, c: lesser(y, c),
        lambda c, d: is_mask(c) & (c >= zero(c)) & at_most(last(d), d),
    ),
]
