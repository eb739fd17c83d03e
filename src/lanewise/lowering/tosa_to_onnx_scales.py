"""MUL and RESCALE of TOSA in ONNX: products of int32 in int64, scaled down by shifts."""

from __future__ import annotations

from collections.abc import Sequence

from lanewise.language.sorts import Sort, i32, i64, integer
from lanewise.lowering.onnx_steps import cast
from lanewise.lowering.rule import Source
from lanewise.lowering.steps import Steps, Term

Operands = Sequence[Sequence[Term] | None]


def multiplied(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """MUL: the shift is for int32 only, and either void or required to be 0 for other types."""
    (a,), (b,), (shift,) = operands  # type: ignore[misc]
    if source.sort != i32 or source.premise is not None:
        return (t("Mul", cast(t, a, source.output), cast(t, b, source.output)),)
    scale = _scaled if source.operator.release.since == "0.23.0" else _scaled_by_any
    scaled = scale(t, t("Mul", cast(t, a, i64), cast(t, b, i64)), cast(t, shift, i64))
    return (t("Where", t("Greater", shift, 0), cast(t, scaled, i32), t("Mul", a, b)),)


def _scaled(t: Steps, product: Term, shift: Term, nudge: Term | None = None) -> Term:
    """product / 2 ** shift, halves up, for shifts from 2 to 62: no sum leaves int64."""
    half = t("BitShift", t.const(1, i64), t("Sub", shift, 1), direction="LEFT")
    if nudge is not None:
        half = t("Add", half, nudge)
    return t("BitShift", t("Add", product, half), shift, direction="RIGHT")


def _scaled_by_any(t: Steps, product: Term, shift: Term) -> Term:
    """The same for shifts from 1 to 63: one place less, plus 1, and the last place."""
    nearly = t("BitShift", product, t("Sub", shift, 1), direction="RIGHT")
    return t("BitShift", t("Add", nearly, 1), 1, direction="RIGHT")


def rescaled(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """RESCALE: the lists of multipliers and shifts broadcast along the last axis."""
    x, multiplier, shift, *zero_points = (part[0] for part in operands if part is not None)
    settings = source.attributes
    unsigned_in, unsigned_out = (bool(settings.get(f"{side}_unsigned")) for side in ("input", "output"))
    word = i32 if settings["scale32"] else i64
    value = _read(t, x, unsigned_in, word)
    in_zp, out_zp = zero_points or (settings["input_zp"], settings["output_zp"])
    if source.sort.width < i32.width:  # others have a zero point of 0
        value = t("Sub", value, _read(t, in_zp, unsigned_in, word) if zero_points else in_zp)
    product = t("Mul", cast(t, value, i64), cast(t, multiplier, i64))
    nudge = None
    if settings.get("double_round") or settings.get("rounding_mode") == "DOUBLE_ROUND":
        signed = t("Where", t("GreaterOrEqual", value, 0), t.const(1 << 30, i64), t.const(-(1 << 30), i64))
        nudge = t("Where", t("Greater", shift, 31), signed, 0)
    scaled = cast(t, cast(t, _scaled(t, product, cast(t, shift, i64), nudge), i32), i64)
    scaled = t("Add", scaled, _read(t, out_zp, unsigned_out, i64) if zero_points else out_zp)
    target: Sort = integer(source.output.width, source.output.signed and not unsigned_out)
    return (cast(t, t("Clip", scaled, target.lowest, target.highest), source.output),)


def _read(t: Steps, term: Term, unsigned: bool, word: Sort) -> Term:
    """The number that the bits stand for."""
    return cast(t, cast(t, term, integer(term.sort.width, False)) if unsigned else term, word)
