"""From TOSA 0.23.0 to 1.0 and 1.1: the same results for every element that 0.23.0 gives one.

Most operators only change their form: attributes become operands, an input gets another type. The
others are valid at 0.23.0 for elements that later releases call unpredictable, so what goes in is
made fit before, never what comes out after. RESCALE has a file of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lanewise.graph.requirements import settings
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import ArraySort, Sort, bf16, boolean, f16, f32, i8, i16, i32, i48, u6, u8
from lanewise.language.words import Value, lookup, reinterpret_unsigned, shift_right, widen, within
from lanewise.lowering.carriers import Carrier, raw, same, wider
from lanewise.lowering.rule import Direction, Premise, Refused, Rule, Source
from lanewise.lowering.steps import GraphSteps, Steps, Term, Wire
from lanewise.lowering.tosa_power import POWER
from lanewise.lowering.tosa_rescale import RESCALE, rescale_instances, rescale_premise
from lanewise.lowering.tosa_steps import repeated, reshaped
from lanewise.operators import catalogue

SOURCE_VERSION, VERSIONS = "0.23.0", ("1.0", "1.1")
SAME_FORM = """
    ADD SUB INTDIV MAXIMUM MINIMUM BITWISE_AND BITWISE_OR BITWISE_XOR LOGICAL_AND LOGICAL_OR LOGICAL_XOR
    ABS BITWISE_NOT LOGICAL_NOT CLZ SELECT EQUAL GREATER GREATER_EQUAL RECIPROCAL ARITHMETIC_RIGHT_SHIFT CLAMP
    LOGICAL_LEFT_SHIFT LOGICAL_RIGHT_SHIFT TABLE NEGATE CAST
""".split()
SHIFTS = ("LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT")

Parts = Sequence[Sequence[Term] | None]


class TosaToTosa(Direction):
    """Graphs of 0.23.0 in the operators of 1.0 or 1.1."""

    def __init__(self, source_version: str = SOURCE_VERSION, version: str = "1.0") -> None:
        self.source_version = catalogue.known_version(source_version)
        version = catalogue.known_version(version)
        if self.source_version != SOURCE_VERSION or version not in VERSIONS:
            raise Refused(
                f"there are rules from TOSA {SOURCE_VERSION} to {' and '.join(VERSIONS)}, "
                f"not from {source_version} to {version}"
            )
        super().__init__("tosa", "tosa", version)

    def carrier(self, sort: Sort) -> Carrier:
        """Bytes without sign become the bits of int8, since later releases have no uint8; uint6 becomes int8."""
        if sort in (boolean, i8, i16, i32, i48, f16, bf16, f32):
            return same(sort)
        if sort == u8:
            return raw(sort)
        if sort == u6:
            return wider(sort, i8)
        raise Refused(f"TOSA {SOURCE_VERSION} has no tensors of {sort.name}")

    def informed(self, source: Source) -> Source:
        """Counts below the width, gentle tables and large shifts of RESCALE, where the graph fixes them."""
        name, constants = source.operator.name, source.constants
        if name in SHIFTS and 1 in constants and _inside(constants[1], 0, source.sort.width - 1):
            return replace(source, premise=small_counts(source.sort))
        if name == "TABLE" and source.sort == i16 and 1 in constants and steepest(constants[1]) is None:
            return replace(source, premise=GENTLE)
        if name == "RESCALE" and 2 in constants:
            return replace(source, premise=rescale_premise(source, constants[2]))
        return source

    def rule(self, source: Source) -> Rule:
        name = source.operator.name
        if name in SHIFTS and source.premise is None and source.sort.width < 32:
            return WIDE_SHIFTS[name]
        if name == "CLAMP":
            _check_bounds(source)
        if name == "TABLE" and source.sort == i16 and source.premise is None:
            raise Refused(_steep(source))
        if name == "CAST" and source.sort.kind == "float":
            return FLOAT_CAST
        if name == "MUL":
            return MUL
        if name == "RESCALE":
            return RESCALE
        if name in SAME_FORM:
            return SAME
        if name == "POW":
            return POWER
        raise Refused(f"there is no rule for {source.operator.label}")

    def reshape(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        return reshaped(t, wire, shape)

    def expand(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        """The repetition that 0.23.0 leaves to the declared shape, made explicit (reading T3)."""
        return repeated(t, wire, shape, "Give the operands the result's shape")

    def instances(self) -> Iterator[Source]:
        for name, records in catalogue.versions_of("tosa").items():
            record = records[0]
            if record.release.since != SOURCE_VERSION or record.constant or name in ("RESHAPE", "IDENTITY"):
                continue
            if name == "RESCALE":
                yield from rescale_instances(record)
                continue
            for row in record.rows:
                for attributes in _settings(record, row):
                    yield from self._variants(Source(record, row.inputs, row.output, attributes))

    def narrowed(self, source: Source, word: int) -> tuple[Direction, Source] | None:
        """POW, of which solvers know nothing, with floats of 16 bits."""
        if source.operator.name != "POW" or word != 16:
            return None
        sort = source.sort if source.sort.width == word else f16
        return self, replace(source, types=(sort, sort), output=sort)

    def _variants(self, source: Source) -> Iterator[Source]:
        """A node with nothing known about its operands, where that has a rule, and with what constants may tell."""
        name = source.operator.name
        if name == "TABLE" and source.sort == i16:
            yield replace(source, premise=GENTLE)
            return
        yield source
        if name in SHIFTS and source.sort.width < 32:
            yield replace(source, premise=small_counts(source.sort))


# --- premises -------------------------------------------------------------------------------


def small_counts(sort: Sort) -> Premise:
    highest = sort.width - 1
    return Premise(f"the graph fixes 0 <= input2 <= {highest}", lambda value, count: within(count, 0, highest))


def _gentle(value: Value, table: Value) -> Value:
    index = shift_right(reinterpret_unsigned(value) ^ (1 << 15), 7)
    step = widen(lookup(table, index + 1), i32) - widen(lookup(table, index), i32)
    return within(step, i16.lowest, i16.highest)


GENTLE = Premise("the graph fixes a table whose steps fit int16", _gentle)


def steepest(table: Any) -> tuple[int, int] | None:
    """The first entry whose step to the next one leaves int16, and that step."""
    steps = np.diff(np.asarray(table, np.int64))
    (steep,) = np.nonzero((steps < i16.lowest) | (steps > i16.highest))
    return (int(steep[0]), int(steps[steep[0]])) if steep.size else None


def _steep(source: Source) -> str:
    if 1 not in source.constants:
        return (
            "the table of int16 is computed or given while the graph runs; later releases require each step between "
            "entries to fit int16, which nobody knows then. Make the table a constant of the graph"
        )
    found = steepest(source.constants[1])
    assert found is not None
    return (
        f"the table's step from entry {found[0]} to {found[0] + 1} is {found[1]}; later releases require steps from "
        f"{i16.lowest} to {i16.highest}. Put entries between by a finer table, or halve the table and double the result"
    )


def _inside(array: Any, lowest: int, highest: int) -> bool:
    return bool(np.all((np.asarray(array) >= lowest) & (np.asarray(array) <= highest)))


def _check_bounds(source: Source) -> None:
    bad = [name for name in ("min_val", "max_val") if math.isnan(source.attributes[name])]
    if bad:
        raise Refused(
            f"{' and '.join(bad)} is NaN: at {SOURCE_VERSION} every element is unpredictable then, "
            "and later releases call it an error. Give CLAMP two numbers"
        )


# --- rules ----------------------------------------------------------------------------------


def _same(t: Steps, source: Source, operands: Parts) -> Sequence[Term]:
    """The operator of the same name; attributes keep their names, also where they became operands."""
    terms = [part[0] for part in operands if part is not None]
    return [t(source.operator.name, *terms, **source.attributes)]


def _mul(t: Steps, source: Source, operands: Parts) -> Sequence[Term]:
    """The shift of int32 as it is, whatever its range; other types ignore it, and need 0 later."""
    a, b, shift = (part[0] for part in operands if part is not None)
    if source.sort != i32:
        return [t("MUL", a, b)]
    argument = t.argument(shift, source.known.get(2))
    if isinstance(argument, Wire) and argument.rank != 1:
        assert isinstance(t, GraphSteps)
        argument = reshaped(t, argument, [1])
    return [t("MUL", a, b, shift=argument)]


def _mul_note(source: Source) -> str | None:
    if source.sort == i32 and 2 not in source.known:
        return "the shift is no constant, which a profile allows with EXT-DYNAMIC only"
    return None


def _left_shift(t: Steps, source: Source, operands: Parts) -> Sequence[Term]:
    """In int32, whose counts go to 31 as 0.23.0's do at every width."""
    value, count = (t("CAST", part[0], output_type="int32") for part in operands if part is not None)
    return [t("CAST", t("LOGICAL_LEFT_SHIFT", value, count), output_type=source.sort.name)]


def _right_shift(t: Steps, source: Source, operands: Parts) -> Sequence[Term]:
    """In int32, with the bits of the type alone."""
    value, count = (t("CAST", part[0], output_type="int32") for part in operands if part is not None)
    value = t("BITWISE_AND", value, (1 << source.sort.width) - 1)
    return [t("CAST", t("LOGICAL_RIGHT_SHIFT", value, count), output_type=source.sort.name)]


def _float_cast(t: Steps, source: Source, operands: Parts) -> Sequence[Term]:
    """NaN, which is 0 at 0.23.0 and unpredictable later, is 0 before it is converted."""
    (value,) = (part[0] for part in operands if part is not None)
    return [t("CAST", t("SELECT", t("EQUAL", value, value), value, 0.0), output_type=source.output.name)]


SAME = Rule(_same)
MUL = Rule(_mul, note=_mul_note)
WIDE_SHIFTS = {"LOGICAL_LEFT_SHIFT": Rule(_left_shift), "LOGICAL_RIGHT_SHIFT": Rule(_right_shift)}
FLOAT_CAST = Rule(_float_cast)


# --- what is proven -------------------------------------------------------------------------

# Attributes that are numbers: edges and ordinary values. The rules pass them on as they are.
_NUMBERS: Mapping[str, Callable[[Row], Sequence[Mapping[str, Any]]]] = {
    "CLAMP": lambda row: (
        [{"min_val": row.output.lowest, "max_val": row.output.highest}, {"min_val": -3, "max_val": 100}]
        if row.output.kind == "int"
        else [{"min_val": -math.inf, "max_val": math.inf}, {"min_val": 0.0, "max_val": 6.0}]
    ),
    "NEGATE": lambda row: (
        [{"input1_zp": a, "output_zp": b} for a in (-128, 0, 127) for b in (-128, 0, 127)]
        if row.output == i8
        else [{"input1_zp": 0, "output_zp": 0}]
    ),
}


def _settings(record: Operator, row: Row) -> Iterator[dict[str, Any]]:
    numbers: Sequence[Mapping[str, Any]] = _NUMBERS[record.name](row) if record.name in _NUMBERS else [{}]
    for attributes in settings(record, row):
        for given in numbers:
            merged = {**attributes, **given}
            try:
                record.function(row.inputs, row.output, merged)
            except LanewiseError:
                continue  # these attributes are forbidden for this row
            yield merged


__all__ = ["ArraySort", "TosaToTosa"]
