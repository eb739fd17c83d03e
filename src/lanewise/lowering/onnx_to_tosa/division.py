"""Div and Mod of integers in one word: 0 where the divisor is 0, and no quotient that TOSA's division refuses."""

from __future__ import annotations

from lanewise.lowering.onnx_to_tosa.words import OneWord, Parts, product
from lanewise.lowering.rule import Source
from lanewise.lowering.steps import Term


def divide(w: OneWord, source: Source, a: Parts, b: Parts) -> Parts:
    """The quotient, rounded towards zero and wrapped."""
    t = w.t
    if w.narrow:
        dividend, divisor = w.roomy(a[0]), w.roomy(b[0])
        if source.premise is not None:
            return (w.low(t("INTDIV", dividend, divisor)),)
        # No narrow number reaches 2**width, so by that everything goes 0 times.
        divisor = t("SELECT", w.nonzero(b), divisor, 1 << w.sort.width)
        return (w.low(t("INTDIV", dividend, divisor)),)
    if w.sort.signed and source.premise is not None:
        return w.each("INTDIV", a, b)
    if w.sort.signed:
        special = _zero_or_minus_one(w, b[0])
        quotient = t("INTDIV", a[0], t("SELECT", special, 1, b[0]))
        return w.select(special, w.multiply(a, b), (quotient,))
    quotient, _, above = _estimate(w, a, b)
    if source.premise is None:
        above = t("LOGICAL_AND", above, w.nonzero(b))
    return (t("BITWISE_OR", quotient, t("CAST", above, output_type=w.own.name)),)


def remainder(w: OneWord, source: Source, a: Parts, b: Parts) -> Parts:
    """What the quotient leaves: rounded towards zero with `fmod`, else rounded down."""
    t = w.t
    if not w.sort.signed and not w.narrow:
        _, rest, above = _estimate(w, a, b)
        rest = w.subtract((rest,), (t("SELECT", above, b[0], 0),))[0]
        return (rest,) if source.premise is not None else w.select(w.nonzero(b), (rest,), w.constant(0))
    dividend, divisor = (w.roomy(term) if w.narrow else term for term in (a[0], b[0]))
    # Divided by 1, nothing is left.
    if source.premise is not None:
        by = divisor
    elif not w.narrow:
        by = t("SELECT", _zero_or_minus_one(w, divisor), 1, divisor)
    else:
        by = t("SELECT", w.nonzero(b), divisor, 1) if w.sort.signed else t("MAXIMUM", divisor, 1)
    rest = t("SUB", dividend, product(t, t("INTDIV", dividend, by), by))
    if w.sort.signed and not source.attributes["fmod"]:
        opposed = t("GREATER", 0, t("BITWISE_XOR", rest, divisor))
        opposed = t("LOGICAL_AND", opposed, t("CAST", rest, output_type="bool"))
        rest = t("ADD", rest, t("SELECT", opposed, divisor, 0))
    return (w.low(rest),)


def _zero_or_minus_one(w: OneWord, term: Term) -> Term:
    """Whether a number is its own sign: the divisors that make trouble, 0 always and -1 for the lowest dividend."""
    return w.t("EQUAL", term, w.t("ARITHMETIC_RIGHT_SHIFT", term, w.sort.width - 1))


def _estimate(w: OneWord, a: Parts, b: Parts) -> tuple[Term, Term, Term]:
    """Without sign: a quotient that is even and at most 1 too small, what it leaves, and whether that is >= b.

    Half the dividend and a divisor below half the range are no negative numbers, so TOSA divides them;
    by any larger divisor, and by 0, the estimate is 0.
    """
    t = w.t
    divides = t("GREATER", b[0], 0)
    half = t("SELECT", divides, t("LOGICAL_RIGHT_SHIFT", a[0], 1), 0)
    quotient = t("LOGICAL_LEFT_SHIFT", t("INTDIV", half, t("SELECT", divides, b[0], 1)), 1)
    (rest,) = w.subtract(a, (product(t, quotient, b[0]),))
    return quotient, rest, w.at_least(w.key((rest,)), w.key(b))
