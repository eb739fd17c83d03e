"""Every operator and row of the source texts, with operands that break no requirement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

import lanewise as lw
from benchmarks.measure import aligned, placed
from benchmarks.work import Work
from lanewise.language.words import Function, literal
from lanewise.operators import catalogue

Operands = tuple[np.ndarray, ...]
Draw = Callable[[np.random.Generator, int], Operands]

TYPES = {name: np.dtype(name) for name in ("bool", "float16", "float32")}
TYPES |= {f"{sign}int{width}": np.dtype(f"{sign}int{width}") for sign in ("", "u") for width in (8, 16, 32, 64)}
TYPES["bfloat16"] = np.dtype(ml_dtypes.bfloat16)
FLOATS = ("float16", "bfloat16", "float32")


@dataclass(frozen=True)
class Case:
    """One row of an operator's table of types, with its attributes."""

    specification: str
    operator: str
    kind: str  # the operands' type
    group: str  # what bars are about
    operation: str  # what peers know how to do
    draw: Draw
    output: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    suffix: str = ""
    table: np.ndarray | None = None

    @property
    def name(self) -> str:
        words = (self.operator, self.settings.get("direction", ""), self.kind, self.suffix)
        return " ".join(word for word in words if word)

    @property
    def width(self) -> int:
        return TYPES[self.kind].itemsize * 8

    @property
    def call(self) -> Callable[..., Any]:
        """lanewise's function for it: f(x, y, out=z)."""
        if self.specification == "onnx":
            return lambda x, y, out=None: lw.onnx.bit_shift(x, y, direction=self.settings["direction"], out=out)
        function = getattr(lw.tosa, self.operator.lower())
        if self.table is not None:
            return lambda x, out=None: function(x, self.table, out=out)
        settings = dict(self.settings)
        return lambda x, y, out=None: function(x, y, **settings, out=out)

    def ours(self, work: Work) -> Callable[[], Any]:
        """lanewise's turn at the work."""
        call, inputs, out = self.call, work.inputs, work.out
        return lambda: call(*inputs, out=out)

    @property
    def units(self) -> int:
        """By how many steps of the type a correct result may be off."""
        return 1 if self.group == "power" else 0

    def function(self) -> Function:
        """Its definition, traced as a call traces it."""
        version = catalogue.default_version(self.specification)
        record = catalogue.find(self.specification, self.operator, version)
        row = next(row for row in record.rows if row.inputs[0].name == self.kind)
        known = {}
        if "shift" in record.arguments:
            known[2] = literal(self.settings.get("shift", 0), row.inputs[2])  # type: ignore[arg-type]
        given = {name: value for name, value in self.settings.items() if name != "shift"}
        return record.function(row.inputs, row.output, record.read_attributes(given), known)

    def work(self, elements: int, seed: int = 11) -> Work:
        operands = self.draw(np.random.default_rng(seed), elements)
        return Work(self.operation, tuple(map(placed, operands)), aligned(elements, TYPES[self.output]), self.table)


def whole(kind: str, low: int | None = None, high: int | None = None) -> Draw:
    """Two operands from low to high (all of the type if not said)."""

    def draw(generator: np.random.Generator, size: int) -> Operands:
        first, last = limits(kind)
        first, last = first if low is None else low, last if high is None else high
        return tuple(generator.integers(first, last, size, TYPES[kind], endpoint=True) for _ in range(2))

    return draw


def limits(kind: str) -> tuple[int, int]:
    if kind == "bool":
        return 0, 1
    information = np.iinfo(TYPES[kind])
    return int(information.min), int(information.max)


def shifted(kind: str) -> Draw:
    """Any word, and a count that leaves some of it: counts on which all libraries agree."""

    def draw(generator: np.random.Generator, size: int) -> Operands:
        words = generator.integers(*limits(kind), size, TYPES[kind], endpoint=True)
        return words, generator.integers(0, TYPES[kind].itemsize * 8, size, TYPES[kind])

    return draw


def scaled(generator: np.random.Generator, size: int) -> Operands:
    """A product that fits int32 once it has lost 15 places; the factor is not negative."""
    values = generator.integers(-(1 << 22), 1 << 22, size, np.int32)
    return values, generator.integers(0, 1 << 22, size, np.int32)


def divided(generator: np.random.Generator, size: int) -> Operands:
    """Divisors of all magnitudes and both signs, but neither 0 nor -1 (which the lowest number must not meet)."""
    values, divisors = whole("int32")(generator, size)
    divisors >>= generator.integers(0, 30, size, np.int32)
    divisors[(divisors == 0) | (divisors == -1)] = 3
    return values, divisors


def real(kind: str) -> Draw:
    def draw(generator: np.random.Generator, size: int) -> Operands:
        return tuple((generator.standard_normal(size, np.float32) * 8).astype(TYPES[kind]) for _ in range(2))

    return draw


def powers(kind: str) -> Draw:
    """Positive bases and exponents of both signs, with results that even float16 has."""

    def draw(generator: np.random.Generator, size: int) -> Operands:
        return tuple(
            (generator.random(size, np.float32) * (high - low) + low).astype(TYPES[kind])
            for low, high in ((0.25, 4.0), (-4.0, 4.0))
        )

    return draw


def indices(kind: str) -> Draw:
    return lambda generator, size: (generator.integers(*limits(kind), size, TYPES[kind], endpoint=True),)


def _tosa(operator: str, kinds: str, group: str, operation: str, draw: Callable[[str], Draw], **more: Any):
    for kind in kinds.split():
        yield Case("tosa", operator, kind, group, operation, draw(kind), **{"output": kind, **more})


def _cases() -> Iterator[Case]:
    for direction, operation in (("LEFT", "left_shift"), ("RIGHT", "right_shift")):
        for width in (8, 16, 32, 64):
            for kind in (f"int{width}", f"uint{width}"):
                settings = {"direction": direction}
                yield Case("onnx", "BitShift", kind, "shift", operation, shifted(kind), kind, settings)
    integers, floats = "int8 int16 int32", " ".join(FLOATS)
    for operator, operation, group in (("ADD", "add", "add"), ("SUB", "subtract", "add")):
        yield from _tosa(operator, "int32", group, operation, lambda kind: whole(kind, -(1 << 30), (1 << 30) - 1))
        yield from _tosa(operator, floats, group, operation, real)
    for kind in ("int8", "int16"):
        yield from _tosa("MUL", kind, "widening multiply", "widening_multiply", whole, output="int32")
    yield from _tosa("MUL", "int32", "multiply", "multiply", whole)
    settings = {"shift": 15}
    yield Case(
        "tosa", "MUL", "int32", "scaled multiply", "scaled_multiply", scaled, "int32", settings, suffix="shift 15"
    )
    yield from _tosa("MUL", floats, "multiply", "multiply", real)
    yield from _tosa("INTDIV", "int32", "divide", "divide", lambda kind: divided)
    shift = "ARITHMETIC_RIGHT_SHIFT"
    yield from _tosa(shift, integers, "shift", "right_shift", shifted, settings={"round": False})
    rounding = {"settings": {"round": True}, "suffix": "round"}
    yield from _tosa(shift, integers, "rounding shift", "rounding_shift", shifted, **rounding)
    yield from _tosa("LOGICAL_LEFT_SHIFT", integers, "shift", "left_shift", shifted)
    yield from _tosa("LOGICAL_RIGHT_SHIFT", integers, "shift", "logical_right_shift", shifted)
    for word in ("and", "or", "xor"):
        yield from _tosa(f"BITWISE_{word.upper()}", integers, "bitwise", f"bitwise_{word}", whole)
        yield from _tosa(f"LOGICAL_{word.upper()}", "bool", "logical", f"logical_{word}", whole)
    for word in ("maximum", "minimum"):
        yield from _tosa(word.upper(), "int32", "extremum", word, whole)
        yield from _tosa(word.upper(), floats, "extremum", word, real)
    yield from _tosa("POW", floats, "power", "power", powers)
    generator = np.random.default_rng(5)
    bytes_ = generator.integers(-128, 128, 256, np.int8)
    words = generator.integers(-(1 << 15), 1 << 15, 513, np.int16)
    yield from _tosa("TABLE", "int8", "table", "byte_table", indices, table=bytes_)
    yield from _tosa("TABLE", "int16", "table", "interpolating_table", indices, table=words, output="int32")


CASES = tuple(_cases())
