"""Deciding a claim: by sight, by trying every input, by a search for a counterexample, by z3, in that order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from lanewise.engines.claim import Claim
from lanewise.engines.sweep import COMPLETE_BITS, crossed, exhaustive
from lanewise.language.errors import UnsupportedError
from lanewise.language.words import Function
from lanewise.proof.verdict import PROVEN, REFUTED, UNKNOWN, Verdict, counterexample

BY_SIGHT = "both are one expression"
SEARCH = 1 << 16  # elements of the search that comes before a proof
# Seconds of a processor that has nothing else to do: what counts is z3's work, so that verdicts can be repeated.
SECONDS = 60.0  # for one question to z3
QUICK = 4.0  # for the first attempt, which leaves products and quotients abstract
SHRINK = 5.0  # for making a counterexample smaller
LONGEST_SWEEP = 32  # bits of inputs that are all tried if z3 gives up


def prove_functions(
    source: Function, target: Function, seconds: float = SECONDS, names: Sequence[str] | None = None
) -> Verdict:
    """Whether, for all inputs that meet the source's requirements, the target's hold and the results agree."""
    return decide(Claim(source, target), seconds, names)


def decide(claim: Claim, seconds: float = SECONDS, names: Sequence[str] | None = None, search: int = SEARCH) -> Verdict:
    """The verdict on a claim; refuted only with an element of which the oracle says so, too."""
    started = time.perf_counter()
    source, target = claim.source, claim.target

    def verdict(status: str, method: str, operands: tuple[Any, ...] | None = None) -> Verdict:
        found = None if operands is None else counterexample(source, target, operands, names)
        return Verdict(status, method, time.perf_counter() - started, found)

    if claim.is_evident:
        return verdict(PROVEN, BY_SIGHT)
    bits = None if claim.has_slivers else claim.input_bits
    if bits is not None and bits <= COMPLETE_BITS:
        found, count = exhaustive(claim)
        return verdict(REFUTED if found else PROVEN, f"all {count:,} inputs", found)
    found, count = crossed(claim, search) if search and not claim.has_slivers else (None, 0)
    if found is not None:
        return verdict(REFUTED, f"search over {count:,} inputs", found)
    status, method, operands = _solve(claim, seconds)
    if status == UNKNOWN and bits is not None and bits <= LONGEST_SWEEP:
        operands, count = exhaustive(claim)
        status, method = (REFUTED if operands else PROVEN), f"all {count:,} inputs"
    return verdict(status, method, operands)


def _solve(claim: Claim, seconds: float) -> tuple[str, str, tuple[Any, ...] | None]:
    """z3's answer: first with products, quotients and float arithmetic left abstract, then in full."""
    try:
        from lanewise.engines.proof import Question
    except ImportError:
        raise UnsupportedError(
            "proofs need z3, which is not installed; install it with: pip install 'lanewise[prove]'"
        ) from None
    abstract = Question(claim.source, claim.target, claim.tables, abstract=True)
    answer = abstract.ask(QUICK if abstract.left_abstract else seconds)
    if answer.status == PROVEN:
        return PROVEN, "z3, all inputs", None
    question = abstract
    if abstract.left_abstract:
        if answer.operands is not None and not claim.holds_for(answer.operands):
            return REFUTED, "z3", answer.operands
        question = Question(claim.source, claim.target, claim.tables, abstract=False)
        answer = question.ask(seconds)
        if answer.status == PROVEN:
            return PROVEN, "z3, all inputs", None
    if answer.operands is None or claim.holds_for(answer.operands):
        return UNKNOWN, f"z3 gave up after the work of {seconds:g} s", None
    smaller = question.smaller(answer.operands, SHRINK)
    return REFUTED, "z3", smaller if not claim.holds_for(smaller) else answer.operands
