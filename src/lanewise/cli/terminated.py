"""Signals that ask a command to end do what Ctrl-C does: temporary files and started processes go, then it ends."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """The process was asked to end; `code` is the exit code, as shells have it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = 128 + number


@contextlib.contextmanager
def cleaning_up() -> Iterator[None]:
    """Within, such a signal raises Terminated, once. What somebody handles or ignores already stays as it is."""
    if threading.current_thread() is not threading.main_thread():  # others may not change handlers
        yield
        return
    own = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in own:
        signal.signal(number, _terminated)
    try:
        yield
    finally:
        for number in own:
            signal.signal(number, signal.SIG_DFL)


def _terminated(number: int, _: Any) -> None:
    for other in ENDING:  # what is cleaned up now is not to be disturbed
        if signal.getsignal(other) is _terminated:
            signal.signal(other, signal.SIG_IGN)
    raise Terminated(number)
