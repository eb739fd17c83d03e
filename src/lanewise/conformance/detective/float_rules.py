"""Rules about what floats are besides numbers: NaN, zeros with a sign, subnormal numbers."""

from __future__ import annotations

from lanewise.conformance.detective.rules import Setting, applies, rule, without_subnormals
from lanewise.language.sorts import f64
from lanewise.language.words import Value, convert, literal, nan, power, select

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
