"""Cast between integers and booleans."""

from __future__ import annotations

from lanewise.language.sorts import Sort, i32, integer
from lanewise.lowering.onnx_to_tosa.words import Parts, Words
from lanewise.lowering.steps import Steps, Term


def to_boolean(w: Words, number: Parts) -> Parts:
    return (w.nonzero(number),)


def from_boolean(t: Steps, value: Term, parts: tuple[Sort, ...]) -> Parts:
    """0 or 1 in the parts that carry the target's type."""
    low = t("CAST", value, output_type=parts[-1].name)
    return (low,) if len(parts) == 1 else (t("BITWISE_AND", low, 0), low)


def resized(t: Steps, number: Parts, sort: Sort, parts: tuple[Sort, ...]) -> Parts:
    """A number of an integer type in the parts that carry the target's type: wrapped, or with its sign continued."""
    if len(number) == len(parts) == 2:
        return number
    if len(number) == 2:
        return (_cut(t, number[1], parts[0].width),)
    if len(parts) == 1:
        cuts = sort.width > parts[0].width
        return (_cut(t, number[0], parts[0].width) if cuts else extended(t, number[0], sort, parts[0].width),)
    low = extended(t, number[0], sort, parts[1].width)
    if sort.signed:
        return t("ARITHMETIC_RIGHT_SHIFT", low, parts[1].width - 1), low
    return t("BITWISE_AND", low, 0), low


def extended(t: Steps, term: Term, sort: Sort, width: int) -> Term:
    """A number of an integer type in a signed word of that width."""
    if sort.width == width:
        return term
    if sort.width < i32.width < width:  # TOSA goes to 64 bits from 32 only
        return extended(t, extended(t, term, sort, i32.width), i32, width)
    wide = t("CAST", term, output_type=integer(width, True).name)
    return wide if sort.signed else t("BITWISE_AND", wide, sort.highest)


def _cut(t: Steps, term: Term, width: int) -> Term:
    """The low bits of a word."""
    if term.sort.width > i32.width > width:
        term = t("CAST", term, output_type=i32.name)
    return term if term.sort.width == width else t("CAST", term, output_type=integer(width, True).name)
