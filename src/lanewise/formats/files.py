"""Reading and writing files: size limits, no half-written results."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from lanewise.language.errors import InvalidError, brief

DEFAULT_FILE_BYTES = 2 << 30  # protobuf's own limit


def path_of(value: Any, who: str) -> Path:
    """A path that the system takes; `who` names the function in messages."""
    try:
        path = Path(value)
    except TypeError:
        raise InvalidError(f"{who}: {brief(value)} is no path; give a string or a pathlib.Path") from None
    if "\0" in str(path):
        raise InvalidError(f"{who}: the path {brief(value)} holds a zero byte")
    return path


def opened(path: str | os.PathLike[str], *flags: str) -> tuple[int, os.stat_result]:
    """A handle to read from, and what it leads to; never waits for a pipe's writer. Flags count where they exist."""
    wanted = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_BINARY", *flags):
        wanted |= getattr(os, name, 0)
    handle = os.open(path, wanted)
    return handle, os.fstat(handle)


def read_bytes(path: str | os.PathLike[str], limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes."""
    path = path_of(path, "reading")
    try:
        handle, info = opened(path)
        try:
            if not stat.S_ISREG(info.st_mode):
                raise InvalidError(f"{path}: is no regular file")
            if info.st_size > limit:
                raise InvalidError(f"{path}: the file has {info.st_size:,} bytes; the limit is {limit:,}")
            with os.fdopen(handle, "rb", closefd=False) as file:
                content = file.read(limit + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror or error}") from None
    if len(content) > limit:
        raise InvalidError(f"{path}: the file has more than {limit:,} bytes, the limit")
    return content


def write_whole(path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Lets `write` fill a temporary file beside the target, then moves it into place.

    If anything fails, what was there before stays, and nothing else is left behind.
    """
    target = path_of(path, "writing")
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise InvalidError(f"{path}: {error.strerror or error}") from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
