"""The three ways in which a call, a graph or a file can fail to have a result."""

from __future__ import annotations

import reprlib
from typing import Any


def printable(text: str) -> str:
    """The text with every character that is not one to look at escaped: names from files must not steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


class _Brief(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 120
        self.maxlist = self.maxtuple = 8

    def repr_int(self, x: int, level: int) -> str:
        # Python itself refuses to print whole numbers of thousands of digits.
        size = x.bit_length()
        return repr(x) if size <= 256 else f"{'-' if x < 0 else ''}(a whole number of {size} bits)"


def brief(value: Any) -> str:
    """The value as messages print it: its repr, cut where that is long."""
    return _BRIEF.repr(value)


_BRIEF = _Brief()


class LanewiseError(Exception):
    """Base of every error that lanewise raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message))


class InvalidError(LanewiseError, ValueError):
    """The call, graph or file breaks a rule; the message names the rule and the place."""


class UnsupportedError(LanewiseError, NotImplementedError):
    """The request may be legal, but lanewise does not have it (operator, version, type, format)."""


class UnpredictableError(LanewiseError, ArithmeticError):
    """Some requirement of the specification fails for some element, so no result is defined.

    `operator` and `requirement` say which rule, `index` the first element (row-major) that
    breaks it, `values` the operands there by argument name, `count` how many elements break it.
    """

    def __init__(
        self,
        message: str,
        *,
        operator: str,
        requirement: str,
        index: tuple[int, ...],
        values: dict[str, Any],
        count: int,
    ) -> None:
        super().__init__(message)
        self.operator = operator
        self.requirement = requirement
        self.index = index
        self.values = values
        self.count = count

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions with keyword-only fields do not pickle by themselves; worker processes need it.
        return (_rebuild, (self.args[0], self.operator, self.requirement, self.index, self.values, self.count))


def _rebuild(
    message: str, operator: str, requirement: str, index: tuple[int, ...], values: dict[str, Any], count: int
) -> UnpredictableError:
    return UnpredictableError(
        message, operator=operator, requirement=requirement, index=index, values=values, count=count
    )
