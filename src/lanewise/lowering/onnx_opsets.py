"""From ONNX to an ONNX opset: BitShift-28 as shifts that older opsets have, all else as it is, or refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lanewise.graph.requirements import settings
from lanewise.language import floats
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, Sort, i32, i64, u32, u64
from lanewise.language.words import Function, Value, literal, within
from lanewise.lowering.carriers import Carrier, same
from lanewise.lowering.onnx_steps import cast, expanded, numbers, reshaped
from lanewise.lowering.rule import Direction, Premise, Refused, Rule, Source
from lanewise.lowering.steps import GraphSteps, Steps, Term, Wire
from lanewise.operators import catalogue
from lanewise.operators.onnx.rows import NEWEST_OPSET

OLDEST_OPSET = 11  # the first that has BitShift
TOTAL_BIT_SHIFT = 28  # the first whose BitShift has signed types, and a result for every count
AXES_AS_OPERAND = 13
VARIADIC_COUNTS = (1, 2, 3)

Operands = Sequence[Sequence[Term] | None]


class OnnxToOnnx(Direction):
    """To an opset from 11 on; what the opset lacks is refused, but for BitShift-28, which has an exact form in all."""

    def __init__(self, opset: int) -> None:
        if not isinstance(opset, int) or not OLDEST_OPSET <= opset <= NEWEST_OPSET:
            raise InvalidError(
                f"the target is ONNX opset {opset!r}; allowed: {OLDEST_OPSET} to {NEWEST_OPSET} "
                f"(BitShift came with opset {OLDEST_OPSET})"
            )
        super().__init__("onnx", "onnx", opset)
        self.opset = opset

    def carrier(self, sort: Sort) -> Carrier:
        return same(sort)

    def informed(self, source: Source) -> Source:
        """Counts that the graph fixes inside the width need no normalising."""
        counts = source.constants.get(1) if self._shifts(source) else None
        width = source.output.width
        inside = counts is not None and counts.size and counts.min() >= 0 and counts.max() < width
        return replace(source, premise=counts_inside(width)) if inside else source

    def _shifts(self, source: Source) -> bool:
        """Whether a node is a BitShift that the target does not have as it is."""
        operator = source.operator
        return operator.name == "BitShift" and operator.release.since == TOTAL_BIT_SHIFT > self.opset

    def rule(self, source: Source) -> Rule:
        operator = source.operator
        if self._shifts(source):
            return Rule(bit_shift)
        record = self._record(source)
        if _by_attributes(source):
            return Rule(_clip)
        attributes = kept(record, source.attributes)

        def apply(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
            return (t(operator.name, *(None if part is None else part[0] for part in operands), **attributes),)

        return Rule(apply)

    def _record(self, source: Source) -> Operator:
        """The target's record of the same operator, which must mean the same for these types."""
        records = catalogue.versions_of("onnx")[source.operator.name]
        found = [record for record in records if int(record.release.since) <= self.opset]
        if found and _means_the_same(found[-1], source):
            return found[-1]
        later = [record for record in records[len(found) :] if _means_the_same(record, source)]
        what = f"{source.label}: "
        if later:
            raise Refused(
                f"{what}ONNX has it from opset {later[0].release.since} on; the target is opset {self.opset}. "
                f"Lower to opset {later[0].release.since} or later"
            )
        raise Refused(f"{what}the target, opset {self.opset}, means something else by it, and so does every later one")

    def reshape(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return reshaped(t, wire, shape)

    def expand(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return expanded(t, wire, shape)

    def respelt(self, t: GraphSteps, operator: str, wire: Wire, numbers_of: Mapping[str, Any]) -> Wire | None:
        """Axes are an attribute before opset 13 and an operand from then on; shapes are an operand."""
        if operator == "Reshape":
            return reshaped(t, wire, numbers_of["shape"], bool(numbers_of.get("allowzero", False)))
        if operator == "Expand":
            return expanded(t, wire, numbers_of["shape"])
        axes = numbers_of.get("axes")
        if axes is None:
            return t(operator, wire)  # type: ignore[no-any-return]
        if self.opset < AXES_AS_OPERAND:
            return t(operator, wire, axes=axes)  # type: ignore[no-any-return]
        return t(operator, wire, numbers(t, axes))  # type: ignore[no-any-return]

    def instances(self) -> Iterator[Source]:
        """Every version's every row with every choice, as far as the target has a form for it."""
        for source in sources("onnx"):
            try:
                self.rule(source)
            except Refused:
                continue
            yield source
            if self._shifts(source):
                yield replace(source, premise=counts_inside(source.output.width))


def counts_inside(width: int) -> Premise:
    return Premise(f"0 <= Y <= {width - 1}", lambda x, count: within(count, 0, width - 1))


def bit_shift(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """BitShift-28 by unsigned shifts of 32 or 64 bits, whose counts stay below the width.

    Opset 11 does not say what a count at or beyond the width gives, so counts are normalised before
    the shift. Choices and comparisons are made in int32 and int64, which every runtime has. A
    negative x is mirrored to -1 - x and back, so that zeros come in where copies of the sign should.
    """
    (x,), (count,) = operands  # type: ignore[misc]
    sort, direction = source.sort, source.attributes["direction"]
    if source.premise is not None and not sort.signed:
        return (t("BitShift", x, count, direction=direction),)
    word, bits = (i32, u32) if sort.width <= i32.width else (i64, u64)
    mirrors = direction == "RIGHT" and sort.signed
    empties = mirrors or sort.width < word.width  # moving by the word's width less one has moved all bits out
    inside = None
    if source.premise is None:
        count = cast(t, count, word)  # unsigned counts of the word's half and more become negative: outside as well
        inside = t("And", t("Not", t("Less", count, 0)), t("Less", count, sort.width))
        count = t("Where", inside, count, word.width - 1 if empties else 0)
    places = cast(t, count, bits)
    if not mirrors:
        moved = t("BitShift", cast(t, x, bits), places, direction=direction)
        if inside is not None and not empties:
            moved = t("Where", inside, cast(t, moved, word), 0)
        return (cast(t, moved, sort),)
    x = cast(t, x, word)
    negative = t("Less", x, 0)
    mirrored = cast(t, t("Where", negative, t("Sub", -1, x), x), bits)
    moved = cast(t, t("BitShift", mirrored, places, direction="RIGHT"), word)
    return (cast(t, t("Where", negative, t("Sub", -1, moved), moved), sort),)


def kept(record: Operator, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that the target's record has; what it lacks steers the old broadcasting, or nothing."""
    return {name: value for name, value in attributes.items() if name in record.attributes and value is not None}


def _means_the_same(record: Operator, source: Source) -> bool:
    """Whether the record has a row for these types, with the same definition."""
    types: Sequence[AnySort | None] = source.types
    known: dict[int, Value] = {}
    if _by_attributes(source) and len(record.arguments) > 1:
        known = dict(enumerate((literal(bound, source.sort) for bound in _bounds(source)), 1))
        types = [source.sort] * (1 + len(known))
    elif len(types) > len(record.arguments) and not record.variadic:
        return False
    try:
        attributes = record.read_attributes(kept(record, source.attributes))
        record.row(types, attributes, output=source.output)
        there: Function = record.function(types, source.output, attributes, known)
    except LanewiseError:
        return False
    here = source.function()
    return there.results == here.results and there.requirements == here.requirements


def _by_attributes(source: Source) -> bool:
    """Clip before opset 11, whose bounds are attributes."""
    return source.operator.name == "Clip" and len(source.operator.arguments) == 1


def _bounds(source: Source) -> list[float]:
    """The bounds of such a Clip as numbers of its type."""
    highest = catalogue.find("onnx", "Clip", 6).attributes["max"].default
    given = [(source.attributes["min"], -highest), (source.attributes["max"], highest)]
    return [
        floats.decode(floats.encode(default if value is None else value, source.sort), source.sort)
        for value, default in given
    ]


def _clip(t: Steps, source: Source, operands: Operands) -> Sequence[Term]:
    """Bounds as operands."""
    ((x,),) = operands  # type: ignore[misc]
    return (t("Clip", x, *_bounds(source)),)


def sources(specification: str, version: str | None = None) -> Iterator[Source]:
    """Every node there can be but for shapes: records, rows, absent optional operands, attributes."""
    for records in catalogue.versions_of(specification).values():
        for record in records:
            if record.constant or (version is not None and record.release.since != version):
                continue
            seen: set[str] = set()
            for row in record.rows:
                for types in _operand_types(record, row.inputs):
                    for attributes in settings(record, row):
                        try:
                            given = record.read_attributes({k: v for k, v in attributes.items() if v is not None})
                            source = Source(record, types, row.output, given)
                            moves = source.function().results[0].kind == "input" and source.sort == row.output
                        except LanewiseError:
                            continue  # the definition forbids these attributes for these types
                        if not (moves and not any(types[1:])) and source.label not in seen:
                            seen.add(source.label)
                            yield source


def _operand_types(record: Operator, inputs: Sequence[AnySort]) -> Iterator[tuple[AnySort | None, ...]]:
    """What a row's operands can be: any of a few counts, and optional ones absent; lists of numbers are none."""
    if record.variadic:
        yield from (tuple(inputs) * count for count in VARIADIC_COUNTS)
        return
    choices: list[tuple[AnySort | None, ...]] = []
    for sort, argument in zip(inputs, record.arguments.values(), strict=True):
        absent: tuple[None, ...] = (None,)
        choices.append(absent if argument.use == "numbers" else (sort, *absent) if argument.optional else (sort,))
    yield from itertools.product(*choices)
