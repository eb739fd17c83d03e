"""Sorts: the element types of the specifications, and the signless words behind them.

An author writes with *element types* (`i8`, `u16`, `boolean`, `f32` …), whose integers have a
sign. A node of a traced definition has a *carrier*: the same word without the sign. `carrier()`
is the only bridge from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Sort:
    """A set of values: `kind` is "int" (signed or unsigned), "bits" (signless), "bool" or "float"."""

    kind: str
    width: int
    name: str
    signed: bool = False
    exponent_bits: int = 0  # floats only; the fraction takes what the sign and the exponent leave

    @property
    def lowest(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def highest(self) -> int:
        return (1 << (self.width - 1)) - 1 if self.signed else (1 << self.width) - 1

    @property
    def fraction_bits(self) -> int:
        return self.width - 1 - self.exponent_bits

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArraySort:
    """A look-up table: `length` elements of one element type, read by index only."""

    element: Sort
    length: int

    @property
    def name(self) -> str:
        return f"{self.element.name}[{self.length}]"

    def __repr__(self) -> str:
        return self.name


AnySort = Sort | ArraySort


@cache
def integer(width: int, signed: bool) -> Sort:
    if not 1 <= width <= 64:
        raise ValueError(f"integers have 1 to 64 bits, not {width}")
    return Sort("int", width, f"{'int' if signed else 'uint'}{width}", signed)


@cache
def bits(width: int) -> Sort:
    """The signless word of that width (1 to 64; products of two words need up to 128)."""
    if not 1 <= width <= 128:
        raise ValueError(f"words have 1 to 128 bits, not {width}")
    return Sort("bits", width, f"bits{width}")


boolean = Sort("bool", 1, "bool")
i4, i8, i16, i32, i48, i64 = (integer(width, True) for width in (4, 8, 16, 32, 48, 64))
u6, u8, u16, u32, u64 = (integer(width, False) for width in (6, 8, 16, 32, 64))
f16 = Sort("float", 16, "float16", True, 5)
bf16 = Sort("float", 16, "bfloat16", True, 8)
f32 = Sort("float", 32, "float32", True, 8)
f64 = Sort("float", 64, "float64", True, 11)

SIGNED = (i8, i16, i32, i64)
UNSIGNED = (u8, u16, u32, u64)
INTEGERS = SIGNED + UNSIGNED
FLOATS = (f16, f32, f64)

BY_NAME = {
    sort.name: sort for sort in (boolean, i4, i8, i16, i32, i48, i64, u6, u8, u16, u32, u64, f16, bf16, f32, f64)
}


def carrier(sort: AnySort) -> AnySort:
    """The sort of a node that carries values of `sort`: integers lose their sign."""
    if isinstance(sort, ArraySort):
        element = carrier(sort.element)
        assert isinstance(element, Sort)
        return ArraySort(element, sort.length)
    return bits(sort.width) if sort.kind == "int" else sort


def to_pattern(value: int, sort: Sort) -> int:
    """The bit pattern of an integer or boolean value."""
    return int(value) & ((1 << sort.width) - 1)


def from_pattern(pattern: int, sort: Sort) -> int:
    """The integer (or 0 and 1 for booleans) that a bit pattern stands for in `sort`."""
    if sort.signed and pattern >> (sort.width - 1):
        return pattern - (1 << sort.width)
    return pattern
