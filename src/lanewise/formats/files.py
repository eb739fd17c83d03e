"""Reading and writing files: size limits, no half-written results."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from lanewise.language.errors import InvalidError

DEFAULT_FILE_BYTES = 2 << 30  # protobuf's own limit


def read_bytes(path: str | os.PathLike[str], limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise InvalidError(f"{path}: the file has {size:,} bytes; the limit is {limit:,}")
            content = file.read(limit + 1)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror or error}") from None
    if len(content) > limit:
        raise InvalidError(f"{path}: the file has more than {limit:,} bytes, the limit")
    return content


def write_whole(path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Lets `write` fill a temporary file beside the target, then moves it into place.

    If anything fails, what was there before stays, and nothing else is left behind.
    """
    target = Path(path)
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
