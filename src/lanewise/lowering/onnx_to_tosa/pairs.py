"""Integers of two words, the high and the low one, for targets without a type of that width."""

from __future__ import annotations

from lanewise.language.sorts import Sort, integer, to_pattern
from lanewise.lowering.onnx_to_tosa.words import OneWord, Parts, Words
from lanewise.lowering.steps import Steps, Term


class TwoWords(Words):
    """Numbers as (high, low). The low word has no sign; a count is the low word."""

    def __init__(self, t: Steps, sort: Sort, word: Sort) -> None:
        super().__init__(t, sort)
        self.word = word
        self.one = OneWord(t, integer(word.width, False), word)

    def constant(self, number: int) -> Parts:
        pattern = to_pattern(number, self.sort)
        return tuple(self.t.const(part, self.word) for part in divmod(pattern, 1 << self.word.width))

    def add(self, a: Parts, b: Parts) -> Parts:
        t = self.t
        low = self._sum(a[1], b[1])
        carry = t("GREATER", self._flipped(a[1]), self._flipped(low))
        high = self._sum(a[0], b[0])
        (following,) = self.one.negate((t("BITWISE_NOT", high),))  # high + 1, wrapped
        return t("SELECT", carry, following, high), low

    def subtract(self, a: Parts, b: Parts) -> Parts:
        t = self.t
        (low,) = self.one.subtract(a[1:], b[1:])
        borrow = t("GREATER", self._flipped(b[1]), self._flipped(a[1]))
        (high,) = self.one.subtract(a[:1], b[:1])
        preceding = t("BITWISE_NOT", *self.one.negate((high,)))  # high - 1, wrapped
        return t("SELECT", borrow, preceding, high), low

    def multiply(self, a: Parts, b: Parts) -> Parts:
        across = self._sum(self._product(a[0], b[1]), self._product(a[1], b[0]))
        return self._sum(across, self._high_product(a[1], b[1])), self._product(a[1], b[1])

    def negate(self, a: Parts) -> Parts:
        t = self.t
        (low,), (high,) = self.one.negate(a[1:]), self.one.negate(a[:1])
        return t("SELECT", self.one.nonzero(a[1:]), t("BITWISE_NOT", a[0]), high), low

    def absolute(self, a: Parts) -> Parts:
        return self.select(self.t("GREATER_EQUAL", a[0], 0), a, self.negate(a))

    def count(self, a: Parts) -> Term:
        return a[1]

    def beyond(self, a: Parts) -> Term:
        t = self.t
        return t("CAST", t("BITWISE_OR", a[0], t("BITWISE_AND", a[1], -self.sort.width)), output_type="bool")

    def shift_left(self, a: Parts, count: Term) -> Parts:
        t = self.t
        far, places, rest = self._split(count)
        low = t("LOGICAL_LEFT_SHIFT", a[1], places)
        across = t("LOGICAL_RIGHT_SHIFT", t("LOGICAL_RIGHT_SHIFT", a[1], 1), rest)
        high = t("BITWISE_OR", t("LOGICAL_LEFT_SHIFT", a[0], places), across)
        return t("SELECT", far, low, high), t("SELECT", far, 0, low)

    def shift_right(self, a: Parts, count: Term) -> Parts:
        t = self.t
        far, places, rest = self._split(count)
        across = t("LOGICAL_LEFT_SHIFT", t("LOGICAL_LEFT_SHIFT", a[0], 1), rest)
        low = t("BITWISE_OR", t("LOGICAL_RIGHT_SHIFT", a[1], places), across)
        if self.sort.signed:
            high = t("ARITHMETIC_RIGHT_SHIFT", a[0], places)
            fill = t("ARITHMETIC_RIGHT_SHIFT", a[0], self.word.width - 1)
        else:
            high, fill = t("LOGICAL_RIGHT_SHIFT", a[0], places), 0
        return t("SELECT", far, fill, high), t("SELECT", far, high, low)

    def nonzero(self, a: Parts) -> Term:
        return self.t("CAST", self.t("BITWISE_OR", *a), output_type="bool")

    def equal(self, a: Parts, b: Parts) -> Term:
        return self.t("LOGICAL_AND", *self.each("EQUAL", a, b))

    def key(self, a: Parts) -> Parts:
        return a[0] if self.sort.signed else self._flipped(a[0]), self._flipped(a[1])

    def number(self, key: Parts) -> Parts:
        return self.key(key)

    def greater(self, a: Parts, b: Parts) -> Term:
        return self._ordered("GREATER", a, b)

    def at_least(self, a: Parts, b: Parts) -> Term:
        return self._ordered("GREATER_EQUAL", a, b)

    def larger(self, a: Parts, b: Parts) -> Parts:
        return self.select(self.greater(a, b), a, b)

    def smaller(self, a: Parts, b: Parts) -> Parts:
        return self.select(self.greater(a, b), b, a)

    def _ordered(self, comparison: str, a: Parts, b: Parts) -> Term:
        """The high words decide, the low ones where the high are equal."""
        t = self.t
        tie = t("LOGICAL_AND", t("EQUAL", a[0], b[0]), t(comparison, a[1], b[1]))
        return t("LOGICAL_OR", t("GREATER", a[0], b[0]), tie)

    def _flipped(self, word: Term) -> Term:
        """Words without sign in this form have the signed order."""
        return self.t("BITWISE_XOR", word, self.word.lowest)

    def _split(self, count: Term) -> tuple[Term, Term, Term]:
        """Whether a count passes a word, its places within one, and those that a word has beyond them less one."""
        t, last = self.t, self.word.width - 1
        far = t("CAST", t("BITWISE_AND", count, self.word.width), output_type="bool")
        places = t("BITWISE_AND", count, last)
        return far, places, t("BITWISE_XOR", places, last)

    def _sum(self, a: Term, b: Term) -> Term:
        return self.one.add((a,), (b,))[0]

    def _product(self, a: Term, b: Term) -> Term:
        return self.one.multiply((a,), (b,))[0]

    def _high_product(self, a: Term, b: Term) -> Term:
        """The high word of the product of two words without sign, by halves of a word."""
        t, half = self.t, self.word.width // 2
        mask = (1 << half) - 1
        halves = [(t("BITWISE_AND", word, mask), t("LOGICAL_RIGHT_SHIFT", word, half)) for word in (a, b)]
        (a_low, a_high), (b_low, b_high) = halves
        up, down = self._product(a_high, b_low), self._product(a_low, b_high)
        # Each summand is a half word, so nothing leaves the word here.
        middle = t("ADD", t("BITWISE_AND", up, mask), t("BITWISE_AND", down, mask))
        middle = t("ADD", middle, t("LOGICAL_RIGHT_SHIFT", self._product(a_low, b_low), half))
        carried = t("ADD", t("LOGICAL_RIGHT_SHIFT", up, half), t("LOGICAL_RIGHT_SHIFT", down, half))
        carried = t("ADD", carried, t("LOGICAL_RIGHT_SHIFT", middle, half))
        return self._sum(self._product(a_high, b_high), carried)
