"""What TOSA records have in common: releases, profiles, sections, the abstract float type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from lanewise.language.attributes import choice
from lanewise.language.operator import Meaning, Release, Row, operator
from lanewise.language.sorts import AnySort, Sort, bf16, boolean, f16, f32, i8, i16, i32

# "1.0" is 1.0.0 to 1.0.2, "1.1" the draft (V1).
VERSIONS = ("0.23.0", "1.0", "1.1")


class Level(NamedTuple):
    """The largest rank of a tensor, and its largest size in bytes."""

    rank: int
    bytes: int


# A size must fit a signed number of 31 or 63 bits. 0.23.0 has no levels.
_LEVELS = {"8K": Level(6, (1 << 31) - 1), "none": Level(32, (1 << 63) - 1)}
LEVELS: dict[str, dict[str, Level]] = {"0.23.0": {}, "1.0": _LEVELS, "1.1": _LEVELS}


# The profiles and extensions that rows of 1.0 and 1.1 name.
INT, FP = "PRO-INT", "PRO-FP"
INT4, INT16, INT64, BF16 = "EXT-INT4", "EXT-INT16", "EXT-INT64", "EXT-BF16"

_MAIN_PROFILES = (
    INT, FP, INT16, INT4, BF16, "EXT-FP8E4M3", "EXT-FP8E5M2", "EXT-FFT", "EXT-VARIABLE", "EXT-CONTROLFLOW",
    "EXT-DYNAMIC", "EXT-DOUBLEROUND", "EXT-INEXACTROUND",
)  # fmt: skip
PROFILES = {
    "0.23.0": ("BI", "MI", "MT"),
    "1.0": _MAIN_PROFILES,
    "1.1": (
        *_MAIN_PROFILES, INT64, "EXT-SHAPE", "EXT-MXFP-CONV", "EXT-MX-COMMON", "EXT-MX-FP4E2M1", "EXT-MX-FP6E2M3",
        "EXT-MX-FP6E3M2", "EXT-MX-FP8E4M3", "EXT-MX-FP8E5M2", "EXT-MX-INT8",
    ),
}  # fmt: skip

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

NAN_MODE = choice("PROPAGATE", "IGNORE", default="PROPAGATE")  # V10
ATTRIBUTE_IN_INFERENCE = ("BI", "MI")  # an input in MT only (T7)


def tosa(since: str, section: str) -> Release:
    return Release("tosa", since, section)


def from_1_0(
    name: str,
    section: str,
    *,
    rows: Iterable[Row],
    added: Iterable[Row] = (),
    examples: Iterable[tuple[Any, ...]] = (),
    added_examples: Iterable[tuple[Any, ...]] = (),
    **record: Any,
) -> Callable[[Meaning], Meaning]:
    """Records 1.0, and 1.1 with the rows and examples that it adds."""
    rows, examples = list(rows), list(examples)

    def apply(meaning: Meaning) -> Meaning:
        operator(name, tosa("1.1", section), rows=[*rows, *added], examples=[*examples, *added_examples], **record)(
            meaning
        )
        return operator(name, tosa("1.0", section), rows=rows, examples=examples, **record)(meaning)

    return apply


Types = tuple[AnySort, ...]


def any_profile(*rows: Types) -> list[Row]:
    """Rows that every profile of 0.23.0 has; the last type of each is the result's."""
    return [_row(row, ("BI", "MI", "MT")) for row in rows]


def main_profiles(rows: Iterable[Types]) -> list[Row]:
    """Rows that the main profiles of 0.23.0 (MI, MT) have: floating point."""
    return [_row(row, ("MI", "MT")) for row in rows]


def profiled(profiles: str | tuple[str, ...], *rows: Types) -> list[Row]:
    """Rows of 1.0 and 1.1 that any one of these profiles and extensions brings."""
    return [_row(row, (profiles,) if isinstance(profiles, str) else profiles) for row in rows]


def floating(row: Callable[[Sort], Types]) -> list[Row]:
    """The rows of 1.0 and 1.1 for the float types: two in PRO-FP, bfloat16 by its extension."""
    return [*profiled(FP, row(f16), row(f32)), *profiled(BF16, row(bf16))]


def moved(row: Callable[[Sort], Types]) -> list[Row]:
    """The rows of 1.0 and 1.1 for the types that CONST and IDENTITY have in both profiles."""
    return profiled((INT, FP), *(row(sort) for sort in PLAIN))


def same(operands: int) -> Callable[[Sort], Types]:
    """The row in which all operands and the result have one type."""
    return lambda sort: (sort,) * (operands + 1)


def _row(row: Types, profiles: tuple[str, ...]) -> Row:
    output = row[-1]
    assert isinstance(output, Sort)
    return Row(row[:-1], output, frozenset(profiles))
