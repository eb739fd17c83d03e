"""CAST of TOSA in ONNX: floats are rounded to the nearest integer and saturate, where ONNX cuts and leaves it open."""

from __future__ import annotations

from collections.abc import Sequence

from lanewise.language.sorts import Sort, f32, i32, i64, integer
from lanewise.lowering.onnx_steps import cast
from lanewise.lowering.rule import Source
from lanewise.lowering.steps import Steps, Term

WHOLE = float(1 << 23)  # from here on every float32 is a whole number


def casted(t: Steps, source: Source, operands: Sequence[Sequence[Term] | None]) -> Sequence[Term]:
    ((x,),) = operands  # type: ignore[misc]
    if source.sort.kind == "float" and source.output.kind == "int":
        return (_to_integer(t, cast(t, x, f32), source.output),)
    if source.attributes.get("input_unsigned") and source.sort.kind == "int":
        x = cast(t, x, integer(source.sort.width, False))
    return (cast(t, x, source.output),)


def _to_integer(t: Steps, x: Term, target: Sort) -> Term:
    """A float32 (the narrower types are among them) to the nearest integer, ties to even, saturating; NaN to 0.

    What ONNX leaves undefined, a Cast of a float outside the target or of NaN, never happens.
    """
    word = i32 if target.width <= i32.width else i64
    size = t("Abs", x)
    rounded = t("Sub", t("Add", size, WHOLE), WHOLE)  # the sum has no room for a fraction
    whole = t("Where", t("Less", size, WHOLE), t("Where", t("Less", x, 0.0), t("Neg", rounded), rounded), x)
    # float32 has the number just above the type's highest and the lowest itself.
    above, below = t("GreaterOrEqual", whole, float(target.highest + 1)), t("Less", whole, float(target.lowest))
    inside = t("Not", t("Or", t("Or", above, below), t("Not", t("Equal", x, x))))
    number = t("Cast", t("Where", inside, whole, 0.0), to=word)
    number = t("Where", above, target.highest, number)
    return cast(t, t("Where", below, target.lowest, number), target)
