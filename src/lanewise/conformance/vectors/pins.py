"""The corpus held to what it was: one hash for each row of each record, in a file that is kept."""

from __future__ import annotations

import hashlib
import importlib.resources
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lanewise.conformance.vectors.corpus import Corpus, VectorSet, row_name
from lanewise.conformance.vectors.tables import summary
from lanewise.formats.files import write_whole
from lanewise.language.errors import InvalidError
from lanewise.language.operator import Operator

DIGITS = 16  # hexadecimal, of a SHA-256


@dataclass(frozen=True)
class Pin:
    """One row: how many sets and elements it has, and the hash of them all."""

    name: str
    sets: int
    elements: int
    digest: str

    def line(self) -> str:
        return f"{self.digest} {self.sets} {self.elements} {self.name}"


def pinned() -> dict[str, Pin]:
    """The kept file, by row."""
    text = (importlib.resources.files(__package__) / "pinned.txt").read_text("utf-8")
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        digest, sets, elements, name = line.split(" ", 3)
        if name in found:
            raise InvalidError(f"pinned.txt, line {number}: {name} is there twice")
        found[name] = Pin(name, int(sets), int(elements), digest)
    return found


def pin_of(name: str, sets: Iterable[VectorSet]) -> Pin:
    """The hash of a row's sets: names, what is fixed, every operand, every defined result, every flag."""
    whole = hashlib.sha256()
    count = elements = 0
    for vectors in sets:
        whole.update(digest_of(vectors).encode())
        count += 1
        elements += len(vectors.results)
    return Pin(name, count, elements, whole.hexdigest()[:DIGITS])


def digest_of(vectors: VectorSet) -> str:
    """The hash of one set, from text that is the same on every machine."""
    about = summary(vectors)
    content = [
        [about[key] for key in ("name", "row", "attributes", "fixed")],
        [[column.name, column.sort.name, column.patterns] for column in vectors.columns],
        vectors.results,
        [int(bool(reason)) for reason in vectors.broken],
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def fresh(records: Iterable[Operator], wanted: Callable[[str, str], bool]) -> Iterator[Pin]:
    """What the rows of these records give now, as far as one of a row's sets is wanted."""
    corpus = Corpus()
    for record in records:
        for row in record.rows:
            name = row_name(record, row)
            if next(corpus.sets(record, row, partial(wanted, name)), None) is not None:
                yield pin_of(name, corpus.sets(record, row))


def differences(now: Iterable[Pin], kept: dict[str, Pin]) -> Iterator[str]:
    """What has changed in the rows that are looked at, one line a row."""
    for pin in now:
        other = kept.get(pin.name)
        if other is None:
            yield f"{pin.name}: not pinned"
        elif pin != other:
            counts = f"{other.elements} elements in {other.sets} sets → {pin.elements} in {pin.sets}"
            yield f"{pin.name}: differs from what is pinned ({counts}; {other.digest} → {pin.digest})"


def write_pins(path: Path, pins: Iterable[Pin]) -> None:
    """Writes the file, whole or not at all."""
    text = "".join(pin.line() + "\n" for pin in pins)
    write_whole(path, lambda file: file.write(text.encode()))
