"""The rules for integers, each written once over `Words`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from lanewise.lowering.onnx_to_tosa.division import divide, remainder
from lanewise.lowering.onnx_to_tosa.words import Parts, Words
from lanewise.lowering.rule import Source

# Takes the arithmetic of the operands' type, the node and the operands.
IntegerRule = Callable[..., Parts]


def bit_shift(w: Words, source: Source, x: Parts, y: Parts) -> Parts:
    """TOSA's counts end below the width, also where the result is not used: they are cut before the shift."""
    shift = w.shift_left if source.attributes["direction"] == "LEFT" else w.shift_right
    if source.premise is not None:
        return shift(x, w.count(y))
    beyond = w.beyond(y)
    last = w.sort.width - 1
    if source.attributes["direction"] == "RIGHT" and w.sort.signed:
        # The last place leaves nothing but the sign, and so does every place beyond it.
        return shift(x, w.t("SELECT", beyond, last, w.count(y)))
    return w.select(beyond, w.constant(0), shift(x, w.t("BITWISE_AND", w.count(y), last)))


def largest(w: Words, source: Source, *operands: Parts) -> Parts:
    return operands[0] if len(operands) == 1 else w.number(reduce(w.larger, map(w.key, operands)))


def smallest(w: Words, source: Source, *operands: Parts) -> Parts:
    return operands[0] if len(operands) == 1 else w.number(reduce(w.smaller, map(w.key, operands)))


def clip(w: Words, source: Source, x: Parts, low: Parts | None, high: Parts | None) -> Parts:
    if low is None and high is None:
        return x
    key = w.key(x)
    key = key if low is None else w.larger(key, w.key(low))
    return w.number(key if high is None else w.smaller(key, w.key(high)))


def greater(w: Words, source: Source, a: Parts, b: Parts) -> Parts:
    return (w.greater(w.key(a), w.key(b)),)


def greater_or_equal(w: Words, source: Source, a: Parts, b: Parts) -> Parts:
    return (w.at_least(w.key(a), w.key(b)),)


RULES: dict[str, IntegerRule] = {
    "BitShift": bit_shift,
    "BitwiseAnd": lambda w, source, a, b: w.each("BITWISE_AND", a, b),
    "BitwiseOr": lambda w, source, a, b: w.each("BITWISE_OR", a, b),
    "BitwiseXor": lambda w, source, a, b: w.each("BITWISE_XOR", a, b),
    "BitwiseNot": lambda w, source, a: w.each("BITWISE_NOT", a),
    "Add": lambda w, source, a, b: w.add(a, b),
    "Sub": lambda w, source, a, b: w.subtract(a, b),
    "Mul": lambda w, source, a, b: w.multiply(a, b),
    "Div": divide,
    "Mod": remainder,
    "Max": largest,
    "Min": smallest,
    "Abs": lambda w, source, a: w.absolute(a) if w.sort.signed else a,
    "Neg": lambda w, source, a: w.negate(a),
    "Equal": lambda w, source, a, b: (w.equal(a, b),),
    "Greater": greater,
    "GreaterOrEqual": greater_or_equal,
    "Less": lambda w, source, a, b: greater(w, source, b, a),
    "LessOrEqual": lambda w, source, a, b: greater_or_equal(w, source, b, a),
    "Where": lambda w, source, condition, a, b: w.select(condition[0], a, b),
    "Clip": clip,
}
