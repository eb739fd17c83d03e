"""The rules for floats, and Cast to and from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from lanewise.language import floats
from lanewise.language.sorts import Sort, f32, i32, integer, u32
from lanewise.lowering.onnx_to_tosa.casts import extended
from lanewise.lowering.steps import Steps, Term

# Takes the steps, the attributes and the operands.
FloatRule = Callable[..., Term]


def larger(t: Steps, a: Term, b: Term) -> Term:
    """Of equals, which are zeros of either sign, ONNX keeps the second and MAXIMUM the first."""
    return t("MAXIMUM", b, a)


def smaller(t: Steps, a: Term, b: Term) -> Term:
    return t("MINIMUM", a, b)


def largest(t: Steps, attributes: Mapping[str, Any], *operands: Term) -> Term:
    return reduce(lambda a, b: larger(t, a, b), operands)


def smallest(t: Steps, attributes: Mapping[str, Any], *operands: Term) -> Term:
    return reduce(lambda a, b: smaller(t, a, b), operands)


def clip(t: Steps, attributes: Mapping[str, Any], x: Term, low: Term | None = None, high: Term | None = None) -> Term:
    """Bounds are operands or attributes; those not given are the type's extremes, which infinities meet."""
    extreme = _highest(f32 if "min" in attributes else x.sort)
    least, most = (attributes.get(name) for name in ("min", "max"))
    low = t.const(_nearest(-extreme if least is None else least, x.sort), x.sort) if low is None else low
    high = t.const(_nearest(extreme if most is None else most, x.sort), x.sort) if high is None else high
    return smaller(t, high, larger(t, x, low))


RULES: dict[str, FloatRule] = {
    "Add": lambda t, attributes, a, b: t("ADD", a, b),
    "Sub": lambda t, attributes, a, b: t("SUB", a, b),
    "Mul": lambda t, attributes, a, b: t("MUL", a, b),
    "Max": largest,
    "Min": smallest,
    "Abs": lambda t, attributes, a: t("ABS", a),
    "Neg": lambda t, attributes, a: t("NEGATE", a),
    "Equal": lambda t, attributes, a, b: t("EQUAL", a, b),
    "Greater": lambda t, attributes, a, b: t("GREATER", a, b),
    "GreaterOrEqual": lambda t, attributes, a, b: t("GREATER_EQUAL", a, b),
    "Less": lambda t, attributes, a, b: t("GREATER", b, a),
    "LessOrEqual": lambda t, attributes, a, b: t("GREATER_EQUAL", b, a),
    "Where": lambda t, attributes, condition, a, b: t("SELECT", condition, a, b),
    "Clip": clip,
}


def from_boolean(t: Steps, value: Term, target: Sort) -> Term:
    return t("SELECT", value, t.const(1.0, target), t.const(0.0, target))


def to_boolean(t: Steps, value: Term) -> Term:
    """Different from 0, as a NaN is."""
    return t("LOGICAL_NOT", t("EQUAL", value, 0.0))


def from_integer(t: Steps, value: Term, sort: Sort, target: Sort) -> Term:
    """An integer of at most 32 bits, rounded once."""
    if sort != u32:
        return t("CAST", value if sort.signed else extended(t, value, sort, i32.width), output_type=target.name)
    # From 2**31 on it is half the number that is rounded. Its last bit stands for all that is lost below the place
    # where it rounds, so the bit that halving drops is put there.
    large = t("GREATER", 0, value)
    half = t("BITWISE_OR", t("LOGICAL_RIGHT_SHIFT", value, 1), t("BITWISE_AND", value, 1))
    rounded = t("CAST", t("SELECT", large, half, value), output_type=target.name)
    return t("SELECT", large, t("ADD", rounded, rounded), rounded)


def to_integer(t: Steps, value: Term, target: Sort) -> Term:
    """Towards zero, saturated, 0 for NaN: a type of at most 32 bits, as its signed bits."""
    if target == u32:
        return _to_u32(t, value)
    result = _truncated(t, value)
    if target == i32:
        return result
    result = t("MINIMUM", t("MAXIMUM", result, target.lowest), target.highest)
    return t("CAST", result, output_type=integer(target.width, True).name)


def _truncated(t: Steps, value: Term) -> Term:
    """As int32. TOSA's cast rounds to the nearest integer and leaves NaN open."""
    number = t("SELECT", t("EQUAL", value, value), value, 0.0)
    nearest = t("CAST", number, output_type=i32.name)
    # Where there are fractions at all, the type holds every integer, so the way back is exact.
    back = t("CAST", nearest, output_type=value.sort.name)
    away = t("GREATER", t("ABS", back), t("ABS", number))
    sign = t("BITWISE_OR", t("ARITHMETIC_RIGHT_SHIFT", nearest, i32.width - 1), 1)
    return t("SUB", nearest, t("SELECT", away, sign, 0))


def _to_u32(t: Steps, value: Term) -> Term:
    half = float(1 << 31)
    if _highest(value.sort) < half:
        result = t("MAXIMUM", _truncated(t, value), 0)
        return t("SELECT", t("GREATER", value, _highest(value.sort)), u32.highest, result)  # infinity
    large = t("GREATER_EQUAL", value, half)
    rest = t("SELECT", large, t("SUB", value, half), value)  # an exact difference, wherever it is not saturated
    result = t("MAXIMUM", _truncated(t, rest), 0)
    return t("BITWISE_XOR", result, t("SELECT", large, t.const(i32.lowest, i32), t.const(0, i32)))


def _highest(sort: Sort) -> float:
    """The largest finite number."""
    return floats.decode(floats.infinity(sort) - 1, sort)


def _nearest(number: float, sort: Sort) -> float:
    """The number of a type; beyond its largest, infinity."""
    return floats.decode(floats.encode(number, sort), sort)


def between_floats(t: Steps, value: Term, target: Sort) -> Term:
    """TOSA goes from each type to float32 and back; what goes to float32 is exact, so it is rounded once."""
    if f32 not in (value.sort, target):
        value = t("CAST", value, output_type=f32.name)
    return t("CAST", value, output_type=target.name)
