"""How many threads large work is split over, and the splitting itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from operator import index
from queue import SimpleQueue
from typing import Any

from lanewise.language.errors import InvalidError, brief

VARIABLE = "LANEWISE_THREADS"
MOST_THREADS = 1024  # more than any machine has use for

_lock = threading.RLock()  # the handler of a signal may call what it has interrupted
_inbox: SimpleQueue[Any] = SimpleQueue()
_helpers = 0  # how many threads wait at the inbox
_count: int | None = None
on_change: list[Callable[[int], None]] = []  # who else is to know of a new number of threads


def get_threads() -> int:
    """The number of threads in use: as set, else LANEWISE_THREADS, else the processors this process may use."""
    global _count
    if _count is None:
        given = os.environ.get(VARIABLE, "")
        if given and not (given.isdecimal() and 1 <= int(given) <= MOST_THREADS):
            raise InvalidError(f"{VARIABLE} is {brief(given)}; allowed: a whole number from 1 to {MOST_THREADS}")
        if given:
            _count = int(given)
        else:
            available = getattr(os, "sched_getaffinity", None)
            _count = len(available(0)) if available else os.cpu_count() or 1
    return _count


def set_threads(count: int) -> None:
    """Use `count` threads for large work from now on (1: none but the caller's)."""
    global _count
    try:
        number = 0 if isinstance(count, bool) else index(count)
    except TypeError:
        number = 0
    if not 1 <= number <= MOST_THREADS:
        raise InvalidError(f"threads: {brief(count)}; allowed: a whole number from 1 to {MOST_THREADS}")
    count = number
    with _lock:
        _count = count
        _dismiss()
    for tell in on_change:
        tell(count)


def _dismiss() -> None:
    """Lets the helpers end when they are done; new ones start with the next work."""
    global _inbox, _helpers
    for _ in range(_helpers):
        _inbox.put(None)
    _inbox, _helpers = SimpleQueue(), 0


def _forget() -> None:
    """A forked child has none of its parent's threads: it starts its own when it needs them."""
    global _inbox, _helpers, _lock
    _inbox, _helpers, _lock = SimpleQueue(), 0, threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class _Shared:
    """Work in parts, for whoever has time. A helper that comes too late is not waited for."""

    def __init__(self, parts: Sequence[Any], work: Callable[[Any], None]) -> None:
        self.parts = iter(parts)
        self.work = work
        self.lock = threading.Lock()
        self.closed = False
        self.helping = 0
        self.ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def drain(self) -> None:
        while True:
            with self.lock:
                part = next(self.parts, None)
            if part is None:
                return
            self.work(part)

    def help(self) -> None:
        with self.lock:
            if self.closed:
                return
            self.helping += 1
        try:
            self.drain()
        except BaseException as error:
            self.ended.put(error)
        else:
            self.ended.put(None)

    def close(self) -> list[BaseException]:
        """Waits for the helpers that have begun; their errors."""
        with self.lock:
            self.closed = True
        ends = [self.ended.get() for _ in range(self.helping)]
        return [error for error in ends if error is not None]


def _help(inbox: SimpleQueue[_Shared | None]) -> None:
    while (shared := inbox.get()) is not None:
        shared.help()
        del shared  # nobody's arrays are kept while waiting


def _call_helpers(shared: _Shared, count: int) -> None:
    global _helpers
    with _lock:
        try:
            while _helpers < count:
                threading.Thread(target=_help, args=(_inbox,), name="lanewise", daemon=True).start()
                _helpers += 1
        except RuntimeError:  # no more threads, or the interpreter is shutting down
            count = min(count, _helpers)
        for _ in range(count):
            _inbox.put(shared)


def each(parts: Sequence[Any], work: Callable[[Any], None]) -> None:
    """work(part) for every part, shared between the caller's thread and helpers.

    Helpers wait on a queue of their own: an executor and its futures take three times as long to begin
    and to end, which is as long as a million elements take.
    """
    helpers = min(get_threads(), len(parts)) - 1
    if helpers < 1:
        for part in parts:
            work(part)
        return
    shared = _Shared(parts, work)
    _call_helpers(shared, helpers)
    try:
        shared.drain()
    finally:
        errors = shared.close()
    if errors:
        raise errors[0]
