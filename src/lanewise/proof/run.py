"""Deciding many theorems on several processes; those that say the same are decided once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import active_children, get_context

from lanewise.lowering.ledger import fingerprint
from lanewise.proof.catalogue import theorems
from lanewise.proof.prove import SECONDS
from lanewise.proof.theorem import SWEEP, Theorem
from lanewise.proof.verdict import UNKNOWN, Verdict

SHARE = 24  # theorems that a process takes at a time


@dataclass(frozen=True)
class Decided:
    """A theorem's verdict. `same_as`: the name of an earlier theorem that is the same one."""

    name: str
    group: str
    fingerprint: str
    verdict: Verdict
    same_as: str | None = None


@cache
def listed() -> tuple[Theorem, ...]:
    return tuple(theorems())


def matching(pattern: str | None) -> list[int]:
    """Places in the list of the theorems whose group and name match a regular expression."""
    if pattern is None:
        return list(range(len(listed())))
    found = re.compile(pattern)
    return [k for k, theorem in enumerate(listed()) if found.search(f"{theorem.group}: {theorem.name}")]


def decide_all(
    places: Sequence[int],
    each: Callable[[Decided], None],
    *,
    workers: int = 1,
    seconds: float = SECONDS,
    sweep: int = SWEEP,
) -> list[Decided]:
    """The verdicts in the list's order; `each` hears of every one as it comes."""
    first: dict[str, int] = {}
    prints = {}
    for k in places:
        prints[k] = fingerprint(*listed()[k].pair())
        first.setdefault(prints[k], k)
    own = [k for k in places if first[prints[k]] == k]
    verdicts: dict[int, Verdict] = {}

    def told(k: int, verdict: Verdict) -> None:
        verdicts[k] = verdict
        each(Decided(listed()[k].name, listed()[k].group, prints[k], verdict))

    for k, verdict in _decided(own, workers, seconds, sweep):
        told(k, verdict)
    result = []
    for k in places:
        original = first[prints[k]]
        theorem = listed()[k]
        same_as = None if original == k else f"{listed()[original].group}: {listed()[original].name}"
        found = Decided(theorem.name, theorem.group, prints[k], verdicts[original], same_as)
        if same_as is not None:
            each(found)
        result.append(found)
    return result


def _decided(places: Sequence[int], workers: int, seconds: float, sweep: int) -> Iterable[tuple[int, Verdict]]:
    if workers < 2 or len(places) <= SHARE:
        for k in places:
            yield k, _one(k, seconds, sweep)
        return
    # What takes long comes first and alone, so that no process is left with it at the end.
    slow = [k for k in places if listed()[k].complete or listed()[k].narrow]
    quick = [k for k in places if not (listed()[k].complete or listed()[k].narrow)]
    shares = [[k] for k in slow] + [quick[at : at + SHARE] for at in range(0, len(quick), SHARE)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_alone) as pool:
        try:
            waiting = [pool.submit(_share, (share, seconds, sweep)) for share in shares]
            for future in waiting:  # never cancelled: the pool's own thread trips over those when its workers are gone
                yield from future.result()
        except BaseException:  # nobody waits for the rest, which may take minutes
            for worker in active_children():
                worker.kill()
            raise


def _share(work: tuple[Sequence[int], float, int]) -> list[tuple[int, Verdict]]:
    places, seconds, sweep = work
    return [(k, _one(k, seconds, sweep)) for k in places]


def _one(place: int, seconds: float, sweep: int) -> Verdict:
    """One verdict; a proof that goes wrong is none, and leaves the others theirs."""
    try:
        return listed()[place].decide(seconds, sweep)
    except Exception as error:
        return Verdict(UNKNOWN, f"{type(error).__name__}: {error}", 0.0)


def _alone() -> None:
    """A worker is one of several: it uses one thread."""
    from lanewise.engines.native.threads import set_threads

    set_threads(1)
