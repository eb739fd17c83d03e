"""Which cells a target is asked about: every operator with elements, at the versions that the target can tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.nearness import allowed_distance
from lanewise.conformance.judging.readings import silence
from lanewise.conformance.judging.settings import asked_with
from lanewise.conformance.targets.names import EVERY, OWN, Target
from lanewise.engines.exact import fold
from lanewise.graph.signature import python_name
from lanewise.language.errors import LanewiseError
from lanewise.language.nodes import TRUE
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import INTEGERS, AnySort, ArraySort, boolean, f32
from lanewise.operators import catalogue

# Python names, in the order of the report; whatever else there is comes after them.
FIRST = {
    "onnx": """bit_shift bitwise_and bitwise_or bitwise_xor bitwise_not add sub mul div mod pow max min abs neg
equal greater greater_or_equal less less_or_equal and_ or_ xor not_ clip cast where identity""".split(),
    "tosa": """add arithmetic_right_shift bitwise_and bitwise_or bitwise_xor intdiv logical_and logical_left_shift
logical_right_shift logical_or logical_xor maximum minimum mul pow sub table""".split(),
}
STORED = (8, 16, 32, 64)


def names(specification: str) -> list[str]:
    """The operators that are asked about, in the order of the report: those that compute something of elements."""
    known = {
        python_name(name): records
        for name, records in catalogue.versions_of(specification).items()
        if not any(record.constant or _reads_numbers(record) for record in records)
    }
    return sorted(known, key=lambda name: FIRST[specification].index(name) if name in FIRST[specification] else 99)


def _reads_numbers(record: Operator) -> bool:
    """Whether an operand is a shape or a list of axes, so that elements are only arranged."""
    return any(argument.use == "numbers" for argument in record.arguments.values())


def asked(target: Target, versions: Sequence[str] = ()) -> Iterator[Cell]:
    """Every question for a target; of versions, if some are given, those in force at one of them."""
    for specification in target.specifications:
        records = _records(specification, versions)
        if target.knows == EVERY:
            for record in records:
                yield from cells_of(record, target.versioned)
        elif target.knows == OWN:
            for record in records:
                if record.release.since == target.tosa_version:
                    yield from cells_of(record)
        else:
            yield from telling(records)


def cells(specification: str, versions: Sequence[str] = (), unlisted: bool = False) -> Iterator[Cell]:
    """Every question of a specification at every version; `unlisted` adds rows that a version does not have."""
    for record in _records(specification, versions):
        yield from cells_of(record, unlisted)


def telling(records: Iterable[Operator]) -> Iterator[Cell]:
    """The questions for who knows no versions: each meaning once, at the version that comes first.

    Of TOSA these are 0.23.0 and the newest release: what lies between says nothing else.
    """
    kept: list[Operator] = []
    for record in records:
        between = record.release.specification == "tosa" and _place(record) not in (0, len(_versions(record)) - 1)
        if not between or not any(one.name == record.name for one in kept):
            kept.append(record)
    seen: set[Any] = set()
    for record in kept:
        for cell in cells_of(record):
            if meaning(cell) not in seen:
                seen.add(meaning(cell))
                yield cell


def meaning(cell: Cell) -> tuple[Any, ...]:
    """What a cell asks about, whatever its version: equal cells have equal results, and are judged alike."""
    function = fold(cell.function)
    return (
        cell.specification,
        cell.record.name,
        tuple(sort for _, sort in cell.free),
        cell.row.output,
        function.results,
        tuple(one.condition for one in function.requirements if one.condition is not TRUE),
        repr([value for value in cell.fixed.values() if isinstance(value, list)]),
        silence(cell),
        allowed_distance(cell),
    )


def places(found: Iterable[Cell]) -> dict[str, tuple[int, ...]]:
    """Where each cell stands in a report: by specification, operator, version and row."""
    records = [record for specification in catalogue.SPECIFICATIONS for record in _records(specification, ())]
    of_records: dict[Operator, list[Cell]] = {}
    for cell in found:
        of_records.setdefault(cell.record, []).append(cell)
    order: dict[str, tuple[int, ...]] = {}
    for record, cells in of_records.items():
        unlisted = not all(cell.listed for cell in cells)
        within = {one.key: k for k, one in enumerate(cells_of(record, unlisted))}
        order |= {cell.key: (records.index(record), within[cell.key]) for cell in cells}
    return order


@cache
def cells_of(record: Operator, unlisted: bool = False) -> tuple[Cell, ...]:
    """The questions about one record; `unlisted` adds rows that it does not have."""
    return (*_listed(record), *(_unlisted(record) if unlisted else ()))


def _records(specification: str, versions: Sequence[str]) -> list[Operator]:
    """ONNX operators from their newest version down, TOSA's from the oldest release up."""
    found: list[Operator] = []
    by_name = {python_name(name): records for name, records in catalogue.versions_of(specification).items()}
    for name in names(specification):
        records = by_name[name]
        wanted = [one for version in versions for one in catalogue.in_force(records, version)] if versions else records
        chosen = [record for record in records if record in wanted]
        found += reversed(chosen) if specification == "onnx" else chosen
    return found


def _versions(record: Operator) -> Sequence[Operator]:
    return catalogue.versions_of(record.release.specification)[record.name]


def _place(record: Operator) -> int:
    return _versions(record).index(record)


def _listed(record: Operator) -> Iterator[Cell]:
    for row in record.rows:
        if not all(_storable(sort) for sort in (*row.inputs, row.output)):
            continue
        for attributes, fixed in asked_with(record, row):
            cell = Cell(record, row, attributes, fixed)
            try:
                assert cell.function is not None
            except LanewiseError:
                continue  # forbidden for this row
            yield cell


def _storable(sort: AnySort) -> bool:
    """Whether NumPy has the type in its own width; shifts of MUL are read before, whatever their width."""
    if isinstance(sort, ArraySort):
        return True
    return sort.kind != "int" or sort.width in STORED or sort.name == "uint6"


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
            attributes, fixed = next(asked_with(record, row))
            yield Cell(record, row, attributes, fixed, listed=False)
