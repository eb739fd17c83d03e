"""Definitions that never leave their type, beside exact arithmetic in wider words: each is the other.

The definition that is proven is the operator's own, as the catalogue has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from lanewise.language.sorts import Sort
from lanewise.language.words import Value, trace
from lanewise.operators.catalogue import find
from lanewise.operators.tosa.exact import EXACT
from lanewise.proof.theorem import Pair, Theorem

GROUP = "definitions"


def theorems() -> Iterator[Theorem]:
    """Whatever one of the two gives, the other gives; so neither refuses what the other computes."""
    for name, version, sort, attributes, exact in EXACT:
        label = f"{name} at TOSA {version}, {sort.name}"
        for text, swapped in (("computes what is exact", False), ("refuses what is not exact", True)):
            pair = partial(_pair, name, version, sort, attributes, exact, swapped)
            yield Theorem(f"{label}, {text}", GROUP, pair)


def _pair(
    name: str, version: str, sort: Sort, attributes: Mapping[str, Any], exact: Callable[..., Value], swapped: bool
) -> Pair:
    record = find("tosa", name, version)
    row = next(row for row in record.rows if row.inputs[0] == sort)
    own = record.function(row.inputs, row.output, attributes)
    other = trace(exact, own.inputs, None)
    return (own, other) if swapped else (other, own)
