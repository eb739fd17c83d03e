"""A target's process: a request with a time limit; death and silence are answers like others."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from threading import Lock
from typing import Any

from lanewise.conformance.targets.names import Target
from lanewise.conformance.targets.protocol import PROTOCOL, Message, line

START_SECONDS = 60.0  # large libraries take a while to be imported
LONGEST_REPLY = 1 << 30


class Crashed(Exception):
    """The process ended instead of answering; the text says how."""


class Hung(Exception):
    """There was no answer in time; the process was ended."""


class Unusable(Exception):
    """The target has never answered: there is nothing to judge."""


class Cancelled(Exception):
    """Nobody wants the answers any more."""


class TargetProcess:
    """Starts on the first request, and again after each death; `replies` counts what it answered."""

    def __init__(self, target: Target, seconds: float) -> None:
        self.target = target
        self.seconds = seconds
        self.starts = 0
        self.replies = 0
        self.about: Message = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._rest = b""
        self._lock = Lock()  # around starting, and around giving up
        self._cancelled = False

    def __enter__(self) -> TargetProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ask(self, message: Message) -> Message:
        """The reply to a request, which is an object; raises Crashed or Hung, or Cancelled."""
        if self._process is None:
            self._start()
        reply = self._exchange(message, self.seconds)
        self.replies += 1
        return reply

    def cancel(self) -> None:
        """Ends the process for good, from any thread; whoever waits for an answer is told so."""
        with self._lock:
            self._cancelled = True
            if self._process is not None:
                _kill(self._process)

    def stop(self) -> None:
        """Ends the process and whatever it has started."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        _kill(process)
        process.wait()
        for stream in (process.stdin, process.stdout, self._errors):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by stop()
        self._rest = b""
        self.starts += 1
        try:
            with self._lock:
                if self._cancelled:
                    raise Cancelled
                self._process = subprocess.Popen(
                    self.target.command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    env={**os.environ, "JAX_PLATFORMS": "cpu", **self.target.environment},
                    start_new_session=True,
                )
        except OSError as error:
            self._errors.close()
            raise Unusable(f"cannot be started: {error.strerror or error}") from None
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        try:
            self.about = self._exchange({"do": "hello", "protocol": PROTOCOL}, max(self.seconds, START_SECONDS))
        except (Crashed, Hung) as error:
            if self.starts > 1:
                raise
            raise Unusable(str(error)) from None
        spoken = self.about.get("protocol")
        if spoken != PROTOCOL:
            self.stop()
            raise Unusable(f"it speaks protocol {spoken!r}, not {PROTOCOL}")

    def _exchange(self, message: Message, seconds: float) -> Message:
        assert self._process is not None and self._process.stdin and self._process.stdout
        to_write, deadline = memoryview(line(message)), time.monotonic() + seconds  # of the whole answer
        reading, writing = self._process.stdout.fileno(), self._process.stdin.fileno()
        parts, length = [self._rest], len(self._rest)
        with selectors.DefaultSelector() as waiting:
            waiting.register(reading, selectors.EVENT_READ)
            waiting.register(writing, selectors.EVENT_WRITE)
            while b"\n" not in parts[-1]:
                left = deadline - time.monotonic()
                if left <= 0:
                    self.stop()
                    raise Hung(f"no answer within {seconds:g} s")
                for key, _ in waiting.select(left):
                    if key.fd == writing:
                        with contextlib.suppress(BrokenPipeError, BlockingIOError):
                            to_write = to_write[os.write(writing, to_write[:65536]) :]
                        if not to_write:
                            waiting.unregister(writing)
                    else:
                        found = os.read(reading, 1 << 20)
                        if not found:
                            raise Cancelled if self._cancelled else Crashed(self._death())
                        parts.append(found)
                        length += len(found)
                        if length > LONGEST_REPLY:
                            self.stop()
                            raise Crashed("it answered without an end")
        reply, _, self._rest = b"".join(parts).partition(b"\n")
        if to_write:
            self.stop()
            raise Crashed("it wrote a line that nobody had asked for")
        try:
            found_message = json.loads(reply)
        except (ValueError, RecursionError):
            found_message = None
        if not isinstance(found_message, dict):
            self.stop()
            raise Crashed(f"its answer is no JSON object: {reply[:80].decode(errors='replace')!r}")
        if "died" in found_message:  # a target that drives a program of its own says how that ended
            raise Crashed(str(found_message["died"])[:500])
        return found_message

    def _death(self) -> str:
        """How the process ended, with the last line that it printed as an error."""
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        code = self._process.poll()
        self._errors.seek(0)
        printed = self._errors.read()[-4000:].decode(errors="replace").strip().splitlines()
        self.stop()
        return ending(code) + (f": {printed[-1][:200]}" if printed else "")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def ending(code: int | None) -> str:
    """A return code in words."""
    if code is None:
        return "closed its output"
    if code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    return f"ended with {code}"
