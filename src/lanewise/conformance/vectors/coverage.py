"""What the elements of a set reach, as text: classes of operands, their cross product, edges of requirements."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from lanewise.conformance.vectors.classes import Split, crosses_of, splits_of
from lanewise.conformance.vectors.corpus import VectorSet

LEAVING = "what is shifted out, beside half of the last place that stays"


def coverage(vectors: VectorSet) -> Iterator[str]:
    """Lines 'class: how many elements with a result'; a class that can have none is named as impossible."""
    splits = splits_of(vectors.function)
    elements = list(zip(*(column.patterns for column in vectors.columns), strict=True))
    good = [elements[at] for at in vectors.predictable]
    yield vectors.title
    yield f"elements: {len(elements)}, of which unpredictable: {len(elements) - len(good)}"
    yield f"each class, and how many of the other {len(good)} elements are of it:"
    for split in splits:
        yield f"{_what(split, vectors)}:"
        tally = Counter(map(split.kind_of, good))
        for kind in split.kinds:
            yield f"  {kind}: {tally[kind] or _impossible(split, kind, vectors)}"
    for cross in crosses_of(splits):
        if len(cross) == 1:
            continue
        yield f"{' x '.join(_what(split, vectors) for split in cross)}:"
        tally_all = Counter(tuple(split.kind_of(element) for split in cross) for element in good)
        every = list(itertools.product(*(split.kinds for split in cross)))
        yield from (f"  {' x '.join(kinds)}: {tally_all[kinds]}" for kinds in every if tally_all[kinds])
        left = len(every) - len(tally_all)
        if left:
            yield f"  not listed: {left} of {len(every)} combinations, which no element with a result can be of"
    reasons = Counter(reason for reason in vectors.broken if reason)
    for requirement in dict.fromkeys(requirement.reason for requirement in vectors.function.requirements):
        sides = "one side only" if requirement in vectors.one_sided else "both sides of its edge"
        yield f"requirement {requirement}: {sides}, the first that fails for {reasons[requirement]}"


def _what(split: Split, vectors: VectorSet) -> str:
    if split.operand is None:
        return LEAVING
    name = vectors.columns[split.operand].name
    return f"{name} as a count" if split.count else name


def _impossible(split: Split, kind: str, vectors: VectorSet) -> str:
    """Why there is no such element: the requirements that all of them break, or that the bits rule it out."""
    elements = zip(*(column.patterns for column in vectors.columns), strict=True)
    broken = dict.fromkeys(
        reason for element, reason in zip(elements, vectors.broken, strict=True) if split.kind_of(element) == kind
    )
    return f"impossible, each breaks {' or '.join(map(repr, broken))}" if broken else "impossible, no bits give it"
