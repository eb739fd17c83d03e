"""One piece of work: all contenders compared, then raced, with the two copies that give the limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.copies import NUMPY, OURS, Copies, fastest_copy
from benchmarks.measure import PAUSE, Turns, race, ratio, summary, typical
from benchmarks.peers import Peer
from benchmarks.work import Contender, Work, differing

US = "lanewise"
CLOSE = 1.5  # peers that take up to so many times as long race on: a few turns do not tell who is ahead
LONGER = 3  # times as many turns for them


@dataclass(frozen=True)
class Settings:
    """How long to measure, and beside whom."""

    elements: int
    rounds: int
    peers: Sequence[Peer]
    copies: Copies
    pause: float = PAUSE

    def race(self, contenders: Mapping[str, Callable[[], Any]], longer: int = 1) -> dict[str, Turns]:
        return race(contenders, longer * self.rounds, pause=self.pause)


def contest(work: Work, ours: Callable[[], Any], settings: Settings, units: int = 0) -> dict[str, Any]:
    """The figures of one piece of work.

    `ours` writes work.out. A peer whose result differs takes part, but is no correct peer; one that
    cannot do the work is listed with what it said.
    """
    started = time.perf_counter()
    _spoil(work.out)
    ours()
    first_call = time.perf_counter() - started
    expected = work.out.copy()
    contenders: dict[str, Callable[[], Any]] = {US: ours}
    wrong: dict[str, int] = {}
    absent: dict[str, str] = {}
    prepared: dict[str, float] = {US: first_call}
    for peer in settings.peers:
        try:
            contender = peer.contender(work)
            if contender is None:
                absent[peer.name] = "has no such work"
                continue
            count = _differing(contender, work, expected, units)
        except Exception as error:  # whatever a library says of a type or an operation that it lacks
            absent[peer.name] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"
            continue
        contenders[peer.name] = contender.run
        if contender.prepared is not None:
            prepared[peer.name] = contender.prepared
        if count:
            wrong[peer.name] = count
    copies = settings.copies.contenders(work.moved)
    times = settings.race(contenders | copies)
    _race_on(times, contenders, copies, wrong, settings)
    return (
        _figures(times, work.moved)
        | {"wrong": wrong, "absent": absent, "prepared_seconds": prepared}
        | _best(times, wrong)
    )


def _race_on(
    times: dict[str, Turns],
    contenders: Mapping[str, Callable[[], Any]],
    copies: Mapping[str, Callable[[], Any]],
    wrong: Mapping[str, int],
    settings: Settings,
) -> None:
    """More turns for us, the copies, and correct peers that are close or ahead: all of them count."""
    near = {
        name: run
        for name, run in contenders.items()
        if name != US and name not in wrong and ratio(times[name], times[US])["ratio"] < CLOSE
    }
    if near:
        for name, turns in settings.race({US: contenders[US], **near, **copies}, LONGER).items():
            times[name] += turns


def _spoil(array: np.ndarray) -> None:
    """Fills an array with what no result is, so that a contender that writes nothing is found out."""
    array.view(np.uint8)[...] = 0xA5


def _differing(contender: Contender, work: Work, expected: np.ndarray, units: int) -> int:
    _spoil(work.out)
    contender.run()
    return differing(expected, np.asarray(contender.result()), units)


def _figures(times: dict[str, Turns], moved: int) -> dict[str, Any]:
    limit = fastest_copy(times)
    return {
        "moved_bytes": moved,
        "milliseconds": {name: summary(turns) for name, turns in times.items()},
        "bytes_per_second": {name: moved / typical(turns) for name, turns in times.items()},
        "limit": limit,
        "of_limit": ratio(times[limit], times[US]),
        "ratios": {name: ratio(turns, times[US]) for name, turns in times.items() if name not in (US, NUMPY, OURS)},
    }


def _best(times: dict[str, Turns], wrong: Mapping[str, int]) -> dict[str, Any]:
    """The fastest peer whose result is ours, and how many times as long it takes."""
    correct = [name for name in times if name not in (US, NUMPY, OURS, *wrong)]
    if not correct:
        return {"fastest_correct_peer": None, "to_fastest_correct_peer": None}
    ratios = {peer: ratio(times[peer], times[US]) for peer in correct}
    name = min(correct, key=lambda peer: ratios[peer]["ratio"])
    return {"fastest_correct_peer": name, "to_fastest_correct_peer": ratios[name]}
