"""One element asked of every other implementation that is installed, each in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.one_element import Judged
from lanewise.conformance.targets.names import LIBRARIES, TOOLS, Target, target_of
from lanewise.conformance.targets.process import Crashed, Hung, TargetProcess, Unusable
from lanewise.conformance.targets.protocol import Message, array_of
from lanewise.conformance.targets.request import request
from lanewise.engines.exact_kernel import from_patterns, patterns
from lanewise.engines.storage import sort_of
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.operators.catalogue import versions_of

SECONDS = 60.0  # one element takes none of it; importing a large library does
OWN_VERSION = ("iree", "tosa")  # they speak one version of TOSA; the others know operators, not versions


@dataclass(frozen=True)
class Answer:
    """What a runtime did: "answers" (then with a pattern, if it is of the result's type), or why it did not."""

    runtime: str
    version: str
    kind: str  # "answers", "refuses", "crashes", "hangs", "not there", "not installed", "unusable"
    text: str
    pattern: int | None = None
    asked: str = ""  # the version that it was asked at, where it is not the element's own
    verdict: str = ""  # what conform says of the pattern at that version; nothing where no result is promised
    reading: str = ""  # which decides there, where the text is silent


def answers(operator: Operator, ask: Callable[[Operator], Any], tosa_tools: Path | None = None) -> list[Answer]:
    """Every library's answer, one after another, and the TOSA reference model's where somebody says where it is.

    `ask` explains the element under one record, or raises a LanewiseError.
    """
    targets = [target_of(name) for name in LIBRARIES]
    if tosa_tools is not None or os.environ.get(TOOLS):
        targets.append(target_of("tosa", tosa_tools))
    specification = operator.release.specification
    return [_at_version(target, operator, ask) for target in targets if specification in target.specifications]


def _at_version(target: Target, operator: Operator, ask: Callable[[Operator], Any]) -> Answer:
    """A target's answer at the version that it speaks."""
    record = operator
    if target.name in OWN_VERSION and operator.release.since != target.tosa_version:
        records = versions_of(operator.release.specification)[operator.name]
        record = next((one for one in records if one.release.since == target.tosa_version), operator)
    asked = "" if record is operator else record.release.title
    if target.missing is not None:
        return Answer(target.name, "", "not installed", target.missing, asked=asked)
    try:
        element = ask(record)
    except LanewiseError as error:
        return Answer(target.name, "", "not there", str(error), asked=asked)
    operands = [_array(sort, one) for sort, one in zip(element.all_sorts, element.all_operands, strict=True)]
    question = request(record, element.row.output, element.attributes, operands)
    found = _answer(target, question, element.row.output)
    if found.pattern is None:
        return replace(found, asked=asked)
    judged = Judged(element)
    return replace(found, asked=asked, verdict=judged.verdict(found.pattern), reading=judged.reading)


def _array(sort: AnySort | None, operand: Any) -> np.ndarray[Any, Any] | None:
    """An operand from its patterns: a table, or one element."""
    if sort is None:
        return None
    return from_patterns(operand, sort.element) if isinstance(sort, ArraySort) else from_patterns([operand], sort)


def _answer(target: Target, question: Message, output: Sort) -> Answer:
    name = target.name
    with TargetProcess(target, SECONDS) as process:
        try:
            reply = process.ask(question)
        except Unusable as error:
            return Answer(name, "", "unusable", str(error))
        except Crashed as error:
            return Answer(name, str(process.about.get("version", "")), "crashes", str(error))
        except Hung as error:
            return Answer(name, str(process.about.get("version", "")), "hangs", str(error))
        version = str(process.about.get("version", ""))
        if "absent" in reply:
            return Answer(name, version, "not there", str(reply["absent"]))
        if "output" not in reply:
            return Answer(name, version, "refuses", str(reply.get("refuses", "no answer")))
        found: np.ndarray[Any, Any] = array_of(reply["output"]).ravel()
    sort = sort_of(found.dtype)
    if sort is None or found.size != 1:
        return Answer(name, version, "answers", f"an array of shape {list(found.shape)}")
    same = sort == output or found.dtype == from_patterns([0], output).dtype
    pattern = patterns(found, output if same else sort)[0]
    return Answer(name, version, "answers", sort.name, pattern if same else None)
