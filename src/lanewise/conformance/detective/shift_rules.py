"""Rules about shifts: what becomes of the count, which bits come in, how the rest is rounded."""

from __future__ import annotations

from lanewise.conformance.detective.rules import Setting, applies, rule
from lanewise.language.sorts import i32, integer, u32
from lanewise.language.words import (
    Value,
    literal,
    negative,
    reinterpret,
    reinterpret_unsigned,
    select,
    shift_left,
    shift_right,
    wrap,
)

BY_COUNT = ("bit_shift",)
LOGICAL = ("logical_left_shift", "logical_right_shift")  # their counts reach 31 for narrower types, too
ROUNDING = ("arithmetic_right_shift",)


def _left(setting: Setting) -> bool:
    return setting.cell.operator == "logical_left_shift" or setting.attributes.get("direction") == "LEFT"


def _shift(setting: Setting, x: Value, count: Value) -> Value:
    if setting.cell.operator == "logical_right_shift":
        return reinterpret(shift_right(reinterpret_unsigned(x), reinterpret_unsigned(count)), x.element)
    return shift_left(x, count) if _left(setting) else shift_right(x, count)


@rule(
    "count masked by the width",
    "the count modulo the width, as x86 and most processors shift words",
    *BY_COUNT,
    *LOGICAL,
)
def masked(setting: Setting, x: Value, n: Value) -> Value:
    return _shift(setting, x, n & (x.element.width - 1))


def _promoted(setting: Setting, x: Value, n: Value, width: int, signed: bool) -> Value:
    applies(x.element.width < width)
    wide = integer(width, signed)
    count = wrap(n, integer(width, n.element.signed))
    return wrap(_shift(setting, wrap(x, wide), count & (width - 1)), x.element)


@rule("promoted to 32 bits", "shifted as a 32-bit word, the count modulo 32, and cut to the type", *BY_COUNT)
def promoted(setting: Setting, x: Value, n: Value) -> Value:
    return _promoted(setting, x, n, 32, x.element.signed)


@rule("promoted to 64 bits", "shifted as a 64-bit word, the count modulo 64, and cut to the type", *BY_COUNT)
def promoted_64(setting: Setting, x: Value, n: Value) -> Value:
    return _promoted(setting, x, n, 64, x.element.signed)


@rule("sign- for zero-extension", "an unsigned word shifted as a signed 32-bit one that copies its top bit", *BY_COUNT)
def sign_extended(setting: Setting, x: Value, n: Value) -> Value:
    applies(x.element.width < 32 and not x.element.signed and not _left(setting))
    applies(setting.cell.record.release.since != 11)  # counts within the width, where "arithmetic for logical" says it
    wide = wrap(reinterpret(x, integer(x.element.width, True)), i32)
    return wrap(_shift(setting, wide, wrap(n, i32) & 31), x.element)


@rule(
    "sign- for zero-extension",
    "a narrow word widened to 32 bits with copies of its top bit, which then come in from the left",
    "logical_right_shift",
)
def widened_with_sign(setting: Setting, x: Value, n: Value) -> Value:
    applies(x.element.width < 32)
    applies(setting.cell.record.release.since == "0.23.0")  # later counts end below the width, as above
    return wrap(shift_right(reinterpret_unsigned(wrap(x, i32)), wrap(n, u32)), x.element)


@rule(
    "count clamped",
    "a count past the width (negative ones, read as unsigned, too) is the width less 1",
    *BY_COUNT,
    "logical_left_shift",
)
def clamped(setting: Setting, x: Value, n: Value) -> Value:
    count, top = reinterpret_unsigned(n), x.element.width - 1
    return _shift(setting, x, select(count > top, top, count))


@rule(
    "count clamped", "a count past the width is the width less 1, so that the top bit may stay", "logical_right_shift"
)
def clamped_logical(_: Setting, x: Value, n: Value) -> Value:
    top = x.element.width - 1
    return reinterpret(shift_right(reinterpret_unsigned(x), reinterpret_unsigned(select(n > top, top, n))), x.element)


@rule("count clamped on both sides", "a negative count is 0, one past the width is the width less 1", *BY_COUNT)
def clamped_signed(setting: Setting, x: Value, n: Value) -> Value:
    applies(n.element.signed)
    top = x.element.width - 1
    return _shift(setting, x, select(n < 0, 0, select(n > top, top, n)))


@rule("0 beyond the width", "0 for a count past the width or below 0, whatever the sign of x", *BY_COUNT)
def nothing_beyond(setting: Setting, x: Value, n: Value) -> Value:
    return select(reinterpret_unsigned(n) >= x.element.width, 0, _shift(setting, x, n))


@rule("x beyond the width", "x itself for a count past the width or below 0", *BY_COUNT, *LOGICAL)
def same_beyond(setting: Setting, x: Value, n: Value) -> Value:
    return select(reinterpret_unsigned(n) >= x.element.width, x, _shift(setting, x, n))


@rule("0 for negative counts", "0 for a count below 0, otherwise as specified", *BY_COUNT)
def nothing_below(setting: Setting, x: Value, n: Value) -> Value:
    applies(n.element.signed)
    return select(n < 0, 0, _shift(setting, x, n))


@rule("x for negative counts", "x itself, not moved to the left, for a count below 0", *BY_COUNT)
def same_below(setting: Setting, x: Value, n: Value) -> Value:
    applies(n.element.signed and _left(setting))  # to the right, "count clamped on both sides" says it
    return select(n < 0, x, _shift(setting, x, n))


@rule("negative counts turn the direction", "a count below 0 shifts the other way by its magnitude", *BY_COUNT)
def turned(setting: Setting, x: Value, n: Value) -> Value:
    applies(n.element.signed)
    back = negative(n)
    other = shift_right(x, back) if _left(setting) else shift_left(x, back)
    return select(n < 0, other, _shift(setting, x, n))


@rule(
    "saturates",
    "the exact product x * 2**n, brought to the nearest number of the type",
    *BY_COUNT,
    "logical_left_shift",
)
def saturated(setting: Setting, x: Value, n: Value) -> Value:
    applies(_left(setting))
    moved, top = shift_left(x, n), literal(x.element.highest, x.element)
    nearest = select(x < 0, x.element.lowest, top) if x.element.signed else top
    return select(shift_right(moved, n) == x, moved, nearest)


@rule(
    "multiplied by a float's power",
    "x * 2**n, where 2**n is a float32 with the exponent n, made by shifting and cut to int32",
    *BY_COUNT,
)
def by_exponent(setting: Setting, x: Value, n: Value) -> Value:
    applies(_left(setting) and x.element.signed and x.element.width <= 32)
    field = wrap(n, i32) + 127  # from bit 8 on it is the float's sign
    exponent = (field & 255) - 127
    size = select(exponent < 0, 0, select(exponent > 30, i32.lowest, shift_left(field - field + 1, exponent)))
    factor = select((field & 256) != 0, negative(size), size)
    return wrap(wrap(x, i32) * factor, x.element)


@rule("logical for arithmetic", "zeros come in from the left instead of copies of the sign", *BY_COUNT, *ROUNDING)
def logical(setting: Setting, x: Value, n: Value) -> Value:
    applies(x.element.signed and not _left(setting))
    return reinterpret(shift_right(reinterpret_unsigned(x), reinterpret_unsigned(n)), x.element)


@rule(
    "arithmetic for logical",
    "copies of the top bit come in from the left instead of zeros",
    *BY_COUNT,
    "logical_right_shift",
)
def arithmetic(setting: Setting, x: Value, n: Value) -> Value:
    applies(not _left(setting) and not (x.element.signed and setting.cell.operator in BY_COUNT))
    signed = integer(x.element.width, True)
    return reinterpret(shift_right(reinterpret(x, signed), reinterpret(n, signed)), x.element)


# --- rounding ---------------------------------------------------------------------------------


@rule("floor", "rounded down", *ROUNDING)
def floor(_: Setting, x: Value, n: Value) -> Value:
    return shift_right(x, n)


def _last_out(x: Value, n: Value) -> Value:
    """1 where the bit that left last is 1, else 0."""
    return select(n > 0, shift_right(x, n - 1) & 1, 0)


def _rest(x: Value, n: Value) -> Value:
    """The bits that were shifted out, as a number in place."""
    return x - shift_left(shift_right(x, n), n)


@rule("half up", "to nearest, ties upwards", *ROUNDING)
def half_up(_: Setting, x: Value, n: Value) -> Value:
    return shift_right(x, n) + _last_out(x, n)


@rule("half away", "to nearest, ties away from zero", *ROUNDING)
def half_away(_: Setting, x: Value, n: Value) -> Value:
    down = shift_right(x, n)
    half = shift_left(select(n > 0, 1, x - x), n - 1)
    tie = (_rest(x, n) == half) & (n > 0)
    return down + select(tie & (x < 0), 0, _last_out(x, n))


@rule("half even", "to nearest, ties to the even neighbour", *ROUNDING)
def half_even(_: Setting, x: Value, n: Value) -> Value:
    down = shift_right(x, n)
    half = shift_left(select(n > 0, 1, x - x), n - 1)
    tie = (_rest(x, n) == half) & (n > 0)
    return down + select(tie, down & 1, _last_out(x, n))


@rule("truncation", "rounded towards zero", *ROUNDING)
def truncated(_: Setting, x: Value, n: Value) -> Value:
    down = shift_right(x, n)
    return down + select((x < 0) & (_rest(x, n) != 0), 1, x - x)


@rule(
    "the sum wraps before the shift",
    "half is added in the type itself, where the sum may wrap, then shifted",
    *ROUNDING,
)
def wrapped_sum(_: Setting, x: Value, n: Value) -> Value:
    half = select(n > 0, shift_left(x - x + 1, n - 1), x - x)
    return shift_right(x + half, n)


@rule(
    "half of a wrapped power",
    "half is (1 << n) >> 1 in the type, negative at the width less 1, and the sum wraps",
    *ROUNDING,
)
def wrapped_half(_: Setting, x: Value, n: Value) -> Value:
    return shift_right(x + shift_right(shift_left(x - x + 1, n), x - x + 1), n)
