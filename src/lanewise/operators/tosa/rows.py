"""What TOSA records have in common: releases, profiles, sections, the abstract float type."""

from __future__ import annotations

from collections.abc import Iterable

from lanewise.language.operator import Release, Row
from lanewise.language.sorts import AnySort, Sort, bf16, boolean, f16, f32, i8, i16, i32

VERSIONS = ("0.23.0",)
PROFILES = {"0.23.0": ("BI", "MI", "MT")}

# 0.23.0's float_t is "at least 16 bits": the three formats that later versions name (T4).
FLOAT = (f16, bf16, f32)
PLAIN = (boolean, i8, i16, i32)  # what operators that only move elements take, beside floats

ACTIVATION = "Activation Functions"
BINARY = "Elementwise Binary Operators"
UNARY = "Elementwise Unary Operators"
TERNARY = "Elementwise Ternary Operators"
COMPARISON = "Comparison Operators"
DATA_LAYOUT = "Data Layout"
TYPE_CONVERSION = "Type Conversion"
DATA_NODES = "Data Nodes"

ATTRIBUTE_IN_INFERENCE = ("BI", "MI")  # an input in MT only (T7)


def tosa(since: str, section: str) -> Release:
    return Release("tosa", since, section)


Types = tuple[AnySort, ...]


def any_profile(*rows: Types) -> list[Row]:
    """Rows that every profile has; the last type of each is the result's."""
    return [_row(row, ("BI", "MI", "MT")) for row in rows]


def main_profiles(rows: Iterable[Types]) -> list[Row]:
    """Rows that the main profiles (MI, MT) have: floating point."""
    return [_row(row, ("MI", "MT")) for row in rows]


def _row(row: Types, profiles: tuple[str, ...]) -> Row:
    output = row[-1]
    assert isinstance(output, Sort)
    return Row(row[:-1], output, frozenset(profiles))
