"""Between widths: what is widened, computed and cut again is computed narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lanewise.engines.identities.words import (
    at_most,
    below,
    fits,
    fits_signed,
    logical,
    ones,
    truth,
    width,
    zero,
    zeros_above,
)
from lanewise.engines.rules import Rule
from lanewise.language.sorts import Sort
from lanewise.language.words import Value, select, shift_left, shift_right, wrap

Widen = Callable[[Value, Sort], Value]
Order = Callable[[Value, Value], Value]
WAYS: dict[str, Widen] = {"zext": zeros_above, "sext": wrap}
MODULAR: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def _chains() -> Iterator[Rule]:
    for name, widen in WAYS.items():
        yield from _chain(name, widen)
    yield Rule(
        "trunc of trunc", lambda x, middle, narrow: wrap(wrap(x, middle), narrow), lambda x, narrow: wrap(x, narrow)
    )
    yield Rule(
        "sext of zext",
        lambda n, middle, wide: wrap(zeros_above(n, middle), wide),
        lambda n, wide: zeros_above(n, wide),
    )
    yield Rule(
        "zext of trunc",
        lambda x, narrow, wide: zeros_above(wrap(x, narrow), wide),
        lambda x, narrow, wide: x & zeros_above(ones(wrap(x, narrow)), wide),
    )


def _chain(name: str, widen: Widen) -> Iterator[Rule]:
    yield Rule(f"trunc of {name}", lambda n, wide, narrow: wrap(widen(n, wide), narrow), lambda n: n)
    yield Rule(
        f"trunc of {name}, still wider",
        lambda n, wide, middle: wrap(widen(n, wide), middle),
        lambda n, middle: widen(n, middle),
    )
    yield Rule(
        f"trunc of {name}, narrower",
        lambda m, wide, narrow: wrap(widen(m, wide), narrow),
        lambda m, narrow: wrap(m, narrow),
    )
    yield Rule(
        f"{name} of {name}",
        lambda n, middle, wide: widen(widen(n, middle), wide),
        lambda n, wide: widen(n, wide),
    )


def _modular() -> Iterator[Rule]:
    """The low bits of these depend on the low bits of the operands alone."""
    for symbol, apply in MODULAR.items():
        yield from _one_modular(symbol, apply)
    yield Rule("trunc of ~", lambda x, narrow: wrap(~x, narrow), lambda x, narrow: ~wrap(x, narrow))
    yield Rule(
        "trunc of x << c",
        lambda x, c, narrow: wrap(shift_left(x, c), narrow),
        lambda x, c, narrow: shift_left(wrap(x, narrow), wrap(c, narrow)),
        lambda c, narrow: fits(c, narrow),
    )
    yield Rule(
        "trunc of x << c, all bits",
        lambda x, c, narrow: wrap(shift_left(x, c), narrow),
        lambda x, narrow: zero(wrap(x, narrow)),
        lambda c, narrow: at_most(zeros_above(width(wrap(c, narrow)), c.element), c),
    )


def _one_modular(symbol: str, apply: Callable[[Value, Value], Value]) -> Iterator[Rule]:
    for name, widen in WAYS.items():
        yield _widened_operand(symbol, apply, name, widen)
    if symbol == "-":
        for name, widen in WAYS.items():
            yield _widened_subtrahend(name, widen)
        yield Rule(
            "trunc of c - x",
            lambda x, c, narrow: wrap(c - x, narrow),
            lambda x, c, narrow: wrap(c, narrow) - wrap(x, narrow),
        )
        return
    yield Rule(
        f"trunc of x {symbol} c",
        lambda x, c, narrow: wrap(apply(x, c), narrow),
        lambda x, c, narrow: apply(wrap(x, narrow), wrap(c, narrow)),
    )


def _widened_operand(symbol: str, apply: Callable[[Value, Value], Value], name: str, widen: Widen) -> Rule:
    return Rule(
        f"trunc of {name} {symbol} y",
        lambda n, y, wide, narrow: wrap(apply(widen(n, wide), y), narrow),
        lambda n, y, narrow: apply(n, wrap(y, narrow)),
    )


def _widened_subtrahend(name: str, widen: Widen) -> Rule:
    return Rule(
        f"trunc of y - {name}",
        lambda n, y, wide, narrow: wrap(y - widen(n, wide), narrow),
        lambda n, y, narrow: wrap(y, narrow) - n,
    )


def _alike(name: str, widen: Widen, whole: Callable[[Value, Sort], Value]) -> Iterator[Rule]:
    """Both operands, or one and a constant that the narrow word holds, are widened in the same way."""
    for symbol in "&|^":
        yield from _bitwise(symbol, MODULAR[symbol], name, widen, whole)
    for order, less in {"<": lambda a, b: a < b, "below": below}.items():
        if name == "zext":  # the order of widened words is the one without sign
            yield from _ordered(f"{name} {order}", less, below, widen, whole)
        else:
            yield from _ordered(f"{name} {order}", less, less, widen, whole)
    yield Rule(
        f"{name} at most {name}",
        lambda n, o, wide: at_most(widen(n, wide), widen(o, wide)),
        lambda n, o: at_most(n, o),
    )
    yield Rule(
        f"{name} <= {name}",
        lambda n, o, wide: widen(n, wide) <= widen(o, wide),
        lambda n, o: at_most(n, o) if name == "zext" else n <= o,
    )
    yield Rule(f"{name} == {name}", lambda n, o, wide: widen(n, wide) == widen(o, wide), lambda n, o: n == o)
    yield Rule(
        f"{name} == c",
        lambda n, c, wide: widen(n, wide) == c,
        lambda n, c, narrow: n == wrap(c, narrow),
        lambda c, narrow: whole(c, narrow),
    )
    yield Rule(
        f"{name} == c, which it never is",
        lambda n, c, wide, narrow: widen(n, wide) == c,
        lambda n: truth(False),
        lambda c, narrow: ~whole(c, narrow),
    )
    yield Rule(
        f"choice of {name} and {name}",
        lambda p, n, o, wide: select(p, widen(n, wide), widen(o, wide)),
        lambda p, n, o, wide: widen(select(p, n, o), wide),
    )
    yield Rule(
        f"choice of {name} and a constant",
        lambda p, n, c, wide: select(p, widen(n, wide), c),
        lambda p, n, c, wide, narrow: widen(select(p, n, wrap(c, narrow)), wide),
        lambda c, narrow: whole(c, narrow),
    )
    yield Rule(
        f"choice of a constant and {name}",
        lambda p, n, c, wide: select(p, c, widen(n, wide)),
        lambda p, n, c, wide, narrow: widen(select(p, wrap(c, narrow), n), wide),
        lambda c, narrow: whole(c, narrow),
    )


def _bitwise(
    symbol: str, apply: Callable[[Value, Value], Value], name: str, widen: Widen, whole: Callable[[Value, Sort], Value]
) -> Iterator[Rule]:
    yield Rule(
        f"{name} {symbol} {name}",
        lambda n, o, wide: apply(widen(n, wide), widen(o, wide)),
        lambda n, o, wide: widen(apply(n, o), wide),
    )
    yield Rule(
        f"{name} {symbol} c",
        lambda n, c, wide: apply(widen(n, wide), c),
        lambda n, c, wide, narrow: widen(apply(n, wrap(c, narrow)), wide),
        lambda c, narrow: whole(c, narrow),
    )


def _ordered(
    name: str, wide_less: Order, narrow_less: Order, widen: Widen, whole: Callable[[Value, Sort], Value]
) -> Iterator[Rule]:
    """A widened word beside a constant: compared narrow if the narrow word holds it, decided if not."""
    yield Rule(
        f"{name}, both widened",
        lambda n, o, wide: wide_less(widen(n, wide), widen(o, wide)),
        lambda n, o: narrow_less(n, o),
    )
    yield Rule(
        f"{name} c",
        lambda n, c, wide: wide_less(widen(n, wide), c),
        lambda n, c, narrow: narrow_less(n, wrap(c, narrow)),
        lambda c, narrow: whole(c, narrow),
    )
    yield Rule(
        f"c {name}",
        lambda n, c, wide: wide_less(c, widen(n, wide)),
        lambda n, c, narrow: narrow_less(wrap(c, narrow), n),
        lambda c, narrow: whole(c, narrow),
    )


def _decided() -> Iterator[Rule]:
    """Constants beyond all that a narrow word is."""
    yield Rule(
        "zext below c, always",
        lambda n, c, wide: below(zeros_above(n, wide), c),
        lambda n: truth(True),
        lambda c, narrow: ~fits(c, narrow),
    )
    yield Rule(
        "c below zext, never",
        lambda n, c, wide: below(c, zeros_above(n, wide)),
        lambda n: truth(False),
        lambda c, narrow: ~fits(c, narrow),
    )
    for name, widen in WAYS.items():
        whole = fits if name == "zext" else fits_signed
        yield from _decided_signed(name, widen, whole)


def _decided_signed(name: str, widen: Widen, whole: Callable[[Value, Sort], Value]) -> Iterator[Rule]:
    for positive in (True, False):
        yield Rule(
            f"{name} < c, {'always' if positive else 'never'}",
            lambda n, c, wide: widen(n, wide) < c,
            _always(positive),
            _beyond(whole, positive),
        )
        yield Rule(
            f"c < {name}, {'never' if positive else 'always'}",
            lambda n, c, wide: c < widen(n, wide),
            _always(not positive),
            _beyond(whole, positive),
        )


def _always(answer: bool) -> Callable[..., Value]:
    return lambda n: truth(answer)


def _beyond(whole: Callable[[Value, Sort], Value], positive: bool) -> Callable[..., Value]:
    def when(c: Value, narrow: Sort) -> Value:
        return ~whole(c, narrow) & ((c >= zero(c)) if positive else (c < zero(c)))

    return when


def _masks() -> Iterator[Rule]:
    """The sign's copies cut off again."""
    yield Rule(
        "sext & its own bits",
        lambda n, c, wide: wrap(n, wide) & c,
        lambda n, c, wide, narrow: zeros_above(n & wrap(c, narrow), wide),
        lambda c, narrow: fits(c, narrow),
    )
    yield Rule(
        "zext & c, which has ones beyond",
        lambda n, c, wide: zeros_above(n, wide) & c,
        lambda n, c, wide, narrow: zeros_above(n & wrap(c, narrow), wide),
        lambda c, narrow: ~fits(c, narrow),
    )


def _shifts() -> Iterator[Rule]:
    """A shift of a widened word, cut again: the count may be widened in either way, or a constant."""
    for count_name, count in WAYS.items():
        yield from _widened_count(count_name, count)
    yield Rule(
        "trunc of zext >>> c",
        lambda n, c, wide, narrow: wrap(logical(zeros_above(n, wide), c), narrow),
        lambda n, c, narrow: logical(n, wrap(c, narrow)),
        lambda c, narrow: fits(c, narrow),
    )
    yield Rule(
        "trunc of sext >> c",
        lambda n, c, wide, narrow: wrap(shift_right(wrap(n, wide), c), narrow),
        lambda n, c, narrow: shift_right(n, wrap(c, narrow)),
        lambda c, narrow: fits(c, narrow),
    )
    yield Rule(
        "zext >>> c",
        lambda n, c, wide: logical(zeros_above(n, wide), c),
        lambda n, c, wide, narrow: zeros_above(logical(n, wrap(c, narrow)), wide),
        lambda c, narrow: fits(c, narrow),
    )
    yield Rule(
        "sext >> c",
        lambda n, c, wide: shift_right(wrap(n, wide), c),
        lambda n, c, wide, narrow: wrap(shift_right(n, wrap(c, narrow)), wide),
        lambda c, narrow: fits(c, narrow),
    )


def _widened_count(name: str, count: Widen) -> Iterator[Rule]:
    for value_name, widen in WAYS.items():
        yield _left_shift(f"trunc of {value_name} << {name}", widen, count)
    yield Rule(
        f"trunc of zext >>> {name}",
        lambda n, o, wide, narrow: wrap(logical(zeros_above(n, wide), count(o, wide)), narrow),
        lambda n, o: logical(n, o),
    )
    yield Rule(
        f"trunc of sext >> {name}",
        lambda n, o, wide, narrow: wrap(shift_right(wrap(n, wide), count(o, wide)), narrow),
        lambda n, o: shift_right(n, o),
    )


def _left_shift(name: str, widen: Widen, count: Widen) -> Rule:
    return Rule(
        name,
        lambda n, o, wide, narrow: wrap(shift_left(widen(n, wide), count(o, wide)), narrow),
        lambda n, o: shift_left(n, o),
    )


def _room() -> Iterator[Rule]:
    """Sums and differences of widened words do not leave the wide one."""
    yield Rule(
        "zext & x is not below 0",
        lambda n, x, wide: (zeros_above(n, wide) & x) < zero(x),
        lambda n: truth(False),
    )
    yield Rule(
        "sext - sext does not overflow, the signs compared narrow",
        lambda n, o, wide: (
            (wrap(n ^ o, wide) & (wrap(n, wide) ^ (wrap(n, wide) - wrap(o, wide)))) < zero(wrap(n, wide))
        ),
        lambda n: truth(False),
    )
    for first, widen in WAYS.items():
        for second, other in WAYS.items():
            yield _no_overflow(f"{first} + {second} does not overflow", widen, other)
            yield _no_borrow(f"{first} - {second} does not overflow", widen, other)


def _has_room(wide: Sort, narrow: Sort) -> Value:
    return truth(wide.width > narrow.width + 1)


def _no_overflow(name: str, widen: Widen, other: Widen) -> Rule:
    def overflow(n: Value, o: Value, wide: Sort) -> Value:
        a, b = widen(n, wide), other(o, wide)
        result = a + b
        return ((a ^ result) & (b ^ result)) < zero(a)

    return Rule(name, overflow, lambda n: truth(False), _has_room)


def _no_borrow(name: str, widen: Widen, other: Widen) -> Rule:
    def overflow(n: Value, o: Value, wide: Sort) -> Value:
        a, b = widen(n, wide), other(o, wide)
        return ((a ^ b) & (a ^ (a - b))) < zero(a)

    return Rule(name, overflow, lambda n: truth(False), _has_room)


RULES: list[Rule] = [
    *_chains(),
    *_modular(),
    *_alike("zext", zeros_above, fits),
    *_alike("sext", wrap, fits_signed),
    *_decided(),
    *_masks(),
    *_shifts(),
    *_room(),
]
