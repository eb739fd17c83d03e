"""A folder that is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without such locks: what killed writers left stays
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place at the end; if anything fails, all is as it was.

    What was in `folder` before is deleted then: whether it may be is for the caller to know. What a writer of the
    same folder left that was killed is put right first.
    """
    target = Path(os.path.realpath(folder))
    missing = [parent for parent in target.parents if not parent.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    _put_right(target)
    tail = f"{target.name[:200]}.{secrets.token_hex(4)}"
    fresh, old = target.parent / f".{tail}.part", target.parent / f".{tail}.old"
    ours = None
    try:
        fresh.mkdir()
        ours = fresh.stat()
        with _locked(fresh):
            yield fresh
            if target.exists():
                target.rename(old)
            fresh.rename(target)
    except BaseException:
        _as_it_was(fresh, target, old, ours)
        with contextlib.suppress(OSError):
            for parent in missing:
                parent.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def _as_it_was(fresh: Path, target: Path, old: Path, ours: os.stat_result | None) -> None:
    """Takes the new folder out again and moves back what was there, by what lies where now.

    A signal may come when a move has been made but has not yet returned, so which moves were begun says too little.
    """
    with contextlib.suppress(OSError):  # what cannot be moved stays, for the next writer to put right
        if ours is not None and target.exists() and os.path.samestat(target.stat(), ours):
            target.rename(fresh)
        if old.exists():
            if target.exists():  # of another writer, who found nothing there: that folder has taken the old one's place
                shutil.rmtree(old, ignore_errors=True)
            else:
                old.rename(target)
    shutil.rmtree(fresh, ignore_errors=True)


def _put_right(target: Path) -> None:
    """Removes what killed writers of a folder left beside it, and puts back what one of them had moved away."""
    if fcntl is None:
        return
    left = re.compile(rf"(\.{re.escape(target.name[:200])}\.[0-9a-f]{{8}})\.(part|old)")
    found = {match[1] for path in target.parent.iterdir() if (match := left.fullmatch(path.name))}
    for stem in sorted(found):
        part, old = target.parent / f"{stem}.part", target.parent / f"{stem}.old"
        with contextlib.suppress(OSError):
            if part.exists():
                with _locked(part, wait=False):  # who still writes has it
                    shutil.rmtree(part, ignore_errors=True)
            if old.exists() and not target.exists():
                old.rename(target)
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Holds a lock on a folder, which ends with the process at the latest; BlockingIOError if somebody else has it."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            if not wait:
                raise
        yield
    finally:
        os.close(handle)
