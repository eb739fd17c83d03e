"""What the rules are written with, beside the words of the language.

x, y, z stand for words, c, d, e for constants of their width, p and q for conditions; n and o are
narrower words and m lies between, where a rule has several widths. Words here are signed, so that
`<` is the signed comparison; `below` is the one without sign.

What rules lead to: constants stand right, comparisons with constants are strict, and a minimum is
`select(x < c, x, c)`.
"""

from __future__ import annotations

from lanewise.language.sorts import Sort, boolean, integer
from lanewise.language.words import (
    Value,
    count_leading_zeros,
    literal,
    quotient_towards_zero,
    reinterpret,
    reinterpret_unsigned,
    remainder_towards_zero,
    select,
    shift_left,
    shift_right,
    wrap,
)

EVERY = ("bits", "bool", "float")
LOGIC = ("bits", "bool")


def below(a: Value, b: Value) -> Value:
    return reinterpret_unsigned(a) < reinterpret_unsigned(b)


def at_most(a: Value, b: Value) -> Value:
    return reinterpret_unsigned(a) <= reinterpret_unsigned(b)


def logical(a: Value, b: Value) -> Value:
    """Shifted right, zeros in."""
    return reinterpret(shift_right(reinterpret_unsigned(a), b), a.element)


def zeros_above(a: Value, sort: Sort) -> Value:
    """A wider word with the same number without sign; `wrap` keeps the sign."""
    return reinterpret(wrap(reinterpret_unsigned(a), integer(sort.width, False)), sort)


def divided(a: Value, b: Value) -> Value:
    return reinterpret(quotient_towards_zero(reinterpret_unsigned(a), reinterpret_unsigned(b)), a.element)


def rest(a: Value, b: Value) -> Value:
    return reinterpret(remainder_towards_zero(reinterpret_unsigned(a), reinterpret_unsigned(b)), a.element)


def number(value: int, a: Value) -> Value:
    """A number modulo 2**width as a word like a."""
    sort = a.element
    if sort.kind == "bool":
        return literal(bool(value & 1), boolean)
    return reinterpret(literal(value & ((1 << sort.width) - 1), integer(sort.width, False)), sort)


def zero(a: Value) -> Value:
    return number(0, a)


def one(a: Value) -> Value:
    return number(1, a)


def ones(a: Value) -> Value:
    return number(-1, a)


def lowest(a: Value) -> Value:
    return number(1 << (a.element.width - 1), a)


def highest(a: Value) -> Value:
    return number((1 << (a.element.width - 1)) - 1, a)


def width(a: Value) -> Value:
    """The width as a word without sign, which holds it at every width."""
    return number(a.element.width, a)


def last(a: Value) -> Value:
    return number(a.element.width - 1, a)


def truth(value: bool) -> Value:
    return literal(value, boolean)


def is_mask(a: Value) -> Value:
    """Ones below, zeros above: 0, 1, 3, 7 …"""
    return (a & (a + one(a))) == zero(a)


def is_power(a: Value) -> Value:
    return ((a & (a - one(a))) == zero(a)) & (a != zero(a))


def place(a: Value) -> Value:
    """The place of the highest one."""
    return last(a) - count_leading_zeros(a)


def lesser(a: Value, b: Value) -> Value:
    """The minimum without sign."""
    return select(below(a, b), a, b)


def fits(a: Value, sort: Sort) -> Value:
    """Whether zeros above its low bits give the word."""
    return zeros_above(wrap(a, sort), a.element) == a


def fits_signed(a: Value, sort: Sort) -> Value:
    return wrap(wrap(a, sort), a.element) == a


def covers(mask: Value, limit: Value) -> Value:
    """Whether a mask leaves every word below a limit as it is."""
    return is_mask(mask) & (limit != zero(limit)) & at_most(limit - one(limit), mask)


__all__ = ["select", "shift_left", "shift_right", "wrap"]
