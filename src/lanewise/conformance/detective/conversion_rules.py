"""Rules about conversions between numbers of different types."""

from __future__ import annotations

from lanewise.conformance.detective.rules import Setting, applies, rule, without_subnormals
from lanewise.language.sorts import f32, f64, i32, i64, integer
from lanewise.language.words import (
    Value,
    absolute,
    convert,
    is_nan,
    literal,
    reinterpret_unsigned,
    round_to_even,
    saturate,
    select,
    wrap,
)

CASTS = ("cast",)


def _to_whole(setting: Setting, x: Value) -> Value:
    """The operand of a conversion from a float to an integer, as float64."""
    applies(x.element.kind == "float" and setting.output.kind == "int")
    return convert(x, f64)


@rule("truncation, saturating", "cut towards zero, the nearest number of the type", *CASTS)
def truncated(setting: Setting, x: Value) -> Value:
    return convert(_to_whole(setting, x), setting.output)


@rule("half even", "the nearest integer, ties to the even one", *CASTS)
def half_even(setting: Setting, x: Value) -> Value:
    return convert(round_to_even(_to_whole(setting, x)), setting.output)


@rule("half away", "the nearest integer, ties away from zero", *CASTS)
def half_away(setting: Setting, x: Value) -> Value:
    real = _to_whole(setting, x)
    size = absolute(real)
    nearest = round_to_even(size)
    down = select(nearest > size, nearest - 1.0, nearest)
    rounded = select(size - down >= 0.5, down + 1.0, down)  # what is cut off is a number of the type
    return convert(select(real < 0.0, -rounded, rounded), setting.output)


@rule("floor", "rounded down", *CASTS)
def floor(setting: Setting, x: Value) -> Value:
    real = _to_whole(setting, x)
    nearest = round_to_even(real)
    return convert(select(nearest > real, nearest - 1.0, nearest), setting.output)


@rule("wraps from 32 bits", "cut to int32, whose low bits stay", *CASTS)
def low_of_32(setting: Setting, x: Value) -> Value:
    real = _to_whole(setting, x)
    applies(setting.output.width < 32)
    inside = (real < 2147483648.0) & (real > -2147483649.0)
    return wrap(select(inside, convert(real, i32), literal(-(1 << 31), i32)), setting.output)


@rule("wraps from 64 bits", "cut to int64, whose low bits stay", *CASTS)
def low_of_64(setting: Setting, x: Value) -> Value:
    real = _to_whole(setting, x)
    applies(setting.output.width < 64)
    inside = absolute(real) < 9223372036854775808.0
    return wrap(select(inside, convert(real, i64), literal(-(1 << 63), i64)), setting.output)


@rule("the lowest number beyond the range", "as processors' conversions signal an invalid operation", *CASTS)
def indefinite(setting: Setting, x: Value) -> Value:
    real = _to_whole(setting, x)
    output = setting.output
    outside = is_nan(real) | (real >= float(output.highest + 1)) | (real <= float(output.lowest) - 1.0)
    return select(outside, literal(output.lowest, output), convert(real, output))


@rule(
    "by the signed conversion",
    "an unsigned type's upper half less its middle, with the top bit turned; beyond it the lowest signed number",
    *CASTS,
)
def halves(setting: Setting, x: Value) -> Value:
    real, output = _to_whole(setting, x), setting.output
    applies(not output.signed and output.width in (32, 64))
    signed, middle = integer(output.width, True), 2.0 ** (output.width - 1)
    upper = real >= middle
    part = select(upper, real - middle, real)
    inside = (part < middle) & (part > -middle - 1.0)
    cut = select(inside, convert(part, signed), literal(signed.lowest, signed))
    return wrap(select(upper, cut ^ signed.lowest, cut), output)


@rule("saturates", "an integer beyond the range becomes the nearest number of the type", *CASTS)
def saturated(setting: Setting, x: Value) -> Value:
    applies(x.element.kind == "int" and setting.output.kind == "int")
    applies(setting.output.lowest <= x.element.highest)
    return saturate(x, setting.output)


@rule("the low bit", "a boolean is the lowest bit, not whether the number differs from 0", *CASTS)
def low_bit(setting: Setting, x: Value) -> Value:
    applies(setting.output.kind == "bool" and x.element.kind == "int")
    return (x & 1) != 0


@rule("cut to an integer first", "a boolean is whether the number without its fraction differs from 0", *CASTS)
def whole_first(setting: Setting, x: Value) -> Value:
    applies(setting.output.kind == "bool" and x.element.kind == "float")
    return convert(x, i64) != 0


@rule("double rounding", "rounded to float32 first and to the result's type then", *CASTS)
def twice(setting: Setting, x: Value) -> Value:
    applies(setting.output.kind == "float" and setting.output.width < 64 and x.element.kind != "bool")
    applies(f32 not in (x.element, setting.output))
    if setting.attributes.get("input_unsigned") and x.element.kind == "int":
        x = reinterpret_unsigned(x)
    return convert(convert(x, f32), setting.output)


@rule("read with the other sign", "the integer's bits read as signed for unsigned, or the other way round", *CASTS)
def other_sign(setting: Setting, x: Value) -> Value:
    applies(x.element.kind == "int")
    return convert(wrap(x, integer(x.element.width, not x.element.signed)), setting.output)


@rule("subnormal numbers are 0", "operands and results below the smallest normal number count as 0", *CASTS)
def flushed(setting: Setting, x: Value) -> Value:
    applies(x.element.kind == "float" and setting.output.kind != "int")
    result = convert(without_subnormals(x), setting.output)
    return without_subnormals(result) if setting.output.kind == "float" else result
