"""Rules about sums, products, quotients, remainders, comparisons and bounds."""

from __future__ import annotations

import math
from typing import Any

from lanewise.conformance.detective.rules import Setting, applies, rule, smallest_normal, without_subnormals
from lanewise.language.floats import decode, infinity
from lanewise.language.sorts import Sort, f32, f64, i32, i64, integer
from lanewise.language.words import (
    Value,
    absolute,
    convert,
    is_nan,
    literal,
    maximum,
    minimum,
    nan,
    negative,
    quotient_towards_zero,
    reinterpret,
    remainder_towards_zero,
    round_to_even,
    saturate,
    select,
    shift_right,
    wrap,
)

QUOTIENTS = ("div", "intdiv")
SUMS = ("add", "sub", "mul")
ORDERS = ("greater", "greater_or_equal", "greater_equal", "less", "less_or_equal", "equal")
CHOICES = ("max", "min", "maximum", "minimum")


def _whole(value: Value) -> None:
    applies(value.element.kind == "int")


# --- quotients ---------------------------------------------------------------------------------


def _parts(a: Value, b: Value) -> tuple[Value, Value, Value, Value]:
    """A divisor that is not 0, the quotient towards zero, the remainder, and whether the exact one is below 0."""
    _whole(a)
    safe = select(b == 0, 1, b)
    rest = remainder_towards_zero(a, safe)
    below = (a < 0) != (b < 0)
    return safe, quotient_towards_zero(a, safe), rest, below


@rule("floor", "the quotient rounded down", *QUOTIENTS)
def floor(_: Setting, a: Value, b: Value) -> Value:
    quotient, rest, below = _parts(a, b)[1:]
    return select(b == 0, 0, quotient - select((rest != 0) & below, 1, a - a))


def _nearest(a: Value, b: Value, ties: str) -> Value:
    safe, quotient, rest, below = _parts(a, b)
    size, limit = absolute(rest), absolute(safe)
    twice = limit - size  # what is missing to the next number
    up = (size > twice) | (
        (size == twice)
        & {
            "away": rest != 0,
            "even": (quotient & 1) != 0,
            "up": (rest != 0) & ~below,
        }[ties]
    )
    step = select(below, literal(-1, a.element) if a.element.signed else literal(0, a.element), literal(1, a.element))
    return select(b == 0, 0, quotient + select(up & (rest != 0), step, a - a))


@rule("half away", "the nearest quotient, ties away from zero", *QUOTIENTS)
def half_away(_: Setting, a: Value, b: Value) -> Value:
    return _nearest(a, b, "away")


@rule("half even", "the nearest quotient, ties to the even neighbour", *QUOTIENTS)
def half_even(_: Setting, a: Value, b: Value) -> Value:
    return _nearest(a, b, "even")


@rule("half up", "the nearest quotient, ties upwards", *QUOTIENTS)
def half_up(_: Setting, a: Value, b: Value) -> Value:
    applies(a.element.signed)  # away from zero is upwards elsewhere
    return _nearest(a, b, "up")


@rule("through float64", "both operands as float64, the quotient cut towards zero", *QUOTIENTS)
def through_float(_: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    return convert(convert(a, f64) / convert(b, f64), a.element)


@rule("all ones for 0", "every bit of the quotient is set where the divisor is 0, as RISC-V divides", *QUOTIENTS)
def ones_for_zero(_: Setting, a: Value, b: Value) -> Value:
    quotient = _parts(a, b)[1]
    return select(b == 0, -1 if a.element.signed else a.element.highest, quotient)


# --- remainders -------------------------------------------------------------------------------


@rule("sign of the dividend", "the remainder of the quotient towards zero", "mod")
def rest_towards_zero(_: Setting, a: Value, b: Value) -> Value:
    if a.element.kind == "float":
        return remainder_towards_zero(a, b)
    return select(b == 0, 0, remainder_towards_zero(a, select(b == 0, 1, b)))


@rule("sign of the divisor", "the remainder of the quotient rounded down", "mod")
def rest_down(_: Setting, a: Value, b: Value) -> Value:
    rest = rest_towards_zero(_, a, b)
    return select((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


@rule("never negative", "the remainder of Euclid's division", "mod")
def euclid(_: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    rest = rest_towards_zero(_, a, b)
    return select(rest < 0, rest + absolute(b), rest)


def _whole_quotient(quotient: Value, down: bool) -> Value:
    """A float without its fraction, rounded down or towards zero."""
    nearest = round_to_even(quotient)
    floor = select(nearest > quotient, nearest - 1.0, nearest)
    ceiling = select(nearest < quotient, nearest + 1.0, nearest)
    return floor if down else select(quotient < 0.0, ceiling, floor)


@rule("a - b * (a / b)", "the remainder by quotient and product, with the roundings of the type", "mod")
def rest_by_product(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    return a - b * _whole_quotient(a / b, not setting.attributes["fmod"])


@rule("NaN beyond the range of a / b", "NaN where the quotient overflows, the exact remainder elsewhere", "mod")
def rest_in_range(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    exact = rest_towards_zero(setting, a, b) if setting.attributes["fmod"] else rest_down(setting, a, b)
    return select(absolute(a / b) == literal(math.inf, a.element), nan(a.element), exact)


@rule("subnormal numbers are 0", "operands below the smallest normal number count as 0", "mod")
def rest_flushed(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    rest = rest_towards_zero if setting.attributes["fmod"] else rest_down
    return without_subnormals(rest(setting, without_subnormals(a), without_subnormals(b)))


@rule("through float64", "both operands as float64, the remainder cut to the type", "mod")
def rest_through_float(_: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "int" and a.element.width > 53)  # float64 has narrower ones exactly
    return convert(remainder_towards_zero(convert(a, f64), convert(b, f64)), a.element)


# --- sums and products ---------------------------------------------------------------------------


def _combined(setting: Setting, a: Value, b: Value) -> Value:
    name = setting.cell.operator
    return a + b if name == "add" else a - b if name == "sub" else a * b


@rule("wraps in the type of the inputs", "the low bits in the inputs' width, then extended", *SUMS)
def wraps_narrow(setting: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    applies(setting.output.width > a.element.width)
    return wrap(_combined(setting, a, b), setting.output)


@rule("saturates", "the exact result brought to the nearest number of the type", *SUMS)
def saturates(setting: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    applies(not setting.cell.fixed.get("shift"))
    if a.element.width == 64:
        return _saturated_64(setting, a, b)
    wide = integer(64, a.element.signed or setting.cell.operator == "sub")
    return saturate(_combined(setting, wrap(a, wide), wrap(b, wide)), setting.output)


def _saturated_64(setting: Setting, a: Value, b: Value) -> Value:
    """No wider word has the exact result: whether it fits is told by undoing the step."""
    sort, name = a.element, setting.cell.operator
    below = (a < 0) != (b < 0) if name == "mul" else a < 0
    if name == "mul":
        divisor = select(a == 0, 1, a)
        fits = (a == 0) | (quotient_towards_zero(a * b, divisor) == b)
        if sort.signed:  # whose quotient wraps as the product does
            fits &= (a != -1) | (b != sort.lowest)
    elif not sort.signed:
        fits, below = (a + b >= a, a < 0) if name == "add" else (a >= b, a >= 0)
    else:
        result = _combined(setting, a, b)
        same = (a < 0) == (b < 0)
        fits = ((result < 0) == (a < 0)) | (~same if name == "add" else same)
    return select(fits, _combined(setting, a, b), select(below, sort.lowest, literal(sort.highest, sort)))


@rule("through float32", "computed as float32 and cut to the type", *SUMS)
def sums_through_float(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "int" and not setting.cell.fixed.get("shift"))
    applies(setting.output.width > 24)  # narrower ones are exact, and cut to the type they saturate
    return convert(_combined(setting, convert(a, f32), convert(b, f32)), setting.output)


def _scaled(setting: Setting, a: Value, b: Value) -> tuple[Value, int]:
    shift = int(setting.cell.fixed.get("shift", 0))
    applies(shift > 0 and a.sort == i32)
    return wrap(a, i64) * wrap(b, i64), shift


@rule("floor", "the product scaled down, rounded down", "mul")
def scaled_down(setting: Setting, a: Value, b: Value) -> Value:
    product, shift = _scaled(setting, a, b)
    return wrap(shift_right(product, shift), i32)


@rule("not scaled down", "the low bits of the product, as if the shift were 0", "mul")
def not_scaled(setting: Setting, a: Value, b: Value) -> Value:
    return wrap(_scaled(setting, a, b)[0], i32)


@rule("truncation", "the product scaled down, rounded towards zero", "mul")
def scaled_towards_zero(setting: Setting, a: Value, b: Value) -> Value:
    product, shift = _scaled(setting, a, b)
    return wrap(shift_right(product + select(product < 0, literal((1 << shift) - 1, i64), 0), shift), i32)


@rule("half even", "the product scaled down, ties to the even neighbour", "mul")
def scaled_half_even(setting: Setting, a: Value, b: Value) -> Value:
    product, shift = _scaled(setting, a, b)
    odd = shift_right(product, shift) & 1
    return wrap(shift_right(product + (odd + ((1 << (shift - 1)) - 1)), shift), i32)


@rule("half away", "the product scaled down, ties away from zero", "mul")
def scaled_half_away(setting: Setting, a: Value, b: Value) -> Value:
    product, shift = _scaled(setting, a, b)
    half = 1 << (shift - 1)
    return wrap(shift_right(product + select(product < 0, half - 1, literal(half, i64)), shift), i32)


@rule("double rounding", "half is moved by 2**30 with the product's sign first, as gemmlowp's second step", "mul")
def scaled_twice(setting: Setting, a: Value, b: Value) -> Value:
    product, shift = _scaled(setting, a, b)
    extra = select(product < 0, literal(-(1 << 30), i64), literal(1 << 30, i64)) if shift > 31 else literal(0, i64)
    return wrap(shift_right(product + (1 << (shift - 1)) + extra, shift), i32)


# --- one operand, orders, bounds ------------------------------------------------------------------


@rule("saturates", "the magnitude or the negative of the lowest number is the highest", "abs", "neg")
def saturated_sign(setting: Setting, a: Value) -> Value:
    _whole(a)
    flipped = negative(a) if setting.cell.operator == "neg" else absolute(a)
    return select(a == a.element.lowest, a.element.highest, flipped) if a.element.signed else flipped


@rule("wraps", "the negative in the type itself: the lowest number stays as it is", "negate")
def wrapped_sign(_: Setting, a: Value) -> Value:
    _whole(a)
    return negative(a)


def _compared(setting: Setting, a: Value, b: Value) -> Value:
    name = setting.cell.operator
    if name in ("greater_or_equal", "greater_equal"):
        return a >= b
    return {"greater": a > b, "less": a < b, "less_or_equal": a <= b, "equal": a == b}[name]


def _other_sign(sort: Sort) -> Sort:
    return integer(sort.width, not sort.signed)


@rule("compared with the other sign", "signed numbers compared as unsigned, or unsigned ones as signed", *ORDERS)
def other_order(setting: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    return _compared(setting, reinterpret(a, _other_sign(a.element)), reinterpret(b, _other_sign(b.element)))


@rule("compared as float64", "both as float64, which joins neighbours above 2**53", *ORDERS)
def float_order(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "int" and a.element.width > 53)
    return _compared(setting, convert(a, f64), convert(b, f64))


@rule("chosen with the other sign", "the choice is made as if the numbers had the other sign", *CHOICES)
def other_choice(setting: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    pick = maximum if setting.cell.operator.startswith("max") else minimum
    other = _other_sign(a.element)
    return reinterpret(pick(reinterpret(a, other), reinterpret(b, other)), a.element)


def _ahead(setting: Setting, a: Value, b: Value) -> Value:
    return a > b if setting.cell.operator.startswith("max") else a < b


def _or_nan(setting: Setting, a: Value, b: Value, chosen: Value) -> Value:
    applies(a.element.kind == "float")
    if setting.attributes.get("nan_mode") == "IGNORE":
        return select(is_nan(a), b, select(is_nan(b), a, chosen))
    return select(is_nan(a) | is_nan(b), nan(a.element), chosen)


@rule("the second of equals", "of two zeros with different signs the second operand", *CHOICES)
def second_of_equals(setting: Setting, a: Value, b: Value) -> Value:
    return _or_nan(setting, a, b, select(_ahead(setting, a, b), a, b))


@rule("the first of equals", "of two zeros with different signs the first operand", *CHOICES)
def first_of_equals(setting: Setting, a: Value, b: Value) -> Value:
    return _or_nan(setting, a, b, select(_ahead(setting, b, a), b, a))


@rule("zeros by their signs", "-0 counts as less than 0", *CHOICES)
def ordered_zeros(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    lower, upper = a + b, literal(0.0, a.element)  # -0 + 0 is 0, so only two of -0 leave one
    zeros = (a == 0.0) & (b == 0.0)
    minus = negative(upper)
    mixed = lower if setting.cell.operator.startswith("max") else select(_both_plus(a, b), upper, minus)
    return _or_nan(setting, a, b, select(zeros, mixed, select(_ahead(setting, a, b), a, b)))


def _both_plus(a: Value, b: Value) -> Value:
    """Of two zeros: whether neither has a minus."""
    one = literal(1.0, a.element)
    return (one / a > 0.0) & (one / b > 0.0)


@rule("subnormal numbers are 0", "operands below the smallest normal number count as 0 with their sign", *CHOICES)
def flushed_choice(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    return ordered_zeros(setting, without_subnormals(a), without_subnormals(b))


@rule("NaN is overlooked", "the operand that is a number, where the other is none", *CHOICES)
def nan_overlooked(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    chosen = select(a > b, a, b) if setting.cell.operator.startswith("max") else select(a < b, a, b)
    return select(is_nan(a), b, select(is_nan(b), a, chosen))


def _bounds(setting: Setting) -> tuple[Any, Any]:
    """The bounds of Clip and CLAMP, operands or attributes; None where one is absent."""
    given = {**setting.attributes, **setting.cell.fixed}
    return given.get("min", given.get("min_val")), given.get("max", given.get("max_val"))


@rule("the lower bound wins", "lowered to max first and raised to min then", "clip")
def lower_wins(setting: Setting, a: Value) -> Value:
    low, high = _bounds(setting)
    applies(low is not None and high is not None)
    under = select(a > high, literal(high, a.element), a)
    return select(under < low, literal(low, a.element), under)


@rule("no bound where none is given", "infinity stays where a bound is absent, whatever the highest number is", "clip")
def unbounded(setting: Setting, a: Value) -> Value:
    low, high = _bounds(setting)
    applies(a.element.kind == "float" and None in (low, high))
    over = a if low is None else select(a < low, literal(low, a.element), a)
    return over if high is None else select(over > high, literal(high, a.element), over)


@rule("subnormal numbers are 0", "operands below the smallest normal number count as 0", "clip", "clamp")
def flushed_clip(setting: Setting, a: Value) -> Value:
    low, high = _bounds(setting)
    applies(a.element.kind == "float")
    flat, most = without_subnormals(a), decode(infinity(a.element) - 1, a.element)
    lowest, highest = (literal(x, a.element) for x in (-most if low is None else low, most if high is None else high))
    over = select(flat < lowest, lowest, flat)
    return select(over > highest, highest, over)


@rule("subnormal numbers are 0", "operands and results below the smallest normal number count as 0", *SUMS, "div")
def flushed(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    left, right = without_subnormals(a), without_subnormals(b)
    if setting.cell.operator == "div":
        return without_subnormals(left / right)
    result = _combined(setting, left, right)
    if setting.cell.operator != "mul" or a.element == f64:
        return without_subnormals(result)
    tiny = absolute(convert(left, f64) * convert(right, f64)) < convert(smallest_normal(a.element), f64)
    return select(tiny, result * literal(0.0, a.element), result)  # before rounding, which may lead out of that range


@rule("no scale", "0 whatever the operands: taken as quantised numbers, whose scale is not given and read as 0", "mul")
def without_scale(setting: Setting, a: Value, b: Value) -> Value:
    _whole(a)
    applies(setting.output == a.sort)
    return a - a


@rule("subnormal numbers compare as 0", "operands below the smallest normal number count as 0", *ORDERS)
def flushed_order(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    return _compared(setting, without_subnormals(a), without_subnormals(b))
