"""Classes of elements: ends of types, counts about a word's width, what leaves it to the right; an element for each.

An element without a defined result is of no use to who compares results, so it stands for no class.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lanewise.conformance.vectors.elements import Element, boundaries
from lanewise.language import floats, nodes
from lanewise.language.sorts import ArraySort, Sort, from_pattern, to_pattern
from lanewise.language.words import Function

_SHIFTS = ("shl", "lshr", "ashr")
TRIED = 200  # patterns of an operand for one class
OTHERS = 12  # patterns of an operand of which any class will do
MOST_TRIED = 600  # elements of a class until it counts as impossible
LEAVING = ("nothing", "zeros", "below half", "tie", "above half")


@dataclass(frozen=True)
class Split:
    """One way to tell elements apart: each is of exactly one of the kinds."""

    operand: int | None  # the one that decides, None: several do
    count: bool  # whether the operand says how far something is shifted
    kinds: tuple[str, ...]
    kind_of: Callable[[Element], str]


Cross = tuple[Split, ...]


def splits_of(function: Function) -> list[Split]:
    """One for each operand, then what leaves to the right where one operand is shifted by another."""
    numbers = [k for k, sort in enumerate(function.inputs) if not isinstance(sort, ArraySort)]
    widths = _counts(function)
    found = []
    for place, k in enumerate(numbers):
        sort = function.inputs[k]
        assert isinstance(sort, Sort)
        kinds, classify = _count_kinds(sort, widths[k]) if k in widths else _value_kinds(sort)
        found.append(Split(place, k in widths, kinds, lambda e, at=place, of=classify: of(e[at])))  # type: ignore[misc]
    kinds_shifted = {node.kind for node in nodes.postorder(function.results) if node.kind in ("ashr", "lshr")}
    if len(numbers) == 2 and len(widths) == 1 and kinds_shifted:
        (k,) = widths
        by = numbers.index(k)
        value, distance = function.inputs[numbers[1 - by]], function.inputs[k]
        assert isinstance(value, Sort) and isinstance(distance, Sort)
        leaving = _leaving(1 - by, value, by, distance, signed=value.signed and "ashr" in kinds_shifted)
        found.append(Split(None, False, LEAVING, leaving))
    return found


def crosses_of(splits: Sequence[Split]) -> list[Cross]:
    """Splits that are looked at together: value, count and what leaves; otherwise every two operands."""
    if any(split.operand is None for split in splits):
        return [tuple(splits)]
    return list(itertools.combinations(splits, 2)) if len(splits) > 1 else [(split,) for split in splits]


def completing(
    function: Function, elements: Collection[Element], defined: Callable[[Element], bool]
) -> Iterator[Element]:
    """Elements with a result for those combinations of classes that none of `elements` with a result is of."""
    if any(requirement.condition.kind == "const" for requirement in function.requirements):
        return  # what is fixed breaks it
    splits = splits_of(function)
    sorts = [sort for sort in function.inputs if isinstance(sort, Sort)]
    pools = [_pool(sort, split.count) for sort, split in zip(sorts, splits, strict=False)]
    good = [element for element in elements if defined(element)]
    without: set[tuple[int | None, str]] = set()  # operands' kinds that no element has
    singles = [(split,) for split in splits if split.operand is not None]
    for cross in (*singles, *crosses_of(splits)):
        there = {tuple(split.kind_of(element) for split in cross) for element in good}
        for kinds in itertools.product(*(split.kinds for split in cross)):
            wanted = dict(zip((split.operand for split in cross), kinds, strict=True))
            if kinds in there or not without.isdisjoint(wanted.items()):
                continue
            found = _search(cross, kinds, _choices(wanted, splits, pools, good), defined)
            if found is not None:
                good.append(found)
                yield found
            elif len(cross) == 1:
                without |= wanted.items()


def _choices(
    wanted: Mapping[int | None, str], splits: Sequence[Split], pools: Sequence[list[int]], good: Sequence[Element]
) -> list[list[int]]:
    """Patterns to try for each operand: of the wanted class; where any will do, those of elements with a result."""
    return [
        [pattern for pattern in pool if _kind_of_one(splits[at], at, pattern) == wanted[at]][:TRIED]
        if at in wanted
        else list(dict.fromkeys([*(element[at] for element in good), *pool]))[:OTHERS]
        for at, pool in enumerate(pools)
    ]


def _search(
    cross: Cross, kinds: tuple[str, ...], choices: list[list[int]], defined: Callable[[Element], bool]
) -> Element | None:
    of_kind = (e for e in itertools.product(*choices) if tuple(split.kind_of(e) for split in cross) == kinds)
    return next((element for element in itertools.islice(of_kind, MOST_TRIED) if defined(element)), None)


def _kind_of_one(split: Split, at: int, pattern: int) -> str:
    """The kind that an operand's pattern gives, whatever the other operands are."""
    return split.kind_of((0,) * at + (pattern,))


def _pool(sort: Sort, count: bool) -> list[int]:
    """Patterns to look for an element of a class among: the boundaries, and numbers of every length and few ones."""
    found = list(boundaries(sort))
    if sort.kind == "int":
        numbers = list(range(min(80, sort.highest))) if count else []
        for place in range(sort.width):
            numbers += [1 << place, 3 << place, -1 << place, -3 << place, (1 << place) - 1]
        found += [to_pattern(number, sort) for number in numbers if sort.lowest <= number <= sort.highest]
    return list(dict.fromkeys(found))


def _counts(function: Function) -> dict[int, int]:
    """Operands by which the definition shifts, and the widest word that they shift."""
    found: dict[int, int] = {}
    shifts = [node for node in nodes.postorder(function.results) if node.kind in _SHIFTS]
    for node in shifts:
        for leaf in nodes.postorder([node.args[1]]):
            if leaf.kind == "input" and leaf.data is not None and isinstance(leaf.sort, Sort):
                assert isinstance(node.sort, Sort)
                found[leaf.data] = max(found.get(leaf.data, 0), node.sort.width)
    shifted = {leaf.data for node in shifts for leaf in nodes.postorder([node.args[0]]) if leaf.kind == "input"}
    # What is shifted itself (a product of all operands, say) is a value first.
    return {k: width for k, width in found.items() if k not in shifted}


def _count_kinds(sort: Sort, width: int) -> tuple[tuple[str, ...], Callable[[int], str]]:
    """About a word's width; only what the type of the count can hold."""
    kinds = {"below 0": -1, "0": 0, f"1 to {width - 2}": 1, f"{width - 1}": width - 1, f"{width}": width}
    kinds[f"above {width}"] = width + 1

    def classify(pattern: int) -> str:
        count = from_pattern(pattern, sort)
        if count < 0:
            return "below 0"
        if count in (0, width - 1, width):
            return str(count)
        return f"1 to {width - 2}" if count < width else f"above {width}"

    return tuple(kind for kind, least in kinds.items() if sort.lowest <= least <= sort.highest), classify


def _value_kinds(sort: Sort) -> tuple[tuple[str, ...], Callable[[int], str]]:
    """The ends of a type and what lies between them."""
    if sort.kind == "bool":
        return ("false", "true"), lambda pattern: "true" if pattern else "false"
    if sort.kind == "float":
        kinds = ["zero", "subnormal", "normal", "infinite"]
        every = (*(f"{sign}{kind}" for kind in kinds for sign in "+-"), "NaN")
        return every, lambda pattern: _float_kind(pattern, sort)

    def classify(pattern: int) -> str:
        value = from_pattern(pattern, sort)
        if value == 0:
            return "0"
        if value in (sort.lowest, sort.highest):
            return "lowest" if value == sort.lowest else "highest"
        return "negative" if value < 0 else "positive"

    if sort.signed:
        return ("lowest", "negative", "0", "positive", "highest"), classify
    return ("0", "positive", "highest"), classify


def _float_kind(pattern: int, sort: Sort) -> str:
    if floats.is_nan(pattern, sort):
        return "NaN"
    sign = "-" if pattern & floats.sign_bit(sort) else "+"
    size = pattern & ~floats.sign_bit(sort)
    if size == floats.infinity(sort):
        return f"{sign}infinite"
    return sign + ("zero" if size == 0 else "subnormal" if size < 1 << sort.fraction_bits else "normal")


def _leaving(at: int, value: Sort, by: int, distance: Sort, signed: bool) -> Callable[[Element], str]:
    """How the part that is shifted out compares with half of the last place that stays."""

    def classify(element: Element) -> str:
        places = from_pattern(element[by], distance)
        if places <= 0:
            return "nothing"
        places = min(places, value.width + 1)  # further away the comparison is the same
        number = from_pattern(element[at], value) if signed else element[at]
        rest, half = number & ((1 << places) - 1), 1 << (places - 1)
        if rest == 0:
            return "zeros"
        return "tie" if rest == half else "below half" if rest < half else "above half"

    return classify
