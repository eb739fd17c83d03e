"""Identities that kernels rely on: what they compute, beside what they mean. See meanings.py for the operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lanewise.language.sorts import Sort, boolean, f32, f64, i8, i16, i32, i64, integer, u8, u16, u32
from lanewise.language.words import (
    Value,
    convert,
    literal,
    negative,
    quotient_towards_zero,
    reinterpret,
    remainder_towards_zero,
    require,
    select,
    shift_right,
    trace,
    widen,
    within,
    wrap,
)
from lanewise.proof.theorem import Narrow, Pair, Theorem

GROUP = "kernels"
Words = Callable[..., Value]


def theorems() -> Iterator[Theorem]:
    """Every identity at every width that uses it."""
    for sort in (i8, i16, i32, i64):
        yield _theorem(
            "a shift to the right by the width or more is one by the width less 1", _ashr, _ashr_clamped, sort, sort
        )
    yield _theorem("a table of bytes is read at x + 128", _biased, _flipped, i8)
    for sort, real in ((i8, f32), (u8, f32), (i16, f32), (u16, f32), (i32, f64), (u32, f64)):
        yield _quotient(sort, real)
    for sort in (i8, u8, i16, u16):
        for name, words in NARROW.items():
            yield _low_bits(name, words, sort)
    for sort in (i32, i64):
        for name, words in FACTS.items():
            yield _fact(name, words, sort)
    for sort in (i8, u8, i16, u16, i32, u32, integer(64, True), integer(64, False)):
        yield _theorem("a remainder is what a guarded quotient leaves", _remainder, _rest_of_quotient, sort, sort)


def _theorem(name: str, source: Words, target: Words, *sorts: Sort) -> Theorem:
    return Theorem(f"{name}, {sorts[0].name}", GROUP, lambda: (trace(source, sorts, None), trace(target, sorts, None)))


def _ashr(x: Value, n: Value) -> Value:
    return shift_right(x, n)


def _ashr_clamped(x: Value, n: Value) -> Value:
    width = x.element.width
    count = reinterpret(n, integer(width, False))
    return shift_right(x, select(count < width, count, width - 1))


def _biased(x: Value) -> Value:
    return wrap(widen(x, i16) + 128, u8)


def _flipped(x: Value) -> Value:
    return wrap(x, u8) ^ 128


def _quotient(sort: Sort, real: Sort) -> Theorem:
    """Up to 16 bits through float32, up to 32 through float64: the kernel's way to divide."""

    def pair(sort: Sort, real: Sort) -> Pair:
        def exact(a: Value, b: Value) -> Value:
            require(b != 0, "b != 0")
            if sort.signed:
                require((a != sort.lowest) | (b != -1), "the quotient fits")
            return quotient_towards_zero(a, b)

        def through_floats(a: Value, b: Value) -> Value:
            return convert(convert(a, real) / convert(b, real), sort)

        return trace(exact, (sort, sort), None), trace(through_floats, (sort, sort), None)

    narrow = (
        Narrow(8, lambda: pair(integer(8, sort.signed), real)),
        Narrow(16, lambda: pair(integer(16, sort.signed), real)),
    )
    name = f"a quotient goes through {real.name}, {sort.name}"
    if sort.width <= 16:
        return Theorem(name, GROUP, lambda: pair(sort, real), complete=True)
    return Theorem(name, GROUP, lambda: pair(sort, real), narrow)


def _of_products(a: Value, b: Value) -> Value:
    result = a * b
    agree = result == b * a
    for x, y in ((a, b), (b, a)):
        agree = agree & ((x != 0) | (result == 0)) & ((x != 1) | (result == y)) & ((x != -1) | (result == negative(y)))
    half = 1 << (a.element.width // 2 - 1)
    halves = within(a, -half, half - 1) & within(b, -half, half - 1)
    signs = (result == 0) | ((result < 0) == ((a < 0) ^ (b < 0)))
    return agree & (~halves | (within(result, -half * half, half * half) & signs))


def _of_quotients(a: Value, b: Value) -> Value:
    result = quotient_towards_zero(a, b)
    by_zero = select(a < 0, literal(1, a.element), literal(-1, a.element))
    agree = ((b != 0) | (result == by_zero)) & ((b != 1) | (result == a)) & ((b != -1) | (result == negative(a)))
    agree = (
        agree
        & (~(_size(a) < _size(b)) | (result == 0))
        & ((_size(b) < 2) | (_size(result) <= shift_right(_size(a), 1)))
    )
    unsigned = quotient_towards_zero(_bare(a), _bare(b))
    agree = agree & ((a < 0) | (b < 0) | (_bare(result) == unsigned))
    beneath = (~(_bare(a) < _bare(b)) | (unsigned == 0)) & ((_bare(b) < 2) | (unsigned <= shift_right(_bare(a), 1)))
    ones = literal(unsigned.element.highest, unsigned.element)
    return agree & beneath & ((b != 0) | (unsigned == ones)) & ((b != 1) | (unsigned == _bare(a)))


def _of_remainders(a: Value, b: Value) -> Value:
    rest = remainder_towards_zero(a, b)
    agree = (rest == a - quotient_towards_zero(a, b) * b) & ((rest == 0) | ((rest < 0) == (a < 0)))
    agree = agree & ((b == 0) | (_size(rest) < _size(b))) & ((b != 0) | (rest == a))
    agree = agree & (((b != 1) & (b != -1)) | (rest == 0))
    unsigned = remainder_towards_zero(_bare(a), _bare(b))
    agree = agree & ((a < 0) | (b < 0) | (_bare(rest) == unsigned))
    agree = agree & (unsigned == _bare(a) - quotient_towards_zero(_bare(a), _bare(b)) * _bare(b))
    return agree & ((b == 0) | (unsigned < _bare(b))) & ((b != 0) | (unsigned == _bare(a)))


def _bare(value: Value) -> Value:
    return reinterpret(value, integer(value.element.width, False))


def _size(value: Value) -> Value:
    """The magnitude as a number without sign, which holds that of the lowest number, too."""
    return _bare(select(value < 0, negative(value), value))


# What the proof engine states of products and quotients that it leaves abstract.
FACTS: dict[str, Words] = {
    "special products, and either order": _of_products,
    "special quotients": _of_quotients,
    "remainders belong to quotients": _of_remainders,
}


def _fact(name: str, words: Words, sort: Sort) -> Theorem:
    def pair(sort: Sort) -> Pair:
        return trace(lambda a, b: literal(True, boolean), (sort, sort), None), trace(words, (sort, sort), None)

    narrow = (Narrow(8, lambda: pair(i8)), Narrow(16, lambda: pair(i16)))
    return Theorem(f"{name}, {sort.name}", GROUP, lambda: pair(sort), narrow, complete=True)


NARROW: dict[str, Words] = {
    "product": lambda a, b: a * b,
    "quotient": quotient_towards_zero,
    "remainder": remainder_towards_zero,
}


def _low_bits(name: str, words: Words, sort: Sort) -> Theorem:
    """What the proof engine relies on where it leaves quotients abstract: also for a divisor of 0."""
    wide = integer(32, sort.signed)

    def of_wider(a: Value, b: Value) -> Value:
        return wrap(words(widen(a, wide), widen(b, wide)), sort)

    def pair() -> Pair:
        return trace(words, (sort, sort), None), trace(of_wider, (sort, sort), None)

    return Theorem(f"a {name} is the low bits of a wider one, {sort.name}", GROUP, pair, complete=True)


def _remainder(a: Value, b: Value) -> Value:
    return remainder_towards_zero(a, b)


def _rest_of_quotient(a: Value, b: Value) -> Value:
    """Nothing traps: a divisor of 0, and -1 under the lowest number, become 1 before the division."""
    safe = select(b == 0, 1, b)
    if a.element.signed:
        safe = select((a == a.element.lowest) & (b == -1), 1, safe)
    return a - quotient_towards_zero(a, safe) * b
