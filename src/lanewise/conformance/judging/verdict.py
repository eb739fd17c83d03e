"""What is found out about one cell of the matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

AGREES, DIFFERS, REFUSES, CRASHES, HANGS, ABSENT, ACCEPTS = VERDICTS = (
    "agrees",
    "differs",
    "refuses",
    "crashes",
    "hangs",
    "not there",
    "accepts",
)
MEANINGS = {
    AGREES: "the same bits wherever the specification says what comes out (or a refusal that the version demands)",
    DIFFERS: "other bits for some input that the specification decides",
    REFUSES: "answers with an error: the type, the version or some input is not taken",
    CRASHES: "the process dies",
    HANGS: "no answer in time",
    ABSENT: "the target has no such operator",
    ACCEPTS: "computes a type that this version of the operator does not list",
}


@dataclass
class Element:
    """One input with both results, as numbers and in binary."""

    operands: list[str]
    operand_bits: list[str]
    expected: str
    expected_bits: str
    got: str
    got_bits: str
    why: str  # "smallest", "farthest", or the rule that it shows


@dataclass
class Failing:
    """A smallest input (or batch) on which a target died, hung, refused or gave another type or shape."""

    kind: str
    place: str  # "specified", "open" (the text is silent) or "outside" (unpredictable)
    rows: int
    operands: list[str]
    operand_bits: list[str]
    message: str


@dataclass
class Rule:
    """A rule of the detective and how much of a difference it explains."""

    name: str
    meaning: str
    explained: int
    of: int


@dataclass
class Finding:
    """One cell on one target. Counts are of elements."""

    target: str
    key: str
    verdict: str
    message: str = ""
    compared: int = 0  # inputs whose result the specification decides
    differing: int = 0
    values_differing: int | None = None  # where all results have another type: those with other values, too
    open: int = 0  # inputs about which the text is silent, and those of them where lanewise reads it otherwise
    open_differing: int = 0
    reading: str = ""
    outside: int = 0  # unpredictable inputs
    not_run: int = 0  # set aside because they look like failing ones
    exhaustive: bool = False
    asked: bool = True  # False: given up on, after a target had been silent too often
    layouts: dict[str, str] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    failing: list[Failing] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    open_elements: list[Element] = field(default_factory=list)  # as above, of those that are read otherwise
    open_rules: list[Rule] = field(default_factory=list)
    picture: Any = None  # results of all 65,536 pairs of bytes, None elsewhere
