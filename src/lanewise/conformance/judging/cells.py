"""The cells of the matrix: an operator at a version, its attributes, a row of types, operands with one known value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lanewise.graph.requirements import settings
from lanewise.graph.signature import python_name
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import INTEGERS, AnySort, ArraySort, Sort, boolean, f32, i32
from lanewise.operators import catalogue

# Python names, in the order of the report.
ONNX = """bit_shift bitwise_and bitwise_or bitwise_xor bitwise_not add sub mul div mod max min abs neg
equal greater greater_or_equal less less_or_equal and_ or_ xor not_ clip cast""".split()
TOSA = """add arithmetic_right_shift bitwise_and bitwise_or bitwise_xor intdiv logical_and logical_left_shift
logical_right_shift logical_or logical_xor maximum minimum mul pow sub table""".split()
ALL_VERSIONS = ("bit_shift",)  # others are asked at their newest version
STORED = (8, 16, 32, 64)


@dataclass(frozen=True)
class Cell:
    """One question; `listed` is False where the version does not have the row and a target ought to refuse it."""

    record: Operator
    row: Row
    attributes: Mapping[str, Any]
    fixed: Mapping[str, Any]
    listed: bool = True

    @property
    def specification(self) -> str:
        return self.record.release.specification

    @property
    def operator(self) -> str:
        return python_name(self.record.name)

    @property
    def types(self) -> tuple[AnySort | None, ...]:
        """Of all operands; None where an optional one is absent."""
        inputs = self.row.inputs * 2 if self.record.variadic else self.row.inputs
        return tuple(
            None if name in self.fixed and self.fixed[name] is None else sort
            for name, sort in zip(self.names, inputs, strict=True)
        )

    @property
    def names(self) -> list[str]:
        return self.record.argument_names(2 if self.record.variadic else len(self.row.inputs))

    @property
    def free(self) -> list[tuple[str, Sort]]:
        """Operands that vary: name and type."""
        found = []
        for name, sort in zip(self.names, self.types, strict=True):
            if name not in self.fixed:
                assert isinstance(sort, Sort)
                found.append((name, sort))
        return found

    @property
    def type_text(self) -> str:
        """The first input's type, with the result's where it is another: 'int8', 'int8 → int32'."""
        first = self.free[0][1].name
        return first if first == self.row.output.name else f"{first} → {self.row.output.name}"

    @property
    def setting_text(self) -> str:
        own = self.record.own_attributes - {self.record.output_attribute}
        given = {name: value for name, value in self.attributes.items() if name in own}
        given |= {k: "table" if isinstance(v, list) else v for k, v in self.fixed.items() if v is not None}
        return " ".join(f"{k}={v}" for k, v in given.items())

    @property
    def key(self) -> str:
        parts = (
            self.specification,
            self.record.name,
            str(self.record.release.since),
            self.type_text,
            self.setting_text,
        )
        return " ".join(filter(None, parts)) + ("" if self.listed else " (not listed)")


def cells(specification: str, tosa_version: str = "0.23.0", unlisted: bool = False) -> Iterator[Cell]:
    """Every question of a specification; `unlisted` adds rows that a version does not have."""
    wanted = ONNX if specification == "onnx" else TOSA
    by_name = {python_name(name): records for name, records in catalogue.versions_of(specification).items()}
    for name in wanted:
        for record in _versions(by_name[name], name, tosa_version):
            for row in record.rows:
                if all(_storable(sort) for sort in (*row.inputs, row.output)):
                    yield from _settings(record, row)
            if unlisted:
                yield from _unlisted(record)


def _versions(records: tuple[Operator, ...], name: str, tosa_version: str) -> list[Operator]:
    if records[0].release.specification == "tosa":
        return [record for record in records if record.release.since == tosa_version]
    return list(reversed(records)) if name in ALL_VERSIONS else [records[-1]]


def _storable(sort: AnySort) -> bool:
    """Whether NumPy has the type in its own width; shifts of MUL are read before, whatever their width."""
    if isinstance(sort, ArraySort):
        return True
    return sort.kind != "int" or sort.width in STORED or sort.name == "uint6"


def _settings(record: Operator, row: Row) -> Iterator[Cell]:
    seen: set[str] = set()
    for attributes in settings(record, row):
        for name, attribute in record.attributes.items():
            steers_floats = name == "nan_mode" and row.output.kind != "float"
            if (name not in record.own_attributes or steers_floats) and name != record.output_attribute:
                attributes[name] = attribute.default
        if repr(attributes) in seen:
            continue
        seen.add(repr(attributes))
        for fixed in _fixed(record, row):
            cell = Cell(record, row, attributes, fixed)
            try:
                record.function(cell.types, row.output, record.read_attributes(attributes))
            except LanewiseError:
                continue  # these attributes are forbidden for this row
            yield cell


def _fixed(record: Operator, row: Row) -> Iterator[dict[str, Any]]:
    """Values of the operands that are one number or a table."""
    name = python_name(record.name)
    if name == "clip":
        sort = row.inputs[0]
        assert isinstance(sort, Sort)
        low: Any = 3 if sort.lowest == 0 and sort.kind == "int" else -5
        for pair in ((low, 100), (100, low), (low, None)):
            yield {"min": pair[0], "max": pair[1]}
    elif name == "mul" and record.release.specification == "tosa":
        for shift in (0, 5, 31, 40, 62) if row.output == i32 and row.inputs[0] == i32 else (0,):
            yield {"shift": shift}
    elif name == "table":
        sort = row.inputs[1]
        assert isinstance(sort, ArraySort)
        yield {"table": [(k * 73 + 19) % 251 - 125 for k in range(sort.length)]}
    else:
        yield {}


def _unlisted(record: Operator) -> Iterator[Cell]:
    """Integer, boolean and float32 rows that a version with operands of one type leaves out."""
    if any(len(set(row.inputs)) > 1 for row in record.rows) or record.output_attribute:
        return
    listed = {row.inputs[0] for row in record.rows}
    model = record.rows[0]
    for sort in (*INTEGERS, boolean, f32):
        if sort not in listed:
            output = sort if model.output == model.inputs[0] else model.output
            row = Row((sort,) * len(model.inputs), output)
            yield Cell(record, row, next(settings(record, model)), next(_fixed(record, row)), listed=False)
