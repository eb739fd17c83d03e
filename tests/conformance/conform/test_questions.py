"""What `conform` asks: everything in the catalogue that has elements, at the versions that a target can tell apart."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lanewise.conformance.judging.inputs import EXHAUSTIVE_BITS
from lanewise.conformance.judging.questions import asked, cells, cells_of, meaning, names, places
from lanewise.conformance.judging.run import _subjects
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.names import LIBRARIES, target_of
from lanewise.graph.signature import python_name
from lanewise.operators import catalogue

WITHOUT_ELEMENTS = {  # as docs/conform.md says: they give constants, or arrange elements
    "onnx": {"constant", "expand", "reshape", "squeeze", "unsqueeze"},
    "tosa": {"const", "reshape"},
}
NOT_STORED = {"int4", "int48"}  # types that no array has
PROGRAM = target_of("program:cat")
NUMPY = target_of("numpy")


@pytest.mark.parametrize("specification", catalogue.SPECIFICATIONS)
def test_every_operator_that_computes_is_asked_about_and_no_other(specification: str) -> None:
    known = {python_name(name) for name in catalogue.versions_of(specification)}
    assert len(names(specification)) == len(set(names(specification)))
    assert known - set(names(specification)) == WITHOUT_ELEMENTS[specification]


@pytest.mark.parametrize("specification", catalogue.SPECIFICATIONS)
def test_who_sees_the_version_is_asked_about_every_row_of_every_version(specification: str) -> None:
    seen = {(cell.record, cell.row) for cell in asked(PROGRAM) if cell.listed}
    for name, records in catalogue.versions_of(specification).items():
        if python_name(name) in WITHOUT_ELEMENTS[specification]:
            continue
        for record in records:
            left_out = {row for row in record.rows if (record, row) not in seen}
            for row in left_out:
                assert NOT_STORED & {sort.name for sort in (*row.inputs, row.output)}, (record.label, str(row))


def test_every_choice_of_an_attribute_is_asked_about() -> None:
    for cell in cells("tosa", ["1.1"]):
        assert set(cell.attributes) <= set(cell.record.attributes)
    modes = {cell.attributes["rounding_mode"] for cell in cells("tosa", ["1.1"]) if cell.operator == "rescale"}
    assert modes == {"SINGLE_ROUND", "DOUBLE_ROUND", "INEXACT_ROUND"}
    for name in ("input_unsigned", "output_unsigned", "scale32"):
        found = {cell.attributes[name] for cell in cells("tosa", ["1.1"]) if cell.operator == "rescale"}
        assert found == {True, False}
    rescaled = [cell for cell in cells("tosa", ["0.23.0"]) if cell.operator == "rescale"]
    assert {cell.attributes["double_round"] for cell in rescaled} == {True, False}
    ignoring = {cell.operator for cell in cells("tosa", ["1.1"]) if cell.attributes.get("nan_mode") == "IGNORE"}
    assert ignoring == {"clamp", "maximum", "minimum"}


@pytest.mark.parametrize("specification", catalogue.SPECIFICATIONS)
def test_who_knows_no_versions_is_asked_about_each_meaning_once(specification: str) -> None:
    found = [cell for cell in asked(NUMPY) if cell.specification == specification]
    once = Counter(map(meaning, found))
    assert set(once.values()) == {1}
    ends = ["28", "1"] if specification == "onnx" else ["0.23.0", "1.1"]
    ends = ends if specification == "tosa" else []
    everything = cells(specification, ends) if ends else cells(specification)
    assert set(map(meaning, everything)) == set(once)


def test_older_versions_are_asked_about_where_they_say_something_else() -> None:
    asked_at = {(cell.operator, str(cell.record.release.since)) for cell in asked(NUMPY)}
    assert {("bit_shift", "28"), ("bit_shift", "11"), ("clip", "6"), ("pow", "0.23.0"), ("pow", "1.1")} <= asked_at
    assert ("add", "13") not in asked_at
    assert not any(version == "1.0" for _, version in asked_at)


def test_who_speaks_one_version_is_asked_about_that_alone() -> None:
    for name in ("iree", "tosa"):
        assert {cell.record.release.since for cell in asked(target_of(name))} == {"1.1"}
    assert {name for name, library in LIBRARIES.items() if library.knows == "every"} == {"onnx", "onnxruntime"}


def test_versions_narrow_the_questions_to_what_is_in_force() -> None:
    at_13 = {(cell.operator, cell.record.release.since) for cell in asked(target_of("onnx"), ["13"])}
    assert ("add", 13) in at_13 and ("bit_shift", 11) in at_13 and ("identity", 13) in at_13
    assert ("add", 14) not in at_13 and ("bitwise_and", 18) not in at_13
    both = {str(cell.record.release.since) for cell in asked(NUMPY, ["6", "1.0"])}
    assert both == {"1", "6", "1.0"}
    old = next(cell for cell in asked(NUMPY, ["6"]) if cell.operator == "cast")
    assert old.record.release.since == 6
    assert list(asked(target_of("tosa"), ["1.0"])) == []


def test_a_report_has_operators_and_versions_in_one_order_whoever_is_asked() -> None:
    found = [*asked(NUMPY), *asked(target_of("onnx"))]
    order = places(found)
    keys = sorted(order, key=order.__getitem__)
    casts = [key for key in keys if key.startswith("onnx Cast ")]
    versions = [int(key.split()[2]) for key in casts]
    assert versions == sorted(versions, reverse=True)
    assert keys.index("onnx BitShift 28 int8 direction=LEFT") == 0
    assert keys[-1].startswith("tosa IDENTITY ")
    assert len(set(order.values())) == len(order)


def test_cells_have_keys_of_their_own() -> None:
    keys = [cell.key for cell in asked(PROGRAM)]
    assert len(keys) == len(set(keys)) > 3000


def test_inputs_stay_few_and_make_use_of_every_row() -> None:
    for key, subject in _subjects({cell.key: cell for cell in asked(NUMPY)}).items():
        columns = subject.columns
        assert len({len(column) for column in columns}) == 1
        assert 2 <= len(columns[0]) <= 1 << EXHAUSTIVE_BITS, key


def test_versions_of_one_meaning_share_inputs_and_results() -> None:
    found = [cell for cell in cells("onnx") if cell.operator == "cast" and cell.type_text == "float32 → int8"]
    subjects = list(_subjects({cell.key: cell for cell in found}).values())
    assert len(subjects) == 10
    first = subjects[0]
    assert all(subject.expected is first.expected for subject in subjects)
    assert all(one is other for one, other in zip(first.columns, subjects[-1].columns, strict=True))
    alone = Subject(found[-1])
    assert all(one.tobytes() == other.tobytes() for one, other in zip(alone.columns, first.columns, strict=True))
    assert (alone.expected == first.expected).all()


def test_what_a_text_leaves_open_keeps_versions_apart() -> None:
    shifts = [cell for cell in cells("onnx") if cell.operator == "bit_shift" and cell.type_text == "uint8"]
    assert len(set(map(meaning, shifts))) == 4
    (old,) = (cell for cell in cells("onnx", ["9"]) if cell.key == "onnx Cast 9 int16 → int8")
    (new,) = (cell for cell in cells("onnx", ["13"]) if cell.key == "onnx Cast 13 int16 → int8")
    values = np.array([127, 128, -128, -129], np.int16)
    assert Subject(old, [values]).open[1].tolist() == [False, True, False, True]
    assert not Subject(new, [values]).open[1].any()


def test_a_bound_is_a_number_that_the_type_has() -> None:
    texts = {cell.key for cell in asked(target_of("onnxruntime")) if cell.operator == "clip" and not cell.listed}
    assert {
        "onnx Clip 13 bool min=False max=True (not listed)",
        "onnx Clip 6 bool min=0.0 max=1.0 (not listed)",
    } <= texts
    for cell in asked(PROGRAM):
        sort = cell.row.output
        bounds = {**cell.attributes, **cell.fixed} if cell.operator in ("clip", "clamp") else {}
        for name in ("min", "max", "min_val", "max_val"):
            value = bounds.get(name)
            if value is not None and sort.kind != "float":
                assert sort.lowest <= value <= (1 if sort.kind == "bool" else sort.highest), cell.key


def test_rows_that_are_not_listed_are_asked_of_who_sees_versions() -> None:
    (record,) = [one for one in catalogue.versions_of("onnx")["Add"] if one.release.since == 7]
    unlisted = [cell.type_text for cell in cells_of(record, unlisted=True) if not cell.listed]
    assert unlisted == ["int8", "int16", "uint8", "uint16", "bool"]
    assert all(cell.listed for cell in cells_of(record))
