"""What a target is asked, and the two answers that are no result and no refusal."""

from __future__ import annotations

from typing import Any, NamedTuple


class NotThere(Exception):
    """The target has no such operator."""


class Died(Exception):
    """A program that the target drives ended without an answer."""


class Case(NamedTuple):
    """What is to be computed."""

    specification: str
    operator: str
    version: int | str
    attributes: dict[str, Any]
    output: str
