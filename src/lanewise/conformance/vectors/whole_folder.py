"""A folder that is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place at the end; if anything fails, all is as it was.

    What was in `folder` before is deleted then: whether it may be is for the caller to know.
    """
    target = Path(os.path.realpath(folder))
    missing = [parent for parent in target.parents if not parent.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    tail = f"{target.name[:200]}.{secrets.token_hex(4)}"
    fresh, old = target.parent / f".{tail}.part", target.parent / f".{tail}.old"
    try:
        fresh.mkdir()
        yield fresh
        _exchange(fresh, target, old)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        with contextlib.suppress(OSError):
            for parent in missing:
                parent.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def _exchange(fresh: Path, target: Path, old: Path) -> None:
    """Moves what is there out of the way and the new folder in; back, if that fails."""
    there = target.exists()
    if there:
        target.rename(old)
    try:
        fresh.rename(target)
    except BaseException:
        if there:
            old.rename(target)
        raise
