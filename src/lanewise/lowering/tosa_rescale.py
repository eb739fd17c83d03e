"""RESCALE from TOSA 0.23.0 to later releases.

0.23.0 limits the scaled result; later releases limit the value to scale, by the shift, and the sum
with the output's zero point. Where the type of the input keeps the value within the limit, RESCALE
stays one operator. Elsewhere it is written out: MUL scales in the same way and limits the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort, from_pattern, i8, i16, i32, i48, to_pattern, u8
from lanewise.language.words import within
from lanewise.lowering.rule import Premise, Refused, Rule, Source
from lanewise.lowering.steps import GraphSteps, Steps, Term
from lanewise.lowering.tosa_steps import reshaped

# The shift from which on every value of a type is within -2 ** (shift - 1) … 2 ** (shift - 1) - 1;
# bytes have a zero point, which makes them 9 bits. The scaled result is below 2 ** 30 then.
ENOUGH = {i8: 9, u8: 9, i16: 16, i32: 32}

Parts = Sequence[Sequence[Term] | None]


def _large_shifts(least: int) -> Premise:
    return Premise(f"the graph fixes shift >= {least}", lambda value, multiplier, shift: within(shift, least, 63))


LARGE = {sort: _large_shifts(least) for sort, least in ENOUGH.items()}
SINGLE = Premise("the graph fixes shift <= 31", lambda value, multiplier, shift: within(shift, 0, 31))


def rescale_premise(source: Source, shifts: Any) -> Premise | None:
    """What the shifts of a graph decide; None: nothing, or not all of them the same."""
    if not source.attributes["scale32"]:
        return None
    shifts = np.asarray(shifts)
    if shifts.size and shifts.min() >= ENOUGH[source.sort]:
        return LARGE[source.sort]
    return SINGLE if source.attributes["double_round"] and shifts.size and shifts.max() <= 31 else None


def _rescale(t: Steps, source: Source, operands: Parts) -> Sequence[Term]:
    if not source.attributes["scale32"]:
        # 16-bit multipliers keep 0.23.0's limit; only a wide value's sum with a zero point may leave int32.
        if source.attributes["output_zp"] == 0 or source.sort.width <= 16:
            return [_one_operator(t, source, operands, source.output)]
        plain = replace(source, attributes={**source.attributes, "output_zp": 0}, output=i32)
        return [_leave(t, source, _one_operator(t, plain, operands, i32))]
    if source.premise == LARGE[source.sort]:
        return [_one_operator(t, source, operands, source.output)]
    if source.attributes["double_round"] and source.premise is None:
        raise Refused(
            "double_round acts on shifts above 31 only, and the graph's shifts are not all on one side: they are "
            f"{_listing(source)}. Later releases round so for shifts of {ENOUGH[source.sort]} and more; "
            "give such shifts, with multipliers to match"
        )
    return [_leave(t, source, _scaled(t, source, operands))]


def _one_operator(t: Steps, source: Source, operands: Parts, output: Sort) -> Term:
    """RESCALE of the target: zero points are operands, and bytes without sign are a flag."""
    value, multiplier, shift = (part[0] for part in operands if part is not None)
    given = source.attributes
    input_unsigned, output_unsigned = source.sort == u8, output == u8
    return t(
        "RESCALE",
        value,
        multiplier,
        shift,
        input_zp=_bits(given["input_zp"], input_unsigned),
        output_zp=_bits(given["output_zp"], output_unsigned),
        scale32=given["scale32"],
        rounding_mode="DOUBLE_ROUND" if given["double_round"] else "SINGLE_ROUND",
        per_channel=given["per_channel"],
        input_unsigned=input_unsigned,
        output_unsigned=output_unsigned,
        output_type=i8.name if output_unsigned else output.name,
    )


def _bits(zero_point: int, unsigned: bool) -> int:
    return from_pattern(to_pattern(zero_point, i8), i8) if unsigned else zero_point


def _scaled(t: Steps, source: Source, operands: Parts) -> Term:
    """(input - input_zp) * multiplier / 2 ** shift as int32, rounded once."""
    value, multiplier, shift = (part[0] for part in operands if part is not None)
    if source.sort != i32:
        value = t("CAST", value, output_type="int32")
    if source.sort == u8:
        value = t("BITWISE_AND", value, 255)
    if source.attributes["input_zp"]:
        value = t("SUB", value, source.attributes["input_zp"])
    known = source.constants.get(2)
    if known is not None and len(set(np.asarray(known).tolist())) != 1:
        raise Refused(
            f"the shifts are {_listing(source)}; later releases limit the value to scale to 2 ** (shift - 1), which "
            f"{source.sort.name} meets from a shift of {ENOUGH[source.sort]} on. Give one shift for all channels, or "
            "multiply multipliers by powers of 2 and add their exponents to the shifts"
        )
    if known is None and source.attributes["per_channel"] and isinstance(t, GraphSteps):
        raise Refused("the shifts of the channels are computed while the graph runs; make them constants of the graph")
    argument = t.argument(shift, None if known is None else int(np.asarray(known).flat[0]))
    factors = source.constants.get(1)
    if factors is not None and np.asarray(factors).size == 1:
        multiplier = t.argument(multiplier, int(np.asarray(factors).item()))
    elif isinstance(t, GraphSteps):  # the list of multipliers lies along the last axis
        length = 1 if known is None else int(np.asarray(known).size)
        multiplier = reshaped(t, multiplier, [*[1] * (t.rank - 1), length])
    return t("MUL", value, multiplier, shift=argument)


def _leave(t: Steps, source: Source, scaled: Term) -> Term:
    """The scaled int32 with the zero point, clipped; bounds are moved first, so that no sum leaves int32."""
    output, zero_point = source.output, source.attributes["output_zp"]
    if output == i32:
        return scaled
    clipped = t("MINIMUM", t("MAXIMUM", scaled, output.lowest - zero_point), output.highest - zero_point)
    if zero_point:
        clipped = t("ADD", clipped, zero_point)
    return t("CAST", clipped, output_type=f"int{output.width}")


def _listing(source: Source) -> str:
    shifts = source.constants.get(2)
    if shifts is None:
        return "known only when the graph runs"
    found = sorted(set(np.asarray(shifts).tolist()))
    return ", ".join(map(str, found[:8])) + (" …" if len(found) > 8 else "")


def _note(source: Source) -> str | None:
    needs = [
        extension
        for extension, needed in (
            ("EXT-INT16", source.sort == i48),
            ("EXT-DOUBLEROUND", source.attributes["double_round"] and source.premise != SINGLE),
            ("EXT-DYNAMIC", 1 not in source.constants or 2 not in source.constants),
        )
        if needed
    ]
    return f"a profile must come with {' and '.join(needs)}" if needs else None


RESCALE = Rule(_rescale, note=_note)


# --- what is proven -------------------------------------------------------------------------


def rescale_instances(record: Operator) -> Iterator[Source]:
    """Every row with zero points at the edges of bytes, both ways to round, and both ranges of shifts."""
    for row in record.rows:
        sort, multiplier = row.inputs[0], row.inputs[1]
        assert isinstance(sort, Sort)
        scale32 = multiplier == i32
        if scale32 and sort == i48:
            continue
        for input_zp in _zero_points(sort):
            for output_zp in _zero_points(row.output):
                for double_round in (False, True) if scale32 else (False,):
                    attributes = {
                        "input_zp": input_zp,
                        "output_zp": output_zp,
                        "scale32": scale32,
                        "double_round": double_round,
                        "per_channel": False,
                        "output_type": row.output,
                    }
                    source = Source(record, row.inputs, row.output, attributes)
                    if scale32:
                        yield replace(source, premise=LARGE[sort])
                    yield replace(source, premise=SINGLE if double_round else None)


def _zero_points(sort: Sort) -> tuple[int, ...]:
    return (sort.lowest, 0, sort.highest) if sort in (i8, u8) else (0,)
