"""Classes of elements: what is said to be covered is, and what is said to be impossible is proven so."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from typing import Any

import pytest
import z3

from lanewise.conformance.vectors.classes import Split, crosses_of, splits_of
from lanewise.conformance.vectors.corpus import Corpus, VectorSet
from lanewise.conformance.vectors.coverage import coverage
from lanewise.conformance.vectors.folder import Selection
from lanewise.engines.proof import Question
from lanewise.language.sorts import ArraySort, Sort

DEFINED = (
    "BitShift|SHIFT|INTDIV|MUL .int32|TABLE|^tosa.*(ADD|SUB|ABS|NEGATE|CLAMP|SELECT|CAST|POW|MAXIMUM)"
    "|onnx .*(Div|Clip|Max) "
)
SCALED = "^tosa_1_1_RESCALE_int8_int32_.*to_int8_.*DOUBLE|^tosa 0.23.0 RESCALE .int16, int32.*int16$"


def elements_of(vectors: VectorSet) -> list[tuple[int, ...]]:
    return list(zip(*(column.patterns for column in vectors.columns), strict=True))


def different(filter: str) -> Iterator[VectorSet]:
    """Of sets that have the same elements, and so the same classes, one."""
    seen: dict[int, object] = {}
    for vectors in Selection(filter, None).sets():
        if seen.setdefault(id(vectors.results), vectors.results) is vectors.results:
            yield vectors


@pytest.mark.parametrize("filter", [DEFINED, SCALED])
def test_no_element_with_a_result_is_of_a_class_that_the_corpus_misses(filter: str):
    """A solver looks for one, by its own words for each class."""
    count = 0
    for vectors in different(filter):
        splits = splits_of(vectors.function)
        elements = elements_of(vectors)
        good = [elements[at] for at in vectors.predictable]
        for cross in crosses_of(splits):
            there = {tuple(split.kind_of(element) for split in cross) for element in good}
            if len(there) == functools.reduce(operator.mul, (len(split.kinds) for split in cross)):
                continue
            question, terms = asked(vectors)
            mine = z3.Or(
                [z3.And([term_of(s, k, terms, vectors) for s, k in zip(cross, ks, strict=True)]) for ks in there]
            )
            solver = z3.Solver()
            solver.add(*question.claims[:-1], z3.Not(mine))
            verdict = solver.check()
            assert verdict == z3.unsat, (vectors.title, verdict, solver.model() if verdict == z3.sat else "")
            count += 1
    assert count > 20


def asked(vectors: VectorSet) -> tuple[Question, list[Any]]:
    """The requirements as terms, which the last claim is not one of; and the operands that have elements."""
    inputs = vectors.function.inputs
    tables = {k: vectors.choice.fixed["table"] for k, sort in enumerate(inputs) if isinstance(sort, ArraySort)}
    question = Question(vectors.function, vectors.function, tables, abstract=False)
    return question, [t for t, sort in zip(question.operands, inputs, strict=True) if isinstance(sort, Sort)]


def term_of(split: Split, kind: str, terms: list[Any], vectors: VectorSet) -> Any:
    """That the operands are of that kind."""
    sorts = [sort for sort in vectors.function.inputs if isinstance(sort, Sort)]
    if split.operand is None:  # all such operators are given the value first
        copies_sign = sorts[0].signed and not vectors.operator.name.startswith("LOGICAL")
        return leaving_term(kind, terms[0], copies_sign, terms[1], sorts[1])
    term, sort = terms[split.operand], sorts[split.operand]
    if sort.kind == "bool":
        return term if kind == "true" else z3.Not(term)
    if sort.kind == "float":
        if kind == "NaN":
            return z3.fpIsNaN(term)
        named = {"zero": z3.fpIsZero, "subnormal": z3.fpIsSubnormal, "normal": z3.fpIsNormal, "infinite": z3.fpIsInf}
        return z3.And(named[kind[1:]](term), (z3.fpIsNegative if kind[0] == "-" else z3.fpIsPositive)(term))
    if kind.isdecimal():
        low = high = int(kind)
    elif " to " in kind:
        low, high = map(int, kind.split(" to "))
    elif kind.startswith("above "):
        low, high = int(kind[6:]) + 1, sort.highest
    else:
        low, high = {
            "below 0": (sort.lowest, -1),
            "lowest": (sort.lowest, sort.lowest),
            "negative": (sort.lowest + 1, -1),
            "positive": (1, sort.highest - 1),
            "highest": (sort.highest, sort.highest),
        }[kind]
    least, most = (z3.BitVecVal(bound, sort.width) for bound in (low, high))
    if sort.signed:
        return z3.And(least <= term, term <= most)
    return z3.And(z3.ULE(least, term), z3.ULE(term, most))


def leaving_term(kind: str, value: Any, copies_sign: bool, count: Any, by: Sort) -> Any:
    """Of what leaves, as the fraction below a point that stays where it is while the value moves."""
    width = 2 * max(value.size(), by.width) + 8
    wide = z3.SignExt(width - by.width, count) if by.signed else z3.ZeroExt(width - by.width, count)
    places = z3.If(wide > value.size() + 1, z3.BitVecVal(value.size() + 1, width), wide)
    number = (z3.SignExt if copies_sign else z3.ZeroExt)(width - value.size(), value)
    moved = number << (width - 1 - places)  # what leaves is now below the top bit
    rest = z3.Extract(width - 2, 0, moved)
    half = z3.BitVecVal(1 << (width - 2), width - 1)
    some = places > 0
    return {
        "nothing": z3.Not(some),
        "zeros": z3.And(some, rest == 0),
        "below half": z3.And(some, rest != 0, z3.ULT(rest, half)),
        "tie": z3.And(some, rest == half),
        "above half": z3.And(some, z3.UGT(rest, half)),
    }[kind]


def listed(vectors: VectorSet) -> dict[str, dict[str, str]]:
    """The list of what is covered: heading → class → what it says."""
    found: dict[str, dict[str, str]] = {}
    heading = ""
    for line in list(coverage(vectors))[3:]:
        if line.startswith("  "):
            kind, said = line.strip().split(": ", 1)
            found[heading][kind] = said
        else:
            heading = line.removesuffix(":")
            found[heading] = {}
    return found


def test_coverage_counts_elements_with_a_result_by_class():
    (vectors,) = Selection(r"^tosa_1_0_ARITHMETIC_RIGHT_SHIFT_int8_.*True", None).sets()
    rounded = [
        ((value ^ 128) - 128, count)
        for value, count in (elements_of(vectors)[at] for at in vectors.predictable)
        if 1 <= count <= 7
    ]
    found = listed(vectors)
    halves = found["what is shifted out, beside half of the last place that stays"]
    # A tie is as far from the number below as from the one above; Python's // rounds down.
    ties = sum(2 * (value - (value >> count << count)) == 1 << count for value, count in rounded)
    assert int(halves["tie"]) == ties > 5
    assert sum(int(halves[kind]) for kind in ("zeros", "below half", "tie", "above half")) == len(rounded)
    assert int(halves["nothing"]) == len(vectors.predictable) - len(rounded)
    counts = found["input2 as a count"]
    assert counts["below 0"] == counts["8"] == counts["above 8"] == "impossible, each breaks '0 <= input2 <= 7'"
    assert int(counts["7"]) == sum(count == 7 for _, count in rounded)
    (crossed,) = (kinds for heading, kinds in found.items() if " x " in heading)
    assert int(crossed["negative x 7 x tie"]) == rounded.count((-64, 7)) == 1
    assert int(crossed["positive x 7 x tie"]) == 1
    assert "lowest x 7 x tie" not in crossed
    assert all(said != "0" for said in crossed.values())
    assert "requirement 0 <= input2 <= 7: both sides of its edge" in "\n".join(coverage(vectors))


def test_a_class_that_the_type_of_a_count_cannot_hold_is_not_listed():
    (vectors,) = Selection(r"^onnx_11_BitShift_uint8_.*RIGHT", None).sets()
    assert list(listed(vectors)["Y as a count"]) == ["0", "1 to 6", "7", "8", "above 8"]


def test_every_set_has_an_element_with_a_result_and_what_makes_none_is_named():
    corpus = Corpus()
    found = list(Selection(r"MUL \(int", None).sets(corpus))
    assert all(vectors.predictable for vectors in found)
    scaled = [vectors for vectors in found if vectors.name.startswith("tosa_1_0_MUL_int32")]
    assert [vectors.name[-2:] for vectors in scaled] == [f"{index:02d}" for index in range(8)]
    assert all(len(vectors.predictable) > 100 for vectors in scaled)
    shifts = {vectors.title: reason for vectors, reason in corpus.without if vectors.operator.release.since == "1.0"}
    for shift in (64, -1):
        assert shifts[f"MUL (TOSA 1.0) (int32, int32, int8) -> int32: shift={shift}"] == "0 <= shift <= 63"
    assert shifts["MUL (TOSA 1.0) (int8, int8, int8) -> int32: shift=1"] == "shift = 0"
