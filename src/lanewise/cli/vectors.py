"""`lanewise vectors`: the frozen corpus as files, and the check that it is what it was."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

from lanewise.conformance.vectors import pins
from lanewise.conformance.vectors.folder import WITHOUT_FLAGS, Selection, compare, write
from lanewise.language.errors import InvalidError, brief

SHOWN = 20  # differences that are printed


def vectors_command(
    folder: Path | None, format: str | None, filter: str | None, version: str | None, check: bool, pin: bool
) -> int:
    """Writes, checks or pins; the exit code is 1 if a check finds a difference."""
    if check and folder is not None:
        if format is not None or filter is not None or version is not None:
            raise InvalidError(f"{folder}: its index says what it holds; leave --format, --filter and --version out")
        return _check_folder(folder)
    if (check or pin) and format is not None:
        raise InvalidError(
            f"--format {brief(format)}: what is pinned is the corpus, which has no format; leave --format out"
        )
    selection = Selection(filter, version)
    if pin:
        return _pin(selection)
    if check:
        return _check_pins(selection)
    if folder is None or format is None:
        raise InvalidError("vectors: give a folder and --format, or --check")
    counts = write(folder, format, selection)
    print(f"{folder}: {counts.sets} sets, {counts.elements} elements in {counts.files} files")
    if format in WITHOUT_FLAGS:
        print(f"left out, since {format} folders cannot say so: {counts.left_out} unpredictable elements")
        if counts.sets_left_out:
            print(f"left out: {counts.sets_left_out} sets that the format cannot hold, or without a defined element")
    else:
        print(f"of these {counts.unpredictable} unpredictable elements, which are flagged")
    return 0


def _check_folder(folder: Path) -> int:
    count, found = compare(folder)
    _print(found)
    print(f"{folder}: {count} files compared, {len(found)} differences")
    return 1 if found else 0


def _check_pins(selection: Selection) -> int:
    kept = pins.pinned()
    now = list(pins.fresh(selection.records, selection.wants))
    if not now:
        raise InvalidError(f"--filter {selection.filter}: no row matches")
    found = list(pins.differences(now, kept))
    if selection.filter is None and selection.version is None:
        there = {one.name for one in now}
        found += [f"{name}: pinned, but not there any more" for name in kept if name not in there]
    _print(found)
    elements = sum(one.elements for one in now)
    print(f"{len(now)} rows, {elements} elements: {len(now) - len(found)} as pinned, {len(found)} differ")
    return 1 if found else 0


def _pin(selection: Selection) -> int:
    if selection.filter is not None or selection.version is not None:
        raise InvalidError("--pin: the file holds the whole corpus; leave --filter and --version out")
    target = Path(str(importlib.resources.files(pins.__package__ or "") / "pinned.txt"))
    now = list(pins.fresh(selection.records, selection.wants))
    pins.write_pins(target, now)
    print(f"{target}: {len(now)} rows, {sum(one.elements for one in now)} elements pinned")
    return 0


def _print(found: list[str]) -> None:
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"… and {len(found) - SHOWN} more")
