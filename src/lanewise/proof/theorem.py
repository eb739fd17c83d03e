"""One theorem of the list, and how it is decided where a solver cannot."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from lanewise.engines.claim import Claim
from lanewise.engines.sweep import crossed, exhaustive
from lanewise.language.words import Function
from lanewise.proof.prove import SECONDS, decide
from lanewise.proof.verdict import PROVEN, REFUTED, UNKNOWN, Verdict, counterexample

Pair = tuple[Function, Function]
SWEEP = 1 << 30  # inputs tried of what no solver decides
PATIENCE = 3.0  # seconds of work for a solver where there is another way


@dataclass(frozen=True)
class Narrow:
    """The same theorem at a width that allows trying every input."""

    width: int
    pair: Callable[[], Pair]


@dataclass(frozen=True)
class Theorem:
    """Two definitions that agree.

    `narrow`: the same at widths that are tried completely if the solver gives up; then it is swept at its own.
    `complete`: the solver is not asked. Every input is tried, or with `narrow` those at its widths.
    """

    name: str
    group: str
    pair: Callable[[], Pair]
    narrow: tuple[Narrow, ...] = ()
    complete: bool = False

    def decide(self, seconds: float = SECONDS, sweep: int = SWEEP) -> Verdict:
        claim = Claim(*self.pair())
        if self.complete:
            return self._swept(claim, sweep) if self.narrow else _tried(claim)
        verdict = decide(claim, min(seconds, PATIENCE) if self.narrow else seconds, search=0)
        return self._swept(claim, sweep) if verdict.status == UNKNOWN and self.narrow else verdict

    def _swept(self, claim: Claim, sweep: int) -> Verdict:
        started = time.perf_counter()
        for narrow in self.narrow:
            verdict = _tried(Claim(*narrow.pair()))
            if verdict.status != PROVEN:
                return replace(verdict, method=f"at {narrow.width} bits, {verdict.method}")
        found, count = crossed(claim, sweep)
        spent = time.perf_counter() - started
        if found is not None:
            return Verdict(
                REFUTED, f"sweep over {count:,} inputs", spent, counterexample(claim.source, claim.target, found)
            )
        widths = " and ".join(str(narrow.width) for narrow in self.narrow)
        return Verdict(PROVEN, f"completely at {widths} bits; here a sweep over {count:,} inputs", spent)


def _tried(claim: Claim) -> Verdict:
    started = time.perf_counter()
    found, count = exhaustive(claim)
    spent = time.perf_counter() - started
    if found is None:
        return Verdict(PROVEN, f"all {count:,} inputs", spent)
    return Verdict(REFUTED, f"all {count:,} inputs", spent, counterexample(claim.source, claim.target, found))
