"""What the elements of a set reach, as text: classes of operands, their cross product, edges of requirements."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.language import floats, nodes
from lanewise.language.sorts import ArraySort, Sort, from_pattern

_SHIFTS = ("shl", "lshr", "ashr")
MOST_CROSSED = 3  # operands whose classes are listed together


def coverage(vectors: VectorSet) -> Iterator[str]:
    """Lines 'what: how many elements'; a class of its own kind that no element reaches has 0."""
    yield vectors.title
    yield f"elements: {len(vectors.results)}, of which unpredictable: {sum(map(bool, vectors.broken))}"
    counts = _counts(vectors)
    free = [k for k, sort in enumerate(vectors.function.inputs) if not isinstance(sort, ArraySort)]
    classes: list[tuple[str, list[str], list[str]]] = []  # what is looked at, its classes, the class of each element
    for k, column in zip(free, vectors.columns, strict=True):
        width = counts.get(k)
        possible, classify = _count_classes(column.sort, width) if width else _value_classes(column.sort)
        what = f"{column.name} as a count" if width else column.name
        classes.append((what, possible, [classify(pattern) for pattern in column.patterns]))
    rounding = _rounding(vectors, free, counts)
    if rounding is not None:
        classes.append(("rounding bit (the last one shifted out)", ["none", "0", "1"], rounding))
    for what, possible, found in classes:
        yield f"{what}:"
        tally = Counter(found)
        yield from (f"  {kind}: {tally[kind]}" for kind in possible)
    shown = classes[:MOST_CROSSED]
    if len(shown) > 1:
        yield f"{' x '.join(what for what, *_ in shown)}:"
        tally_all = Counter(zip(*(found for *_, found in shown), strict=True))
        for kinds in itertools.product(*(possible for _, possible, _ in shown)):
            yield f"  {' x '.join(kinds)}: {tally_all[kinds]}"
    reasons = Counter(reason for reason in vectors.broken if reason)
    for requirement in dict.fromkeys(requirement.reason for requirement in vectors.function.requirements):
        sides = "one side only" if requirement in vectors.one_sided else "both sides of its edge"
        yield f"requirement {requirement}: {sides}, the first that fails for {reasons[requirement]}"


def _counts(vectors: VectorSet) -> dict[int, int]:
    """Operands by which the definition shifts, and the widest word that they shift."""
    found: dict[int, int] = {}
    for node in nodes.postorder(vectors.function.results):
        if node.kind in _SHIFTS and node.args[1].kind != "const":
            for leaf in nodes.postorder([node.args[1]]):
                if leaf.kind == "input" and leaf.data is not None and isinstance(leaf.sort, Sort):
                    assert isinstance(node.sort, Sort)
                    found[leaf.data] = max(found.get(leaf.data, 0), node.sort.width)
    shifted = {
        leaf.data
        for node in nodes.postorder(vectors.function.results)
        if node.kind in _SHIFTS
        for leaf in nodes.postorder([node.args[0]])
        if leaf.kind == "input"
    }
    # What is shifted itself (a product of all operands, say) is a value first.
    return {k: width for k, width in found.items() if k not in shifted}


def _count_classes(sort: Sort, width: int) -> tuple[list[str], Callable[[int], str]]:
    names = ["below 0"] if sort.signed else []
    names += ["0", f"1 to {width - 2}", f"{width - 1}", f"{width}", f"above {width}"]

    def classify(pattern: int) -> str:
        count = from_pattern(pattern, sort)
        if count < 0:
            return "below 0"
        if count in (0, width - 1, width):
            return str(count)
        return f"1 to {width - 2}" if count < width else f"above {width}"

    return names, classify


def _value_classes(sort: Sort) -> tuple[list[str], Callable[[int], str]]:
    if sort.kind == "bool":
        return ["false", "true"], lambda pattern: "true" if pattern else "false"
    if sort.kind == "float":
        kinds = ["zero", "subnormal", "normal", "infinite"]
        return [*(f"{sign}{kind}" for kind in kinds for sign in "+-"), "NaN"], lambda pattern: _float_class(
            pattern, sort
        )
    names = ["lowest", "negative", "0", "positive", "highest"] if sort.signed else ["0", "positive", "highest"]

    def classify(pattern: int) -> str:
        value = from_pattern(pattern, sort)
        if value == 0:
            return "0"
        if value in (sort.lowest, sort.highest):
            return "lowest" if value == sort.lowest else "highest"
        return "negative" if value < 0 else "positive"

    return names, classify


def _float_class(pattern: int, sort: Sort) -> str:
    if floats.is_nan(pattern, sort):
        return "NaN"
    sign = "-" if pattern & floats.sign_bit(sort) else "+"
    size = pattern & ~floats.sign_bit(sort)
    if size == floats.infinity(sort):
        return f"{sign}infinite"
    return sign + ("zero" if size == 0 else "subnormal" if size < 1 << sort.fraction_bits else "normal")


def _rounding(vectors: VectorSet, free: list[int], counts: dict[int, int]) -> list[str] | None:
    """The last bit that leaves to the right, where one operand is shifted right by another."""
    if len(vectors.columns) != 2 or len(counts) != 1 or not _shifts_right(vectors):
        return None
    count = next(iter(counts))
    value, by = (vectors.columns[free.index(k)] for k in (next(k for k in free if k != count), count))
    found = []
    for pattern, distance in zip(value.patterns, by.patterns, strict=True):
        places = from_pattern(distance, by.sort)
        found.append(str(from_pattern(pattern, value.sort) >> (places - 1) & 1) if 0 < places <= 128 else "none")
    return found


def _shifts_right(vectors: VectorSet) -> bool:
    return any(node.kind in ("ashr", "lshr") for node in nodes.postorder(vectors.function.results))
