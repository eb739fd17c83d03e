"""Integer arithmetic that wraps, in TOSA's operators, none of which may leave its type.

Integers without sign are the bits of the signed type of their width. A number is a tuple of parts: here one
word, in `pairs.py` two. Every rule for integers is written once, over `Words`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from lanewise.language.sorts import Sort, integer
from lanewise.lowering.steps import Steps, Term

Parts = tuple[Term, ...]


class Words(ABC):
    """Numbers of the integer type `sort`. A count is one word; a key is what the signed order is asked of."""

    def __init__(self, t: Steps, sort: Sort) -> None:
        self.t = t
        self.sort = sort

    def each(self, operator: str, *operands: Parts) -> Parts:
        """An operator that treats every bit, or every part, by itself."""
        return tuple(self.t(operator, *parts) for parts in zip(*operands, strict=True))

    def select(self, condition: Term, then: Parts, other: Parts) -> Parts:
        return tuple(self.t("SELECT", condition, a, b) for a, b in zip(then, other, strict=True))

    @abstractmethod
    def constant(self, number: int) -> Parts: ...

    @abstractmethod
    def add(self, a: Parts, b: Parts) -> Parts: ...

    @abstractmethod
    def subtract(self, a: Parts, b: Parts) -> Parts: ...

    @abstractmethod
    def multiply(self, a: Parts, b: Parts) -> Parts:
        """The low bits of the product."""

    @abstractmethod
    def negate(self, a: Parts) -> Parts: ...

    @abstractmethod
    def absolute(self, a: Parts) -> Parts:
        """Of a signed number; the lowest stays as it is."""

    @abstractmethod
    def count(self, a: Parts) -> Term:
        """The word that tells a count of places which is not `beyond`."""

    @abstractmethod
    def beyond(self, a: Parts) -> Term:
        """Whether a count, read without sign, is the width or more."""

    @abstractmethod
    def shift_left(self, a: Parts, count: Term) -> Parts:
        """Counts are below the width."""

    @abstractmethod
    def shift_right(self, a: Parts, count: Term) -> Parts:
        """Copies of the sign come in, zeros for a type without; counts are below the width."""

    @abstractmethod
    def nonzero(self, a: Parts) -> Term: ...

    @abstractmethod
    def equal(self, a: Parts, b: Parts) -> Term: ...

    @abstractmethod
    def key(self, a: Parts) -> Parts:
        """The number as one whose signed order is the number's own."""

    @abstractmethod
    def number(self, key: Parts) -> Parts:
        """The number of a key."""

    @abstractmethod
    def greater(self, a: Parts, b: Parts) -> Term:
        """Of keys."""

    @abstractmethod
    def at_least(self, a: Parts, b: Parts) -> Term:
        """Of keys."""

    @abstractmethod
    def larger(self, a: Parts, b: Parts) -> Parts:
        """Of keys."""

    @abstractmethod
    def smaller(self, a: Parts, b: Parts) -> Parts:
        """Of keys."""


class OneWord(Words):
    """Numbers in one word. `word` is the narrowest type that TOSA adds and compares; below, numbers go through it."""

    def __init__(self, t: Steps, sort: Sort, word: Sort) -> None:
        super().__init__(t, sort)
        self.word = word
        self.own = integer(sort.width, True)
        self.narrow = sort.width < word.width

    def constant(self, number: int) -> Parts:
        return (self.t.const(number, self.own),)

    def roomy(self, term: Term) -> Term:
        """The number in the word, with room around it (for a narrow type)."""
        wide = self.bits(term)
        return wide if self.sort.signed else self.t("BITWISE_AND", wide, self.sort.highest)

    def bits(self, term: Term) -> Term:
        """The word with the number's bits below; what stands above them is of no interest."""
        return self.t("CAST", term, output_type=self.word.name)

    def low(self, term: Term) -> Term:
        """The low bits of a word."""
        return term if term.sort == self.own else self.t("CAST", term, output_type=self.own.name)

    def add(self, a: Parts, b: Parts) -> Parts:
        (x,), (y,) = a, b
        if self.narrow:
            return (self.low(self.t("ADD", self.bits(x), self.bits(y))),)
        # Summands of different sign have a sum. Where the signs agree, x's top bit is turned over, and the sum's back.
        differ = self.t("BITWISE_XOR", x, y)
        top = self.t("BITWISE_AND", self.t("BITWISE_NOT", differ), self.own.lowest)
        total = self.t("ADD", self.t("BITWISE_XOR", x, top), y)
        return (self.t("BITWISE_XOR", total, top),)

    def subtract(self, a: Parts, b: Parts) -> Parts:
        (x,), (y,) = a, b
        if self.narrow:
            return (self.low(self.t("SUB", self.bits(x), self.bits(y))),)
        # As for sums, but here it is numbers of the same sign that have a difference.
        top = self.t("BITWISE_AND", self.t("BITWISE_XOR", x, y), self.own.lowest)
        difference = self.t("SUB", self.t("BITWISE_XOR", x, top), y)
        return (self.t("BITWISE_XOR", difference, top),)

    def multiply(self, a: Parts, b: Parts) -> Parts:
        return (product(self.t, a[0], b[0]),)

    def negate(self, a: Parts) -> Parts:
        return (product(self.t, a[0], -1),)

    def absolute(self, a: Parts) -> Parts:
        if self.narrow:
            return (self.low(self.t("ABS", self.bits(a[0]))),)
        return (self.t("MAXIMUM", a[0], self.negate(a)[0]),)

    def count(self, a: Parts) -> Term:
        return a[0]

    def beyond(self, a: Parts) -> Term:
        return self.t("CAST", self.t("BITWISE_AND", a[0], -self.sort.width), output_type="bool")

    def shift_left(self, a: Parts, count: Term) -> Parts:
        return (self.t("LOGICAL_LEFT_SHIFT", a[0], count),)

    def shift_right(self, a: Parts, count: Term) -> Parts:
        return (self.t("ARITHMETIC_RIGHT_SHIFT" if self.sort.signed else "LOGICAL_RIGHT_SHIFT", a[0], count),)

    def nonzero(self, a: Parts) -> Term:
        return self.t("CAST", a[0], output_type="bool")

    def equal(self, a: Parts, b: Parts) -> Term:
        if self.narrow:
            return self.t("EQUAL", self.bits(a[0]), self.bits(b[0]))
        return self.t("EQUAL", a[0], b[0])

    def key(self, a: Parts) -> Parts:
        if self.narrow:
            return (self.roomy(a[0]),)
        return a if self.sort.signed else (self.t("BITWISE_XOR", a[0], self.own.lowest),)

    def number(self, key: Parts) -> Parts:
        return (self.low(key[0]),) if self.narrow else self.key(key)

    def greater(self, a: Parts, b: Parts) -> Term:
        return self.t("GREATER", a[0], b[0])

    def at_least(self, a: Parts, b: Parts) -> Term:
        return self.t("GREATER_EQUAL", a[0], b[0])

    def larger(self, a: Parts, b: Parts) -> Parts:
        return self.each("MAXIMUM", a, b)

    def smaller(self, a: Parts, b: Parts) -> Parts:
        return self.each("MINIMUM", a, b)


def product(t: Steps, a: Term, b: Term | int) -> Term:
    """The low bits of a product: the one result that TOSA lets wrap."""
    result = t("MUL", a, b)
    return result if result.sort == a.sort else t("CAST", result, output_type=a.sort.name)
