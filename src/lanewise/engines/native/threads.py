"""How many threads large work is split over, and the splitting itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

VARIABLE = "LANEWISE_THREADS"

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_count: int | None = None


def get_threads() -> int:
    """The number of threads in use: as set, else LANEWISE_THREADS, else the processors this process may use."""
    global _count
    if _count is None:
        given = os.environ.get(VARIABLE, "")
        if given and (not given.isdecimal() or int(given) < 1):
            raise ValueError(f"{VARIABLE} is {given!r}; allowed: a whole number from 1 on")
        if given:
            _count = int(given)
        else:
            available = getattr(os, "sched_getaffinity", None)
            _count = len(available(0)) if available else os.cpu_count() or 1
    return _count


def set_threads(count: int) -> None:
    """Use `count` threads for large work from now on (1: none but the caller's)."""
    global _count, _pool
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"threads: {count!r}; allowed: a whole number from 1 on")
    with _lock:
        _count = count
        if _pool is not None:
            _pool.shutdown(wait=False)
            _pool = None


def _workers() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(1, get_threads() - 1), thread_name_prefix="lanewise")
        return _pool


def _forget() -> None:
    """A forked child has none of its parent's threads: it makes its own when it needs them."""
    global _pool, _lock
    _pool, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def each(parts: Sequence[Any], work: Callable[[Any], None]) -> None:
    """work(part) for every part, shared between the caller's thread and the pool."""
    helpers = min(get_threads(), len(parts)) - 1
    if helpers < 1:
        for part in parts:
            work(part)
        return
    queue = iter(parts)
    turn = threading.Lock()

    def drain() -> None:
        while True:
            with turn:
                part = next(queue, None)
            if part is None:
                return
            work(part)

    pool = _workers()
    futures: list[Future[None]] = []
    for _ in range(helpers):
        try:
            futures.append(pool.submit(drain))
        except RuntimeError:  # the interpreter is shutting down, or the pool was just replaced
            break
    try:
        drain()
    finally:
        wait(futures)
    for future in futures:
        future.result()
