"""A rule of the simplifier: two sides in the words of the language, and what of them is seen at a glance.

The left side, traced once, is a pattern of kinds that holds for all widths. Where it fits, the rule
is traced again for the sorts at hand, which settles its literal constants and its condition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lanewise.language.nodes import Node, node
from lanewise.language.sorts import Sort, bits, boolean, carrier, f16, integer
from lanewise.language.words import Function, Value, literal, reinterpret, require, trace

COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "eq"})

# What the parameters of a rule stand for, by their first letter: a sort, and whether it is a constant.
WIDE, MIDDLE, NARROW = integer(32, True), integer(16, True), integer(8, True)  # of the traced pattern
PLACEHOLDERS: Mapping[str, tuple[Sort, bool]] = {
    "x": (WIDE, False), "y": (WIDE, False), "z": (WIDE, False),
    "c": (WIDE, True), "d": (WIDE, True), "e": (WIDE, True),
    "m": (MIDDLE, False),
    "n": (NARROW, False), "o": (NARROW, False),
    "p": (boolean, False), "q": (boolean, False),
}  # fmt: skip
SORTS: Mapping[str, Sort] = {"wide": WIDE, "middle": MIDDLE, "narrow": NARROW}  # parameters that are sorts


@dataclass(frozen=True)
class Sorts:
    """The sorts that a rule is read at; wide > middle > narrow where it has several."""

    wide: Sort
    middle: Sort
    narrow: Sort

    def of(self, sort: Sort) -> Sort:
        """The sort that stands for one of the traced pattern's."""
        return {WIDE: self.wide, MIDDLE: self.middle, NARROW: self.narrow}.get(sort, sort)


@dataclass(frozen=True, eq=False)
class Rule:
    """`left` may be replaced by `right` where `when` holds for the constants.

    `kinds` says what `wide` may be: "bits" (integers), "bool", "float". `ordered`: the operands of
    commutative words stand as written. `each`: every pattern of the constant c that meets `when`, of a
    width, where the rule is proven for one after the other.
    """

    name: str
    left: Callable[..., Value]
    right: Callable[..., Value]
    when: Callable[..., Value] | None = None
    kinds: tuple[str, ...] = ("bits",)
    ordered: bool = False
    each: Callable[[int], Sequence[int]] | None = None

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The placeholders, in the order of the left side."""
        return tuple(name for name in _names(self.left) if name not in SORTS)

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Which widths occur: ("wide",), with "narrow", or with "middle" and "narrow"."""
        names = _names(self.left)
        used = {sort for name in names for sort in (SORTS.get(name) or PLACEHOLDERS[name][0],)}
        return tuple(name for name, sort in SORTS.items() if sort in used)

    @cached_property
    def pattern(self) -> Pattern:
        """The left side as kinds, whatever the widths."""
        operands = [PLACEHOLDERS[name][0] for name in self.parameters]
        inputs = [node("input", data=k, sort=carrier(sort)) for k, sort in enumerate(operands)]
        values = map(Value, inputs, operands)
        left = self.left(*[SORTS.get(name) or next(values) for name in _names(self.left)]).node
        constants = [PLACEHOLDERS[name][1] for name in self.parameters]
        return _pattern(left, constants, itertools.count(), self.ordered)

    @cached_property
    def operands(self) -> int:
        return len(self.parameters)

    def functions(self, width: int, narrow: int = 0, middle: int = 0) -> tuple[Function, Function]:
        """Both sides for integers of a width; the condition is a requirement of the left one."""
        middle = middle or max(1, width // 2)
        narrow = narrow or (max(1, width // 2) if "middle" not in self.levels else max(1, middle // 2))
        return self.at(Sorts(integer(width, True), integer(middle, True), integer(narrow, True)))

    def cases(self, width: int) -> Iterator[tuple[str, Function, Function]]:
        """Both sides for every choice of sorts with that width as the widest; booleans come with width 1."""
        if self.each is not None:
            yield from self._one_by_one(width, self.each(width))
        elif "bits" in self.kinds:
            for narrow, middle in self._widths(width):
                text = "" if not narrow else f", {narrow}" if not middle else f", {middle}, {narrow}"
                yield (f"{self.name}, {width}{text} bits", *self.functions(width, narrow, middle))
        if "float" in self.kinds and width == 16:
            yield (f"{self.name}, float16", *self.at(Sorts(f16, f16, f16)))
        if "bool" in self.kinds and width == 1:
            yield (f"{self.name}, booleans", *self.at(Sorts(boolean, boolean, boolean)))

    def _one_by_one(self, width: int, patterns: Sequence[int]) -> Iterator[tuple[str, Function, Function]]:
        """The rule for each constant that meets the condition, and that there are no others."""
        word, bit = integer(width, True), integer(width, False)
        sorts = Sorts(word, word, word)
        for pattern in patterns:
            known = {"c": reinterpret(literal(pattern, bit), word)}
            left, right = (self._side(words, sorts, None, known) for words in (self.left, self.right))
            yield f"{self.name}, {width} bits, c = {pattern:#x}", left, right
        when = self.when
        assert when is not None

        def listed(c: Value) -> Value:
            require(when(c), self.name)
            found = literal(False, boolean)
            for pattern in patterns:
                found = found | (reinterpret(c, bit) == pattern)
            return found

        yield (
            f"{self.name}, {width} bits, no other c",
            trace(listed, (word,), boolean),
            trace(lambda c: literal(True, boolean), (word,), boolean),
        )

    def _widths(self, width: int) -> Iterable[tuple[int, int]]:
        if "narrow" not in self.levels and "middle" not in self.levels:
            return [(0, 0)]
        below = range(1, width) if width <= 4 else [w for w in (4, 8, 16, 32) if w < width]
        if "middle" not in self.levels:
            return [(narrow, 0) for narrow in below]
        return [(narrow, middle) for narrow in below for middle in below if narrow < middle]

    def at(self, sorts: Sorts) -> tuple[Function, Function]:
        """Both sides for some sorts; the condition is a requirement of the left one."""
        return self.left_at(sorts), self.right_at(sorts)

    def left_at(self, sorts: Sorts) -> Function:
        return self._side(self.left, sorts, self.when)

    def right_at(self, sorts: Sorts) -> Function:
        return self._side(self.right, sorts, None)

    def _side(
        self,
        words: Callable[..., Value],
        sorts: Sorts,
        when: Callable[..., Value] | None,
        known: Mapping[str, Value] | None = None,
    ) -> Function:
        known = known or {}
        free = [name for name in self.parameters if name not in known]
        operands = tuple(sorts.of(PLACEHOLDERS[name][0]) for name in free)
        results: list[Value] = []

        def meaning(*values: Value) -> Value:
            named: dict[str, Any] = {**known, **dict(zip(free, values, strict=True))}
            named.update((name, sorts.of(sort)) for name, sort in SORTS.items())
            if when is not None:
                require(when(**{name: named[name] for name in _names(when)}), self.name)
            results.append(words(**{name: named[name] for name in _names(words)}))
            return values[0]

        made = trace(meaning, operands, operands[0])
        (result,) = results
        return Function(operands, (result.element,), (result.node,), made.requirements)


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


# --- patterns -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pattern:
    """A node of a left side."""

    kind: str  # of nodes, or "word", "constant", "literal"
    level: int  # which of the rule's sorts it has: a position in LEVELS
    arguments: tuple[Pattern, ...] = ()
    data: int = 0  # the number of an operand or a literal
    swaps: bool = False  # the arguments may stand in either order

    def may_be(self, kind: str) -> bool:
        """Whether a node of that kind is not ruled out at once."""
        return self.kind in ("word", kind) or (kind == "const" and self.kind in ("constant", "literal"))


LEVELS = (bits(WIDE.width), bits(MIDDLE.width), bits(NARROW.width), boolean)


def _pattern(current: Node, constants: Sequence[bool], literals: Iterator[int], ordered: bool) -> Pattern:
    assert isinstance(current.sort, Sort)
    level = LEVELS.index(current.sort)
    if current.kind == "input":
        assert current.data is not None
        return Pattern("constant" if constants[current.data] else "word", level, data=current.data)
    if current.kind == "const":
        return Pattern("literal", level, data=next(literals))
    arguments = tuple(_pattern(arg, constants, literals, ordered) for arg in current.args)
    swaps = current.kind in COMMUTATIVE and not ordered and arguments[0] != arguments[1]
    # Constants stand right already.
    swaps = swaps and arguments[1].kind not in ("constant", "literal")
    return Pattern(current.kind, level, arguments, 0, swaps)


def literals_of(current: Node) -> list[Node]:
    """The constants of a left side, in the order in which its pattern numbers them."""
    if current.kind == "const":
        return [current]
    return [literal for arg in current.args for literal in literals_of(arg)]


__all__ = ["LEVELS", "Pattern", "Rule", "Sorts", "literals_of"]
