"""Which operands are worth trying: the ends of a type first, then the edge of each requirement, then random ones.

Everything here is integers and a generator of our own, so that every machine draws the same elements.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from lanewise.language import floats
from lanewise.language.sorts import Sort, from_pattern, to_pattern

Element = tuple[int, ...]  # one pattern for each operand

CROSSED = 256  # elements of a cross product of boundaries, about
DRAWN = 48  # random elements
EDGES = 6  # pairs of neighbours looked for at a requirement's edge
_WORD = (1 << 64) - 1


class Generator:
    """The SplitMix64 sequence that belongs to a text."""

    def __init__(self, seed: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "little")

    def word(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _WORD
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _WORD
        return mixed ^ (mixed >> 31)

    def below(self, limit: int) -> int:
        """A number from 0 up to, but not including, a limit that is small beside 2**64."""
        return self.word() % limit


@cache
def boundaries(sort: Sort) -> tuple[int, ...]:
    """Patterns where rules change, the most telling first."""
    if sort.kind == "bool":
        return (0, 1)
    if sort.kind == "float":
        return _float_boundaries(sort)
    width = sort.width
    numbers = [0, sort.lowest, sort.highest, -1, 1, width - 1, width, 2, sort.lowest + 1, sort.highest - 1, -2]
    numbers += [width + 1, 3, -width, 31, 32, -3, 1 << (width // 2), (1 << (width // 2)) - 1, -(1 << (width // 2))]
    numbers += [1 << (width - 2), (1 << (width - 2)) - 1, 5, 7, -7, 8]
    return tuple(dict.fromkeys(to_pattern(n, sort) for n in numbers if sort.lowest <= n <= sort.highest))


def _float_boundaries(sort: Sort) -> tuple[int, ...]:
    top, one, sign = floats.infinity(sort), floats.encode(1, sort), floats.sign_bit(sort)
    normal = 1 << sort.fraction_bits
    positive = [0, one, top, top - 1, 1, normal, floats.encode(0.5, sort), floats.encode(2, sort)]
    positive += [floats.encode(x, sort) for x in (1.5, 2.5, 3, 127.5, 255, 32767.5)]
    positive += [one + 1, one - 1, normal - 1, 2]
    both = [pattern ^ flip for pattern in positive for flip in (0, sign)]
    return tuple(dict.fromkeys([*both[:6], floats.quiet_nan(sort), *both[6:]]))


def crossed(sorts: Sequence[Sort], limit: int = CROSSED) -> Iterator[Element]:
    """The cross product of boundaries; of long lists only the first values, so that it stays near the limit."""
    lists = [boundaries(sort) for sort in sorts]
    left = limit
    kept: dict[int, tuple[int, ...]] = {}
    # The shortest first: what they do not use up is left for the longer ones.
    for position, k in enumerate(sorted(range(len(lists)), key=lambda k: len(lists[k]))):
        share = max(2, int(left ** (1 / (len(lists) - position)) + 0.5))
        kept[k] = lists[k][:share]
        left = max(1, left // len(kept[k]))
    return itertools.product(*(kept[k] for k in range(len(lists))))


def drawn(sorts: Sequence[Sort], generator: Generator, count: int = DRAWN) -> Iterator[Element]:
    """Random elements: numbers of every length, either sign, and some beside a boundary."""
    for _ in range(count):
        yield tuple(_draw(sort, generator) for sort in sorts)


def _draw(sort: Sort, generator: Generator) -> int:
    edges = boundaries(sort)
    if generator.below(4) == 0:
        return edges[generator.below(len(edges))]
    pattern = generator.word() & ((1 << sort.width) - 1)
    if sort.kind == "float":
        if generator.below(2):  # an exponent near that of 1, where operands meet
            bias = floats.encode(1, sort) >> sort.fraction_bits
            exponent = bias + generator.below(8) - 4
            sign, fraction = pattern & floats.sign_bit(sort), pattern & ((1 << sort.fraction_bits) - 1)
            pattern = sign | exponent << sort.fraction_bits | fraction
        return floats.quiet_nan(sort) if floats.is_nan(pattern, sort) else pattern
    short = pattern >> generator.below(sort.width)
    return ~short & ((1 << sort.width) - 1) if sort.signed and generator.below(2) else short


def at_the_edge(
    holds: Callable[[Element], bool], tried: Iterable[tuple[Element, bool]], sorts: Sequence[Sort]
) -> Iterator[Element]:
    """Pairs of elements one step apart in one operand: the requirement just holds for the one, and not for the other.

    `tried` says for some elements whether it holds. Where they all agree there is no edge to be found.
    """
    good: list[Element] = []
    bad: list[Element] = []
    for element, verdict in tried:
        (good if verdict else bad).append(element)
    pairs = list(itertools.islice(zip(good, bad, strict=False), EDGES // 2))
    pairs += zip(reversed(good[-EDGES:]), reversed(bad[-EDGES:]), strict=False)
    for start, end in pairs[:EDGES]:
        yield from _between(holds, start, end, sorts)


def _between(holds: Callable[[Element], bool], good: Element, bad: Element, sorts: Sequence[Sort]) -> Iterator[Element]:
    """From one that holds to one that fails, an operand at a time; then halving the way along that operand."""
    for k, sort in enumerate(sorts):
        following = (*good[:k], bad[k], *good[k + 1 :])
        if holds(following):
            good = following
            continue
        low, high = _rank(good[k], sort), _rank(bad[k], sort)
        while abs(high - low) > 1:
            middle = (low + high) // 2
            if holds((*good[:k], _at(middle, sort), *good[k + 1 :])):
                low = middle
            else:
                high = middle
        yield (*good[:k], _at(low, sort), *good[k + 1 :])
        yield (*good[:k], _at(high, sort), *good[k + 1 :])
        return


def _rank(pattern: int, sort: Sort) -> int:
    """A number that orders patterns as their values are ordered."""
    if sort.kind == "float":
        sign = floats.sign_bit(sort)
        return -(pattern ^ sign) - 1 if pattern & sign else pattern
    return from_pattern(pattern, sort)


def _at(rank: int, sort: Sort) -> int:
    """The pattern of that rank."""
    if sort.kind == "float":
        pattern = (-rank - 1) | floats.sign_bit(sort) if rank < 0 else rank
        return floats.quiet_nan(sort) if floats.is_nan(pattern, sort) else pattern
    return to_pattern(rank, sort)
