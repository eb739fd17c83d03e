"""One element asked of every other implementation that is installed, each in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.conformance.targets.names import LIBRARIES, target_of
from lanewise.conformance.targets.process import Crashed, Hung, TargetProcess, Unusable
from lanewise.conformance.targets.protocol import array_of, tensor
from lanewise.engines.exact_kernel import from_patterns, patterns
from lanewise.engines.storage import sort_of
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import AnySort, ArraySort, Sort

SECONDS = 60.0  # one element takes none of it; importing a large library does


@dataclass(frozen=True)
class Answer:
    """What a runtime did: "answers" (then with a pattern, if it is of the result's type), or why it did not."""

    runtime: str
    version: str
    kind: str  # "answers", "refuses", "crashes", "hangs", "not there", "not installed", "unusable"
    text: str
    pattern: int | None = None


def answers(
    operator: Operator,
    row: Row,
    attributes: Mapping[str, Any],
    sorts: Sequence[AnySort | None],
    operands: Sequence[Any],
) -> list[Answer]:
    """Every library's answer, one after another."""
    request = _request(operator, row, attributes, sorts, operands)
    return [
        _answer(name, request, row.output)
        for name, library in LIBRARIES.items()
        if operator.release.specification in library.specifications
    ]


def _request(
    operator: Operator,
    row: Row,
    attributes: Mapping[str, Any],
    sorts: Sequence[AnySort | None],
    operands: Sequence[Any],
) -> dict[str, Any]:
    specification = operator.release.specification
    inputs: list[dict[str, Any] | None] = []
    for k, (sort, operand) in enumerate(zip(sorts, operands, strict=True)):
        if sort is None:
            inputs.append(None)
            continue
        element = sort.element if isinstance(sort, ArraySort) else sort
        array = from_patterns(operand if isinstance(sort, ArraySort) else [operand], element)
        one_number = specification == "onnx" and operator.argument(k).ranks == (0, 0)
        inputs.append(tensor(array.reshape(()) if one_number else array))
    return {
        "do": "run",
        "specification": specification,
        "operator": operator.name,
        "version": operator.release.since,
        "attributes": {
            name: getattr(value, "name", value)
            for name, value in attributes.items()
            if name in operator.own_attributes or name == operator.output_attribute
        },
        "output": row.output.name,
        "inputs": inputs,
        "layout": "contiguous",
    }


def _answer(name: str, request: dict[str, Any], output: Sort) -> Answer:
    target = target_of(name)
    if target.missing is not None:
        return Answer(name, "", "not installed", target.missing)
    with TargetProcess(target, SECONDS) as process:
        try:
            reply = process.ask(request)
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
