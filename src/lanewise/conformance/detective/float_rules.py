"""Rules about what floats are besides numbers: NaN, zeros with a sign, subnormal numbers."""

from __future__ import annotations

from lanewise.conformance.detective.rules import Setting, applies, rule, smallest_normal, without_subnormals
from lanewise.language.sorts import bf16, f32, f64
from lanewise.language.words import Value, absolute, convert, literal, nan, power, select

CHOICES = ("max", "min", "maximum", "minimum")


def _second_unless_ahead(setting: Setting, a: Value, b: Value) -> Value:
    ahead = a > b if setting.cell.operator.startswith("max") else a < b
    return select(ahead, a, b)


@rule(
    "the second unless the first is ahead",
    "one comparison decides: NaN as second operand stays, as first one it is lost",
    *CHOICES,
)
def one_comparison(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    return _second_unless_ahead(setting, a, b)


@rule(
    "the second unless the first is ahead, without subnormal numbers",
    "one comparison decides, and subnormal numbers count as 0",
    *CHOICES,
)
def one_comparison_flushed(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    return _second_unless_ahead(setting, without_subnormals(a), without_subnormals(b))


@rule("subtracted from 0", "0 - x where subnormal numbers are 0: 0 becomes 0, not -0", "neg")
def subtracted(_: Setting, x: Value) -> Value:
    applies(x.element.kind == "float")
    return without_subnormals(literal(0.0, x.element) - without_subnormals(x))


@rule("pow of IEEE 754", "the power 0 and the base 1 give 1 beside NaN, too", "pow")
def standard_power(_: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    return power(a, b)


@rule(
    "subnormal numbers are 0",
    "operands and results below the smallest normal number count as 0, and 0 ** 0 is NaN",
    "pow",
)
def flushed_power(_: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    left, right = without_subnormals(a), without_subnormals(b)
    result = without_subnormals(power(left, right))
    return select((left == 0.0) & (right == 0.0), nan(a.element), result)


@rule(
    "a subnormal base is half the least number",
    "its exponent is read where its fraction was flushed to 0: 2**-150, for float64 2**-1075; subnormal results are 0",
    "pow",
)
def misread_power(_: Setting, a: Value, b: Value) -> Value:
    applies(a.element in (f32, bf16, f64))
    exponents = (-537, -538) if a.element == f64 else (-75, -75)  # float64 has no 2**-1075, but its two factors
    wide, sign = convert(b, f64), select(a < 0.0, literal(-1.0, f64), literal(1.0, f64))
    first, second = (literal(2.0**k, f64) for k in exponents)
    misread = power(first * sign, wide) * power(second, wide)
    subnormal = (absolute(a) < smallest_normal(a.element)) & (a != 0.0)
    return without_subnormals(select(subnormal, convert(misread, a.element), power(a, b)))


@rule(
    "only where an operand is a signalling NaN",
    "NaN there, as IEEE 754-2008 has it: nan_mode IGNORE overlooks quiet NaN alone",
    "maximum",
    "minimum",
    signalling=True,
)
def quiet_nan(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float" and setting.attributes.get("nan_mode") == "IGNORE")
    return nan(a.element)


@rule(
    "only where an operand is a signalling NaN",
    "max_val there: the maximum with min_val is a quiet NaN, which the minimum with max_val overlooks",
    "clamp",
    signalling=True,
)
def quiet_nan_bounded(setting: Setting, x: Value) -> Value:
    applies(x.element.kind == "float" and setting.attributes.get("nan_mode") == "IGNORE")
    return literal(setting.attributes["max_val"], x.element)


@rule("zeros without sign", "-0 becomes 0, as where it is added to the zeros of what was not chosen", "where", "select")
def unsigned_zeros(_: Setting, condition: Value, a: Value, b: Value) -> Value:
    applies(a.element.kind == "float")
    chosen = select(condition, a, b)
    return select(chosen == 0.0, literal(0.0, a.element), chosen)


@rule("through float64", "both operands as float64, the power cut to the type", "pow")
def power_through_float(setting: Setting, a: Value, b: Value) -> Value:
    applies(a.element.kind == "int")
    return convert(power(convert(a, f64), convert(b, f64)), setting.output)


@rule("subnormal numbers are 0", "operands and results below the smallest normal number count as 0", "reciprocal")
def flushed_reciprocal(_: Setting, x: Value) -> Value:
    return without_subnormals(literal(1.0, x.element) / without_subnormals(x))
