"""What TOSA itself only bounds for floats: the rules are exact where its operators are correctly rounded."""

from __future__ import annotations

from lanewise.language.sorts import Sort, bf16, f32
from lanewise.lowering.rule import Source

ORDER = ("Max", "Min", "Clip")
COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
SIGNS = ("Abs", "Neg")


def bound(version: str, source: Source) -> str | None:
    """What an implementation of that version may give instead of the exact result; None: nothing."""
    name, sort = source.operator.name, source.sort
    if name == "Cast":
        return _of_cast(version, sort, source.output)
    if sort.kind != "float":
        return None
    if version == "0.23.0":
        return _before_1_0(name)
    if name in SIGNS:
        return _flushed("numbers")
    if name in COMPARISONS:
        return _flushed("operands")
    if name in ORDER:
        return f"a zero may have either sign, and {_flushed('numbers')}"
    return f"each result is within {_ulp(version, sort)}, and {_flushed('numbers')}"


def _before_1_0(name: str) -> str:
    if name in SIGNS:
        return "0.23.0 is silent on subnormal numbers"
    if name in COMPARISONS:
        return "0.23.0 leaves comparisons with NaN open, and is silent on subnormal numbers"
    if name in ORDER:
        return "0.23.0 contradicts itself on NaN, and is silent on subnormal numbers"
    return "0.23.0 sets no accuracy for floats; only NaN, infinities, overflow and underflow are fixed"


def _of_cast(version: str, source: Sort, target: Sort) -> str | None:
    if source.kind == "bool" or (source.kind == "int" and target.kind != "float"):
        return None
    if target.kind == "bool":
        if version == "0.23.0":
            return "0.23.0 leaves comparisons with NaN open, and is silent on subnormal numbers"
        return _flushed("operands")
    if source.kind == "int":
        exact = source.width <= target.fraction_bits
        if version == "0.23.0":
            return None if exact else "0.23.0 lets ties go either way"
        return None if exact else "the result is within 0.5 ulp, so ties may go either way"
    if target.kind == "int":
        if version == "0.23.0":
            return "0.23.0 leaves comparisons with NaN open, by which NaN is told from numbers"
        return None
    if target == f32:
        return _flushed("numbers")
    return f"the result is within 0.5 ulp, so ties may go either way, and {_flushed('numbers')}"


def _ulp(version: str, sort: Sort) -> str:
    return "1 ulp" if version == "1.1" and sort == bf16 else "0.5 ulp"


def _flushed(what: str) -> str:
    return f"subnormal {what} may be taken as zeros"
