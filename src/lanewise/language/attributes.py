"""Attributes of operators: what values they may have, and how a given value is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lanewise.language.errors import InvalidError, brief
from lanewise.language.sorts import BY_NAME, Sort


class _Required:
    def __repr__(self) -> str:
        return "(required)"

    def __reduce__(self) -> str:
        return "REQUIRED"  # there is one, and pickling keeps it so


REQUIRED: Any = _Required()


@dataclass(frozen=True, slots=True)
class Attribute:
    """`read` turns a given value into the one that the definition sees, or raises InvalidError."""

    allowed: str
    read: Callable[[Any], Any]
    default: Any = REQUIRED
    choices: tuple[Any, ...] = ()  # every allowed value, where there are few
    extensions: Mapping[Any, str] = field(default_factory=dict)  # choices that a profile alone does not have


def _refuse(value: Any, allowed: str) -> InvalidError:
    return InvalidError(f"is {brief(value)}; allowed: {allowed}")


def flag(default: Any = REQUIRED) -> Attribute:
    """A boolean; 0 and 1 count as well, since files store them."""

    def read(value: Any) -> bool:
        if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
            return bool(value)
        if type(value).__name__ in ("bool", "bool_"):  # NumPy's boolean, without importing NumPy
            return bool(value)
        raise _refuse(value, "True, False")

    return Attribute("True, False", read, default, (False, True))


def choice(*choices: str, default: Any = REQUIRED, extensions: Mapping[Any, str] | None = None) -> Attribute:
    """One of several strings, spelt exactly so."""
    allowed = ", ".join(map(repr, choices))

    def read(value: Any) -> str:
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str) or value not in choices:
            raise _refuse(value, allowed)
        return str(value)

    return Attribute(allowed, read, default, choices, extensions or {})


def whole(lowest: int, highest: int, default: Any = REQUIRED) -> Attribute:
    """A whole number within bounds."""
    allowed = f"whole numbers from {lowest} to {highest}"

    def read(value: Any) -> int:
        number = as_int(value, allowed)
        if not lowest <= number <= highest:
            raise _refuse(value, allowed)
        return number

    return Attribute(allowed, read, default)


def wholes(default: Any = REQUIRED) -> Attribute:
    """A list of whole numbers (a shape, axes); a single number counts as a list of one."""
    allowed = "a list of whole numbers"

    def read(value: Any) -> tuple[int, ...] | None:
        if value is None and default is None:
            return None
        if hasattr(value, "tolist"):
            value = value.tolist()
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            value = [value]
        return tuple(as_int(item, allowed) for item in value)

    return Attribute(allowed, read, default)


def real(default: Any = REQUIRED) -> Attribute:
    """A number, whole or not, that some element type comes near."""
    allowed = "numbers"

    def read(value: Any) -> int | float | None:
        if value is None and default is None:
            return None
        if hasattr(value, "item") and not getattr(value, "shape", ()):
            value = value.item()
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _refuse(value, allowed)
        try:
            float(value)
        except OverflowError:
            raise _refuse(value, "numbers that float64 reaches") from None
        return value

    return Attribute(allowed, read, default)


def element_type(default: Any = REQUIRED, numbers: dict[int, Sort] | None = None) -> Attribute:
    """An element type by its name; `numbers` is a specification's own numbering, where it has one."""
    allowed = "the name of an element type, such as 'int8'"

    def read(value: Any) -> Sort:
        if isinstance(value, Sort):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and numbers is not None and value in numbers:
            return numbers[value]
        name = str(value if isinstance(value, str) else getattr(value, "name", getattr(value, "__name__", "")))
        if name.lower() not in BY_NAME:
            raise _refuse(value, allowed)
        return BY_NAME[name.lower()]

    return Attribute(allowed, read, default)


def anything(allowed: str, default: Any = REQUIRED) -> Attribute:
    """A value that the definition or the shape rule reads by itself."""
    return Attribute(allowed, lambda value: value, default)


def as_int(value: Any, allowed: str) -> int:
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse(value, allowed)
    return value
