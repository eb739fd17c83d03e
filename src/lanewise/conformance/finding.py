"""Finding tests: the folders below one that hold a `desc.json`, also where links lead to them."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from lanewise.language.errors import InvalidError

DESCRIPTION = "desc.json"


def find_tests(folder: Path, wanted: str | None = None) -> list[Path]:
    """The folders below that hold a test, in order; `wanted` is a regular expression on their path."""
    if not folder.is_dir():
        raise InvalidError(f"{folder}: no such folder")
    try:
        pattern = re.compile(wanted or "")
    except re.error as error:
        raise InvalidError(f"--filter {wanted!r}: {error}") from None
    return [path for path in sorted(_tests(folder)) if pattern.search(path.relative_to(folder).as_posix())]


def _tests(top: Path) -> Iterator[Path]:
    """A description that is a dangling link counts, and so does a folder that cannot be listed: running it says why.

    A link to a folder is followed once, so that links to each other do not multiply, and never into
    a folder that it lies in. What is no link comes first, so that tests have their own paths.
    """
    followed: set[tuple[int, int]] = set()
    waiting: deque[tuple[Path, tuple[Path, ...]]] = deque([(top, ())])  # with the real folders that links left
    while waiting:
        folder, left = waiting.popleft()
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            yield folder
            continue
        if DESCRIPTION in names:
            yield folder
        for name in names:
            path = folder / name
            if not os.path.isdir(path):
                continue
            if not path.is_symlink():
                waiting.appendleft((path, left))
                continue
            around = (*left, folder.resolve())
            target, info = path.resolve(), path.lstat()
            link = (info.st_dev, info.st_ino)
            if link not in followed and not any(place.is_relative_to(target) for place in around):
                followed.add(link)
                waiting.append((path, around))
