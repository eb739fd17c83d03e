"""The proof engine reads every node kind as the oracle does: all operands at small widths, special floats."""

from __future__ import annotations

import itertools

import pytest
import z3

from lanewise.engines import exact
from lanewise.engines.proof import HARD_FLOATS, HARD_WORDS, NEVER_KNOWN, RULES, TABLE_INDEX, Question, Reader
from lanewise.engines.sweep import boundaries
from lanewise.language import floats
from lanewise.language.nodes import KINDS, Node, constant, node
from lanewise.language.sorts import ArraySort, Sort, bf16, bits, boolean, f16, i8, i16, i32
from lanewise.language.words import quotient_towards_zero, select, trace


def test_every_kind_has_a_rule():
    assert set(RULES) | {"input"} == set(KINDS)
    assert set(KINDS) >= (HARD_WORDS | HARD_FLOATS | NEVER_KNOWN)


def value_of(term: z3.ExprRef, sort: Sort) -> int:
    """The pattern that a term without unknowns stands for."""
    if sort.kind == "bool":
        return int(z3.is_true(z3.simplify(term)))
    if sort.kind == "float":
        if z3.is_true(z3.simplify(z3.fpIsNaN(term))):
            return floats.quiet_nan(sort)
        return z3.simplify(z3.fpToIEEEBV(z3.simplify(term))).as_long()
    return z3.simplify(term).as_long()


def agree(root: Node, *operands: Node) -> None:
    """Both engines on constants."""
    (term,) = Reader([], abstract=False).terms([root])
    want = exact.RULES[root.kind](root, *(operand.data for operand in operands))
    assert isinstance(root.sort, Sort)
    if root.sort.kind == "float" and floats.is_nan(want, root.sort):
        want = floats.quiet_nan(root.sort)
    assert value_of(term, root.sort) == want, (root.kind, [hex(o.data or 0) for o in operands])


def sorts_of(kind: str) -> list[Sort]:
    return {
        "bits": [bits(1), bits(2), bits(3)],
        "bool": [boolean],
        "word": [bits(1), bits(3), boolean],
        "float": [f16, bf16],
    }.get(KINDS[kind].operands, [])


BETWEEN = {
    "zext": [bits(5)], "sext": [bits(5)], "trunc": [bits(1)], "fcvt": [f16, bf16], "stof": [f16, bf16],
    "utof": [f16, bf16], "ftos": [bits(3), bits(8)], "ftou": [bits(3), bits(8)],
}  # fmt: skip


@pytest.mark.parametrize("kind", [k for k, row in KINDS.items() if row.arity in (1, 2) and row.operands != "array"])
def test_kinds(kind: str):
    if kind in NEVER_KNOWN:
        pytest.skip("an unknown function to the solver")
    for sort in sorts_of(kind):
        if sort.kind == "float":
            patterns = [p & ((1 << sort.width) - 1) for p in boundaries(sort)]
            patterns = patterns[::2] if KINDS[kind].arity == 2 else patterns
        else:
            patterns = list(range(1 << sort.width))
        targets = [s for s in BETWEEN.get(kind, [None]) if s is None or kind not in ("trunc",) or s.width < sort.width]
        for target in targets:
            for given in itertools.product(patterns, repeat=KINDS[kind].arity):
                operands = [constant(pattern, sort) for pattern in given]
                agree(node(kind, *operands, sort=target), *operands)


def test_choice_and_table():
    for condition, a, b in itertools.product((0, 1), range(4), range(4)):
        operands = constant(condition, boolean), constant(a, bits(2)), constant(b, bits(2))
        agree(node("ite", *operands), *operands)
    table = ArraySort(i8, 5)
    entries = z3.K(z3.BitVecSort(TABLE_INDEX), z3.BitVecVal(7, 8))
    read = node("input", data=0, sort=ArraySort(bits(8), 5))
    for index in range(8):
        looked_up = node("lookup", read, constant(index, bits(3)))
        (term,) = Reader([entries], abstract=False).terms([looked_up])
        assert z3.simplify(term).as_long() == (7 if index < table.length else 0)


def test_what_is_left_abstract_is_still_true():
    """Facts about unknown quotients prove what needs no more, and never prove what is false."""
    plain = trace(quotient_towards_zero, (i32, i32), None)
    guarded = trace(lambda a, b: quotient_towards_zero(a, select(b == 0, 1, b)), (i32, i32), None)
    question = Question(plain, plain, {}, abstract=True)
    assert question.left_abstract
    assert question.ask(5).status == "proven"
    assert Question(plain, guarded, {}, abstract=True).ask(5).status == "refuted"


def test_a_counterexample_is_made_small():
    left = trace(lambda a, b: a + b, (i16, i16), None)
    right = trace(lambda a, b: select((a > 300) & (b < -40), a, a + b), (i16, i16), None)
    question = Question(left, right, {}, abstract=False)
    found = question.ask(5).operands
    assert found is not None
    assert question.smaller(found, 5) == (301, (1 << 16) - 41)
