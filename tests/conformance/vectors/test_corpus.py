"""The corpus: what it draws, that it is pinned, and that a wrong vector is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanewise.conformance.vectors import pins
from lanewise.conformance.vectors.corpus import VectorSet, records, row_name
from lanewise.conformance.vectors.elements import Generator, at_the_edge, boundaries
from lanewise.conformance.vectors.folder import Selection
from lanewise.conformance.vectors.graphs import graph_of, operands, results
from lanewise.language.sorts import f32, i8, i32
from tests.cli.test_commands import lanewise


def sets(filter: str) -> list[VectorSet]:
    return list(Selection(filter, None).sets())


def test_the_generator_is_splitmix64():
    generator = Generator("")
    generator._state = 1234567  # the first words for this seed, from the generator's published description
    assert [generator.word() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_edges_are_neighbours_on_both_sides():
    def holds(element: tuple[int, ...]) -> bool:
        return element[0] < 100 or element[0] > 127

    tried = [((value,), holds((value,))) for value in boundaries(i8)]
    found = list(at_the_edge(holds, tried, [i8]))
    assert (99,) in found
    assert (100,) in found
    assert not list(at_the_edge(lambda element: True, [((0.0,), True)], [f32]))  # type: ignore[list-item]


def test_an_overflow_is_met_at_its_edge():
    (found,) = sets(r"^tosa 0.23.0 ADD \(int32")
    a, b = (np.array(column.patterns, np.uint32).view(np.int32).astype(np.int64) for column in found.columns)
    bad = np.array([bool(reason) for reason in found.broken])
    assert np.array_equal(bad, abs(2 * (a + b) + 1) > 2**32 - 1)
    assert {2**31 - 1, -(2**31)} <= set((a + b)[~bad].tolist())
    assert {2**31, -(2**31) - 1} & set((a + b)[bad].tolist())
    assert found.one_sided == ()


def test_boundaries_come_first():
    (found,) = sets(r"^tosa 1.0 BITWISE_AND \(int32")
    first = list(zip(*(column.patterns for column in found.columns), strict=True))[: len(boundaries(i32)[:16]) ** 2]
    assert set(first) <= {(a, b) for a in boundaries(i32) for b in boundaries(i32)}
    assert first[0] == (0, 0)


def test_every_record_and_row_has_vectors():
    names = {row_name(record, row) for record in records() for row in record.rows}
    without = names - set(pins.pinned())
    assert set(pins.pinned()) <= names
    # The only rows that every choice of attributes is forbidden for: int48 is scaled by 16-bit multipliers.
    assert without
    assert all("RESCALE (int48, int32, " in name for name in without)
    assert all(pin.sets and pin.elements for pin in pins.pinned().values())


def test_the_native_engine_agrees_through_graphs():
    for vectors in sets(r"^tosa_1_1_(MUL_int8|TABLE|SELECT_bool_int8|CLAMP_int8)|^onnx_13_(Div|Clip|Squeeze)_int8"):
        kept = vectors.predictable
        if not kept:
            continue
        outcome = graph_of(vectors, kept).run(operands(vectors, kept))
        (found,) = outcome.outputs.values()
        assert not outcome.violations
        assert found.ravel().tobytes() == results(vectors, kept).tobytes(), vectors.title


def test_unpredictable_elements_are_those_that_a_run_flags():
    for vectors in sets(r"^tosa_1_0_(ADD|MUL|INTDIV|LOGICAL_LEFT_SHIFT)_int32"):
        every = range(len(vectors.results))
        outcome = graph_of(vectors, every).run(operands(vectors, every), on_unpredictable="mask")
        (mask,) = outcome.unpredictable.values()
        assert mask.tolist() == [bool(reason) for reason in vectors.broken], vectors.title


def test_the_hashes_are_as_pinned():
    printed, _ = lanewise("vectors", "--check", "--filter", "BitShift|SHIFT|MUL|TABLE|INTDIV|RESCALE .*int48|Pow .f")
    assert printed.rstrip().endswith(", 0 differ")
    assert int(printed.split()[0]) > 60


def test_one_changed_vector_changes_the_pin():
    (vectors,) = sets(r"^tosa 0.23.0 INTDIV")
    name = row_name(vectors.operator, vectors.row)
    kept = pins.pinned()
    assert list(pins.differences([pins.pin_of(name, [vectors])], kept)) == []
    at = vectors.predictable[-1]
    wrong = (*vectors.results[:at], vectors.results[at] ^ 1, *vectors.results[at + 1 :])
    (line,) = pins.differences([pins.pin_of(name, [replace(vectors, results=wrong)])], kept)
    assert line.startswith(f"{name}: differs from what is pinned")
    (missing,) = pins.differences([pins.pin_of("new", [vectors])], kept)
    assert missing == "new: not pinned"


def test_wrong_use_is_refused(tmp_path: Path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("")
    for arguments, message in [
        ((str(full), "--format", "csv", "--filter", "CLZ"), "holds files already"),
        ((str(tmp_path / "a"), "--format", "xml"), "--format 'xml'; allowed: onnx, tosa"),
        ((str(tmp_path / "a"), "--format", "csv", "--filter", "("), "not a regular expression"),
        ((str(tmp_path / "a"), "--format", "csv", "--filter", "nothing"), "no set of vectors matches"),
        ((str(tmp_path / "a"),), "give a folder and --format"),
        ((str(tmp_path / "a"), "--check"), "index.json"),
        (("--check", "--filter", "nothing"), "no row matches"),
    ]:
        _, error = lanewise("vectors", *arguments, code=4)
        assert message in error
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(("version", "since"), [("27", 11), ("28", 28)])
def test_a_version_has_what_is_in_force(version: str, since: int):
    found = [record for record in Selection("", version).records if record.name == "BitShift"]
    assert [record.release.since for record in found] == [since]
