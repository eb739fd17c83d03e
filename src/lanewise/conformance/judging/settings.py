"""What a row of types is asked with: every choice of an attribute, and a few telling numbers where any may stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lanewise.graph.requirements import settings
from lanewise.graph.signature import python_name
from lanewise.language.attributes import Attribute
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import ArraySort, Sort, i8, i16, i32, u8

Given = dict[str, Any]

# Multipliers and shifts: as it is, its half (every other result a tie), the lowest shift, one beyond 31, the highest.
SCALES_32 = ((1 << 30, 30), (1 << 30, 31), (1, 2), ((1 << 31) - 1, 33))
TWICE_ROUNDED = (((1 << 31) - 1, 33), ((1 << 31) - 1, 62))
SCALES_16 = ((1 << 14, 14), (1 << 14, 15), ((1 << 15) - 1, 62))


def asked_with(record: Operator, row: Row) -> Iterator[tuple[Given, Given]]:
    """Attributes, and values of the operands that are one number or a table; some may be forbidden for the row."""
    if python_name(record.name) == "rescale":
        yield from _rescale(record, row)
        return
    seen: set[str] = set()
    for attributes in settings(record, row):
        for name, attribute in record.attributes.items():
            if not _steers(record, row, name) and name != record.output_attribute:
                attributes[name] = attribute.default
        if repr(attributes) in seen:
            continue
        seen.add(repr(attributes))
        for numbers in _numbers(record, row):
            of_operands = {name: value for name, value in numbers.items() if name in record.arguments}
            of_attributes = {name: value for name, value in numbers.items() if name not in of_operands}
            made = {name: of_attributes.get(name, value) for name, value in attributes.items()}
            yield {name: value for name, value in made.items() if value is not None}, of_operands


def _steers(record: Operator, row: Row, name: str) -> bool:
    """Whether an attribute decides anything about elements of these types."""
    if name not in record.own_attributes:
        return False
    if name == "nan_mode":
        return row.output.kind == "float"
    if name == "input_unsigned":  # of CAST: what becomes of the bits above an integer's own
        source = row.inputs[0]
        assert isinstance(source, Sort)
        return source.kind == "int" and (row.output.kind == "float" or row.output.width > source.width)
    return True


def _numbers(record: Operator, row: Row) -> Iterator[Given]:
    """Attributes that are numbers, and operands with one value."""
    name, sort = python_name(record.name), row.inputs[0]
    assert isinstance(sort, Sort)
    if name == "clip":
        low, high = _clip_bounds(sort)
        for bounds in ((low, high), (high, low), (low, None)):
            yield dict(zip(("min", "max"), map(_as(record.attributes.get("min")), bounds), strict=True))
    elif name == "clamp":
        for pair in _clamp_bounds(sort):
            yield dict(zip(("min_val", "max_val"), pair, strict=True))
    elif name == "negate":
        for pair in [(0, 0), (-128, 127), (1, -1)] if sort == i8 else [(0, 0)]:
            yield dict(zip(("input1_zp", "output_zp"), pair, strict=True))
    elif name == "mul" and record.release.specification == "tosa":
        ends = (2, 62) if record.release.since == "0.23.0" else (1, 62, 63)
        for shift in sorted({0, 5, 31, 40, *ends}) if row.output == sort == i32 else (0,):
            yield {"shift": shift}
    elif name == "table":
        array = row.inputs[1]
        assert isinstance(array, ArraySort)
        yield {"table": [(k * 73 + 19) % 251 - 125 for k in range(array.length)]}
    else:
        yield {}


def _clip_bounds(sort: Sort) -> tuple[Any, Any]:
    """Two numbers that the type has, also where a version does not list it and ought to refuse."""
    if sort.kind == "bool":
        return False, True
    return (3 if sort.lowest == 0 and sort.kind == "int" else -5), 100


def _clamp_bounds(sort: Sort) -> list[tuple[Any, Any]]:
    if sort.kind == "float":
        return [(-1.0, 1.0), (0.0, 6.0), (0.5, 0.5)]
    if sort.kind == "bool":
        return [(0, 1)]
    if not sort.signed:
        return [(3, 100), (5, 5)]
    return [(-10, 20) if sort == i8 else (-300, 400), (5, 5)]


def _as(attribute: Attribute | None) -> Any:
    """How a bound is given: as float where it is an attribute, None where it is absent."""
    return (lambda value: value) if attribute is None else (lambda value: None if value is None else float(value))


def _rescale(record: Operator, row: Row) -> Iterator[tuple[Given, Given]]:
    """Each way of rounding with a few scales; zero points, where the types have some, with every other scale."""
    source, multiplier = row.inputs[0], row.inputs[1]
    assert isinstance(source, Sort)
    wide = multiplier == i32
    modes = list(_modes(record, source, row.output, wide))
    for mode, scales in modes:
        for k, (scale, shift) in enumerate(scales):
            zeros = _zero_points(source, row.output, mode) if k % 2 else (0, 0)
            given = {"multiplier": scale, "shift": shift, "input_zp": zeros[0], "output_zp": zeros[1]}
            operands = {name: value for name, value in given.items() if name in record.arguments}
            attributes = {name: value for name, value in given.items() if name not in operands}
            yield {"scale32": wide, **mode, "output_type": row.output, **attributes}, operands


def _modes(record: Operator, source: Sort, output: Sort, wide: bool) -> Iterator[tuple[Given, Any]]:
    """Attributes about rounding and signs, with the scales that tell them apart."""
    if "double_round" in record.attributes:
        yield {"double_round": False}, SCALES_32 if wide else SCALES_16
        if wide:
            yield {"double_round": True}, TWICE_ROUNDED
        return
    without = {"input_unsigned": False, "output_unsigned": False}
    yield {"rounding_mode": "SINGLE_ROUND", **without}, SCALES_32 if wide else SCALES_16
    if wide:
        yield {"rounding_mode": "DOUBLE_ROUND", **without}, TWICE_ROUNDED
        yield {"rounding_mode": "INEXACT_ROUND", **without}, SCALES_32[1:2]
    if max(source.width, output.width) <= 16:
        for unsigned in without:
            yield {"rounding_mode": "SINGLE_ROUND", **without, unsigned: True}, (SCALES_32 if wide else SCALES_16)[:2]


def _zero_points(source: Sort, output: Sort, mode: Given) -> tuple[int, int]:
    """Of the input and of the output; bits without sign are given as those with sign."""
    found = []
    for sort, unsigned, usual in (
        (source, mode.get("input_unsigned"), -7),
        (output, mode.get("output_unsigned"), 12),
    ):
        if sort == u8:
            found.append(128)
        elif sort == i8:
            found.append(-128 if unsigned else usual)
        else:
            found.append(-32768 if sort == i16 and unsigned else 0)
    return found[0], found[1]
