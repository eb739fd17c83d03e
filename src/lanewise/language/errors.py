"""The three ways in which a call, a graph or a file can fail to have a result."""

from __future__ import annotations

from typing import Any


class LanewiseError(Exception):
    """Base of every error that lanewise raises on purpose."""


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
