"""From TOSA to ONNX: exact for every element that meets TOSA's requirements, which ONNX cannot express."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lanewise.language import floats
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort, i8, i32, integer
from lanewise.lowering.carriers import Carrier, same
from lanewise.lowering.onnx_opsets import sources
from lanewise.lowering.onnx_steps import cast, expanded, reshaped
from lanewise.lowering.rule import Direction, Premise, Refused, Rule, Source
from lanewise.lowering.steps import GraphSteps, Steps, Term, Wire
from lanewise.lowering.tosa_to_onnx_casts import casted
from lanewise.lowering.tosa_to_onnx_scales import multiplied, rescaled
from lanewise.operators import catalogue
from lanewise.operators.onnx.rows import NEWEST_OPSET, TYPE_NUMBERS

INF = float("inf")

Operands = Sequence[Sequence[Term] | None]
Apply = Callable[[Steps, Source, Operands], Sequence[Term]]

NOTE = (
    "exact for elements that meet TOSA's requirements ({}); others are unpredictable there, which ONNX cannot say: "
    "it gives some value"
)
POWER = (
    "both are powers rounded in their own way: lanewise's are within 1 unit in the last place, ONNX promises nothing"
)


class TosaToOnnx(Direction):
    """From a version of TOSA to an ONNX opset; below 28 in two steps, the second being OnnxToOnnx."""

    def __init__(self, source_version: str, opset: int = NEWEST_OPSET) -> None:
        self.source_version = catalogue.known_version(source_version)
        if opset != NEWEST_OPSET:
            raise InvalidError(
                f"TOSA is lowered to ONNX opset {NEWEST_OPSET}, not to {opset!r}; "
                f"lower the result with OnnxToOnnx({opset!r}) then"
            )
        super().__init__("tosa", "onnx", opset)

    def carrier(self, sort: Sort) -> Carrier:
        """Integers of odd widths lie in the next wider type."""
        if sort in TYPE_NUMBERS.values():
            return same(sort)
        width = next(width for width in (8, 16, 32, 64) if sort.width <= width)
        return Carrier(sort, (integer(width, sort.signed),))

    def informed(self, source: Source) -> Source:
        """A shift that the graph fixes at 0 makes MUL of int32 a plain product."""
        if source.operator.name == "MUL" and source.sort == i32 and source.known.get(2) == 0:
            return replace(source, premise=UNSHIFTED)
        return source

    def rule(self, source: Source) -> Rule:
        name = source.operator.name
        if name == "TABLE":
            raise Refused(
                f"{source.label}: a table is read by index; ONNX's operator for that, Gather, is not elementwise and "
                "not one of lanewise's. Replace the node by operators that compute the function, or keep it in TOSA"
            )
        apply = RULES.get(name) or (_renamed(RENAMED[name]) if name in RENAMED else None)
        if apply is None:
            raise Refused(f"{source.label}: there is no rule to ONNX; it has rules for {', '.join(operators())}")
        return Rule(apply, lambda source: POWER if source.operator.name == "POW" else None, _note)

    def reshape(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return reshaped(t, wire, shape)

    def expand(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return expanded(t, wire, shape)

    def respelt(self, t: GraphSteps, operator: str, wire: Wire, numbers_of: Mapping[str, Any]) -> Wire | None:
        if operator != "RESHAPE":
            return None
        return reshaped(t, wire, numbers_of["new_shape" if "new_shape" in numbers_of else "shape"])

    def instances(self) -> Iterator[Source]:
        for source in sources("tosa", self.source_version):
            try:
                self.rule(source)
            except Refused:
                continue
            yield source
            if source.operator.name == "MUL" and source.sort == i32:
                yield replace(source, premise=UNSHIFTED)
            for settings in NUMBERS.get(source.operator.name, ()):
                if not set(settings) <= set(source.attributes):
                    continue  # from 1.0 on zero points are operands
                try:
                    more = replace(source, attributes={**source.attributes, **settings})
                    more.function()
                except InvalidError:
                    continue  # zero points are int8's
                yield more


# Attributes that are any number: a sample beside the zeros; the rules' forms are the same for all.
ZERO_POINTS = [(1, -1), (-128, -128), (127, 5)]
NUMBERS: dict[str, list[dict[str, Any]]] = {
    "CLAMP": [{"min_val": low, "max_val": high} for low, high in ((-10, 20), (-128, 127), (-1.5, 2.5), (-INF, INF))],
    "NEGATE": [{"input1_zp": a, "output_zp": b} for a, b in ZERO_POINTS],
    "RESCALE": [{"input_zp": a, "output_zp": b} for a, b in ZERO_POINTS],
}

UNSHIFTED = Premise("shift = 0", lambda input1, input2, shift: shift == 0)


def operators() -> list[str]:
    """The TOSA operators that have a rule, or only move elements."""
    return sorted([*RENAMED, *RULES, "CONST", "IDENTITY", "RESHAPE"])


def _note(source: Source) -> str | None:
    reasons = dict.fromkeys(requirement.reason for requirement in source.function().requirements)
    return NOTE.format("; ".join(reasons)) if reasons else None


# Operators of one meaning; integers of ONNX wrap where TOSA requires that they need not.
RENAMED = {
    "ABS": "Abs", "ADD": "Add", "BITWISE_AND": "BitwiseAnd", "BITWISE_NOT": "BitwiseNot", "BITWISE_OR": "BitwiseOr",
    "BITWISE_XOR": "BitwiseXor", "EQUAL": "Equal", "GREATER": "Greater", "GREATER_EQUAL": "GreaterOrEqual",
    "INTDIV": "Div", "LOGICAL_AND": "And", "LOGICAL_NOT": "Not", "LOGICAL_OR": "Or", "LOGICAL_XOR": "Xor",
    "SELECT": "Where", "SUB": "Sub",
}  # fmt: skip


def _renamed(name: str) -> Apply:
    def apply(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
        return (t(name, *_terms(operands)),)

    return apply


def _terms(operands: Operands) -> list[Term]:
    return [part[0] for part in operands if part is not None]


def _arithmetic_right_shift(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """Rounded, the bit that left last is added; there is none for a count of 0."""
    x, count = _terms(operands)
    result = t("BitShift", x, count, direction="RIGHT")
    if not source.attributes["round"]:
        return (result,)
    last = t("BitwiseAnd", t("BitShift", x, t("Sub", count, 1), direction="RIGHT"), 1)
    return (t("Add", result, t("Where", t("Greater", count, 0), last, 0)),)


def _left_shift(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    return (t("BitShift", *_terms(operands), direction="LEFT"),)


def _logical_right_shift(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """As numbers without sign, which keep their bits through Cast."""
    unsigned = integer(source.sort.width, False)
    x, count = (cast(t, term, unsigned) for term in _terms(operands))
    return (cast(t, t("BitShift", x, count, direction="RIGHT"), source.sort),)


def _extreme(name: str, compare: str) -> Apply:
    """MAXIMUM and MINIMUM; of two zeros TOSA's MAXIMUM takes the first and MINIMUM the second, as ONNX's do not."""

    def apply(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
        a, b = _terms(operands)
        if source.sort.kind != "float":
            return (t(name, a, b),)
        return (_of_two(t, compare, a, b, str(source.attributes.get("nan_mode", "PROPAGATE"))),)

    return apply


def _of_two(t: Steps, compare: str, a: Term, b: Term, nan_mode: str) -> Term:
    """a where the comparison holds, else b; a NaN wins, or loses where NaNs are ignored."""
    chosen = t("Where", t(compare, a, b), a, b)
    a_is, b_is = (t("Not", t("Equal", x, x)) for x in (a, b))
    if nan_mode != "IGNORE":
        return t("Where", t("Or", a_is, b_is), t.const(float("nan"), a.sort), chosen)
    chosen = t("Where", a_is, b, t("Where", b_is, a, chosen))
    return t("Where", t("And", a_is, b_is), t.const(float("nan"), a.sort), chosen)


def _clamp(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """Integers: Clip. Floats: as MAXIMUM with the lower bound and MINIMUM with the upper one, zeros included."""
    (x,) = _terms(operands)
    sort, bounds = source.sort, (source.attributes["min_val"], source.attributes["max_val"])
    if sort.kind == "int":
        low, high = (int(bound) for bound in bounds)
        return (t("Clip", x, low, high),)
    low, high = (t.const(floats.decode(floats.encode(bound, sort), sort), sort) for bound in bounds)
    nan_mode = str(source.attributes.get("nan_mode", "PROPAGATE"))
    return (_of_two(t, "Less", _of_two(t, "GreaterOrEqual", x, low, nan_mode), high, nan_mode),)


def _negate(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """int8 and int16 in int32, clipped; zero points are int8's."""
    x, *zero_points = _terms(operands)
    sort = source.sort
    if sort.kind == "float" or sort.width >= i32.width:
        return (t("Neg", x),)
    if sort != i8:
        zero_points = [0, 0]
    elif zero_points:
        zero_points = [cast(t, term, i32) for term in zero_points]
    else:
        zero_points = [source.attributes["input1_zp"], source.attributes["output_zp"]]
    negative = t("Sub", zero_points[0], cast(t, x, i32))
    return (cast(t, t("Clip", t("Add", negative, zero_points[1]), sort.lowest, sort.highest), sort),)


def _power(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """TOSA 0.23.0 gives NaN for every NaN; from 1.0 on a NaN is unpredictable."""
    a, b = _terms(operands)
    result = t("Pow", a, b)
    if source.operator.release.since == "0.23.0":
        nan = t("Or", t("Not", t("Equal", a, a)), t("Not", t("Equal", b, b)))
        result = t("Where", nan, t.const(float("nan"), a.sort), result)
    return (result,)


def _reciprocal(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    return (t("Div", 1.0, *_terms(operands)),)


def _leading_zeros(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """By halves: where the upper half is empty its width is counted, and the lower half moves up."""
    (x,) = _terms(operands)
    width = source.sort.width
    x = cast(t, x, integer(width, False))
    empty = t("Equal", x, 0)
    count = None
    half = width // 2
    while half:
        clear = t("Less", x, 1 << (width - half))
        step = t("Where", clear, t.const(half, source.sort), t.const(0, source.sort))
        count = step if count is None else t("Add", count, step)
        x = t("Where", clear, t("BitShift", x, half, direction="LEFT"), x)
        half //= 2
    return (t("Where", empty, t.const(width, source.sort), count),)


RULES: dict[str, Apply] = {
    "ARITHMETIC_RIGHT_SHIFT": _arithmetic_right_shift,
    "CAST": casted,
    "CLAMP": _clamp,
    "CLZ": _leading_zeros,
    "LOGICAL_LEFT_SHIFT": _left_shift,
    "LOGICAL_RIGHT_SHIFT": _logical_right_shift,
    "MAXIMUM": _extreme("Max", "GreaterOrEqual"),
    "MINIMUM": _extreme("Min", "Less"),
    "MUL": multiplied,
    "NEGATE": _negate,
    "POW": _power,
    "RECIPROCAL": _reciprocal,
    "RESCALE": rescaled,
}
