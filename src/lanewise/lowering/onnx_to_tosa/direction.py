"""The direction ONNX to TOSA: which types are carried how, and which rule serves which node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lanewise.graph.model import Model
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import AnySort, Sort, f64, i32, integer
from lanewise.language.words import Function
from lanewise.lowering.carriers import Carrier, pair, raw, same
from lanewise.lowering.onnx_to_tosa import bounds, casts, floats, integers, premises, profiles
from lanewise.lowering.onnx_to_tosa.instances import sources
from lanewise.lowering.onnx_to_tosa.pairs import TwoWords
from lanewise.lowering.onnx_to_tosa.words import OneWord, Parts, Words
from lanewise.lowering.rule import Direction, Refused, Rule, Source
from lanewise.lowering.steps import GraphSteps, Steps, Term, Wire
from lanewise.lowering.tosa_steps import repeated, reshaped
from lanewise.operators import catalogue

WITH_INT64 = "1.1"
Operands = Sequence[Sequence[Term] | None]

BOOLEANS: dict[str, Callable[..., Term]] = {
    "And": lambda t, a, b: t("LOGICAL_AND", a, b),
    "Or": lambda t, a, b: t("LOGICAL_OR", a, b),
    "Xor": lambda t, a, b: t("LOGICAL_XOR", a, b),
    "Not": lambda t, a: t("LOGICAL_NOT", a),
    "Equal": lambda t, a, b: t("LOGICAL_NOT", t("LOGICAL_XOR", a, b)),
    "Where": lambda t, condition, a, b: t("SELECT", condition, a, b),
}
CAST = "Cast"
NAMES = tuple(dict.fromkeys((*integers.RULES, *BOOLEANS, *floats.RULES, CAST)))

# Why some operators have no rule for some types, and what helps.
FLOAT_REASONS = {
    "Div": "TOSA has no division of floats, and RECIPROCAL and MUL round twice; multiply by a number instead of "
    "dividing by it, where that is what you mean",
    "Mod": "TOSA has no remainder of floats; keep the node out of the part that is lowered",
}


class OnnxToTosa(Direction):
    """ONNX to a version of TOSA.

    `wide="pairs"` carries 64-bit integers as two int32 tensors; without it they are int64 where TOSA has it,
    and refused elsewhere. `word` is the width of the words that TOSA adds and compares. With fewer than 32 bits the
    same rules work on narrower words, so that they can be proven for every operand; see `narrowed`.
    """

    def __init__(self, version: str, wide: str | None = None, word: int = 32) -> None:
        if wide not in (None, "pairs"):
            raise InvalidError(
                f"wide is {wide!r}; allowed: None, or 'pairs' for two int32 tensors in place of one int64"
            )
        super().__init__("onnx", "tosa", catalogue.known_version(version))
        self.wide = wide
        self.word = integer(word, True)

    @property
    def name(self) -> str:
        return super().name + (", pairs" if self.wide is not None else "")

    @property
    def tosa(self) -> str:
        return str(self.version)

    # -- types ----------------------------------------------------------------------------

    def carrier(self, sort: Sort) -> Carrier:
        if sort == f64:
            raise Refused(f"float64: {self.title} has no such type; use float32 in the graph")
        if sort.kind != "int":
            return same(sort)
        if sort.width <= self.word.width:
            return raw(sort)
        if self.wide == "pairs":
            return pair(sort)
        if self.tosa != WITH_INT64:
            raise Refused(
                f"{sort.name}: {self.title} has no 64-bit integers; lower to version {WITH_INT64} (EXT-INT64), "
                "or in pairs (wide='pairs', --pairs), two int32 tensors of each"
            )
        return raw(sort)

    def words(self, t: Steps, sort: Sort) -> Words:
        """The arithmetic of an integer type."""
        kind = TwoWords if len(self.carrier(sort).parts) == 2 else OneWord
        return kind(t, sort, self.word)

    # -- rules ----------------------------------------------------------------------------

    def informed(self, source: Source) -> Source:
        return premises.informed(source)

    def rule(self, source: Source) -> Rule:
        for sort in (*source.types, source.output):
            if isinstance(sort, Sort):
                self.carrier(sort)
        return Rule(self._apply(source), partial(bounds.bound, self.tosa))

    def _apply(self, source: Source) -> Callable[[Steps, Source, Operands], Parts]:
        name, kind = source.operator.name, _deciding(source).kind
        if name == CAST:
            return self._cast(source)
        if kind == "int" and name in integers.RULES:
            if name in ("Div", "Mod") and len(self.carrier(source.sort).parts) == 2:
                raise Refused(
                    f"{source.label}: there is no division of numbers in two words; lower to version {WITH_INT64} "
                    "without wide='pairs' (EXT-INT64), or divide 32-bit numbers"
                )
            return self._integers
        if kind == "float" and name in floats.RULES:
            return _floats
        if kind == "bool" and name in BOOLEANS:
            return lambda t, source, operands: (BOOLEANS[name](t, *(parts[0] for parts in operands if parts)),)
        reason = FLOAT_REASONS.get(name) if kind == "float" else None
        raise Refused(f"{source.label}: {reason or f'there is no rule to {self.title} for this operator'}")

    def _integers(self, t: Steps, source: Source, operands: Operands) -> Parts:
        words = self.words(t, _deciding(source))
        return integers.RULES[source.operator.name](words, source, *operands)

    def _cast(self, source: Source) -> Callable[[Steps, Source, Operands], Parts]:
        kinds = source.sort.kind, source.output.kind
        if "float" in kinds and "int" in kinds and max(source.sort.width, source.output.width) > i32.width:
            raise Refused(f"{source.label}: TOSA casts floats from and to 32 bits and less; cast by way of int32")
        if kinds == ("float", "float") and source.sort != source.output and self.tosa == "0.23.0":
            raise Refused(f"{source.label}: TOSA 0.23.0 has no cast between floats; version 1.0 has")
        return self._casts

    def _casts(self, t: Steps, source: Source, operands: Operands) -> Parts:
        given, target = source.sort, source.output
        (parts,) = (tuple(operand) for operand in operands if operand is not None)
        if given == target:
            return parts
        match given.kind, target.kind:
            case "int", "int":
                return casts.resized(t, parts, given, self.carrier(target).parts)
            case "int", "bool":
                return casts.to_boolean(self.words(t, given), parts)
            case "bool", "int":
                return casts.from_boolean(t, parts[0], self.carrier(target).parts)
            case "int", "float":
                return (floats.from_integer(t, parts[0], given, target),)
            case "bool", "float":
                return (floats.from_boolean(t, parts[0], target),)
            case "float", "int":
                return (floats.to_integer(t, parts[0], target),)
            case "float", "bool":
                return (floats.to_boolean(t, parts[0]),)
        return (floats.between_floats(t, parts[0], target),)

    # -- shapes ---------------------------------------------------------------------------

    def reshape(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return reshaped(t, wire, shape)

    def expand(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return repeated(t, wire, shape, "Leave the repetition to the broadcasting of the operators that read it")

    def notes(self, model: Model) -> list[str]:
        """The profile and the extensions that the lowered graph needs, and types that its files do not have."""
        return [profiles.needed(model), *profiles.kept_from_files(model)]

    # -- proofs ---------------------------------------------------------------------------

    def instances(self) -> Iterator[Source]:
        for source in sources(NAMES):
            try:
                self.rule(source)
            except Refused:
                continue
            yield source
            if premises.has_premise(source):
                yield premises.with_premise(source)

    def lowered(self, source: Source, narrow: bool = False) -> Function:
        return super().lowered(source, narrow or self.word != i32)

    def narrowed(self, source: Source, word: int = 8) -> tuple[OnnxToTosa, Source] | None:
        """The rule and the node with a word of 8 bits or so; None for rules that are about the widths themselves."""
        sorts = {sort for sort in (*source.types, source.output) if isinstance(sort, Sort) and sort.kind == "int"}
        if len(sorts) != 1 or source.operator.name == CAST:
            return None
        (sort,) = sorts
        if sort.width < self.word.width or self.word != i32:
            return None
        small = integer(word * len(self.carrier(sort).parts), sort.signed)

        def shrunk(given: AnySort | None) -> Any:
            return small if given == sort else given

        types = tuple(shrunk(given) for given in source.types)
        found = replace(source, types=types, output=shrunk(source.output))
        found = found if source.premise is None else premises.with_premise(found)
        return OnnxToTosa(self.tosa, self.wide, word), found


def _floats(t: Steps, source: Source, operands: Operands) -> Parts:
    terms = (None if parts is None else parts[0] for parts in operands)
    return (floats.RULES[source.operator.name](t, source.attributes, *terms),)


def _deciding(source: Source) -> Sort:
    """The type that decides on the rule: not that of a condition."""
    types = [sort for sort in source.types if isinstance(sort, Sort)]
    return types[1] if source.operator.name == "Where" else types[0]
