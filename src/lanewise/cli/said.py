"""What each version of an operator says of one element, and what installed runtimes answer: lines and JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.conformance.answers import Answer
from lanewise.conformance.judging.verdict import AGREES, DIFFERS
from lanewise.conformance.one_element import OTHERWISE, Judged
from lanewise.engines.exact import number
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator
from lanewise.language.sorts import Sort, bits
from lanewise.operators.catalogue import versions_of


@dataclass(frozen=True)
class Said:
    """What one version says: "valid" with a value, "unpredictable" with a rule, or "refused" with the reason."""

    release: str
    section: str
    status: str
    text: str
    value: Any = None
    pattern: int | None = None
    sort: Sort | None = None
    reading: str = ""  # which decides it, where the text is silent

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = {"version": self.release, "section": self.section, "status": self.status}
        if self.sort is not None and self.pattern is not None:
            found["value"] = plain(self.value)
            found["bits"] = grouped(self.pattern, self.sort.width)
            if self.reading:
                found["reading"] = self.reading
        else:
            found["reason"] = self.text
        return found


def said_by_versions(operator: Operator, ask: Callable[[Operator], Any]) -> list[Said]:
    """Every version's answer; `ask` explains the element under one record, or raises a LanewiseError."""
    found = []
    for record in versions_of(operator.release.specification)[operator.name]:
        release, section = record.release.title, record.release.section
        try:
            element = ask(record)
        except LanewiseError as error:
            found.append(Said(release, section, "refused", str(error)))
            continue
        if element.broken:
            found.append(Said(release, section, "unpredictable", f"breaks {'; '.join(element.broken)}"))
        else:
            sort = element.row.output
            value = number(element.result, sort)
            found.append(Said(release, section, "valid", "", value, element.result, sort, Judged(element).reading))
    return found


def said_lines(said: Sequence[Said]) -> list[str]:
    """One line a version."""
    width = max(len(one.release) for one in said)
    lines = ["  each version:"]
    for one in said:
        if one.sort is not None and one.pattern is not None:
            text = shown(one.pattern, one.sort) + (f"  (reading {one.reading})" if one.reading else "")
        elif one.status == "unpredictable":
            text = f"unpredictable: {one.text}"
        else:
            text = f"refused: {one.text}"
        lines.append(f"    {one.release:{width}}  {text}")
    return lines


def answer_lines(answers: Sequence[Answer], sort: Sort) -> list[str]:
    """One line a runtime."""
    if not answers:
        return []
    lines = ["", "  installed runtimes:"]
    for one in answers:
        name = f"{one.runtime} {one.version}".strip() + (f" ({one.asked})" if one.asked else "")
        if one.pattern is None:
            text = f"{one.kind}: {one.text}"
        else:
            text = f"{shown(one.pattern, sort)}  {_verdict(one)}".rstrip()
        lines.append(f"    {name:22}  {text}")
    return lines


def answers_report(answers: Sequence[Answer], sort: Sort) -> list[dict[str, Any]]:
    """The same as JSON has it."""
    found = []
    for one in answers:
        entry: dict[str, Any] = {"runtime": one.runtime, "version": one.version, "answer": one.kind}
        if one.asked:
            entry["asked"] = one.asked
        if one.pattern is None:
            entry["text"] = one.text
        else:
            entry["value"] = plain(number(one.pattern, sort))
            entry["bits"] = grouped(one.pattern, sort.width)
            entry["agrees"] = {AGREES: True, DIFFERS: False}.get(one.verdict)
            if one.reading:
                entry["reading"] = one.reading
        found.append(entry)
    return found


def _verdict(one: Answer) -> str:
    """As a line ends with it; what differs is to be seen at once."""
    return f"{OTHERWISE} ({one.reading})" if one.verdict == OTHERWISE else one.verdict.replace(DIFFERS, DIFFERS.upper())


def shown(pattern: int, sort: Sort) -> str:
    """A value in decimal, binary and hexadecimal; signless words are shown without sign."""
    if sort.kind == "bool":
        return str(bool(pattern)).lower()
    value = pattern if sort == bits(sort.width) else number(pattern, sort)
    return f"{value}  {grouped(pattern, sort.width)}  {pattern:#x}  ({sort.name})"


def grouped(pattern: int, width: int) -> str:
    """Binary digits in groups of four."""
    digits = f"{pattern:0{width}b}"
    head = len(digits) % 4
    groups = ([digits[:head]] if head else []) + [digits[i : i + 4] for i in range(head, len(digits), 4)]
    return "_".join(groups)


def plain(value: Any) -> Any:
    """A number as JSON has it: what is no JSON number is a string."""
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
