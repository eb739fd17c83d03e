"""`lanewise diff-run`: where in a graph two engines or runtimes part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lanewise.cli.run import read_inputs
from lanewise.cli.said import grouped, plain
from lanewise.conformance.first_difference import Difference, RuntimeDied, first_difference
from lanewise.engines.exact import number
from lanewise.formats import load
from lanewise.graph.model import DEFAULT_TENSOR_BYTES
from lanewise.language.errors import InvalidError, brief, printable


def diff_run_command(path: Path, inputs: list[str], engines: str, as_json: bool) -> int:
    """Prints the first difference; the exit code is 1 if there is one, or if a runtime dies."""
    sides = [name.strip() for name in engines.split(",")]
    if len(sides) != 2:
        raise InvalidError(f"--engines {brief(engines)}: give two, such as native,exact")
    model = load(path)
    found: Difference | None = None
    died: RuntimeDied | None = None
    try:
        found = first_difference(model, read_inputs(model, inputs, DEFAULT_TENSOR_BYTES), *sides)
    except RuntimeDied as error:
        died = error
    if as_json:
        report = {"model": str(path), "engines": sides, "difference": _report(found), "died": _death(died)}
        print(json.dumps(report, indent=2))
    elif died is not None:
        print(died)
    elif found is None:
        print(f"{path}: {sides[0]} and {sides[1]} agree at each of {len(model.nodes)} nodes")
    else:
        print("\n".join(printable(line) for line in str(found).splitlines()))
    return 0 if found is None and died is None else 1


def _death(died: RuntimeDied | None) -> dict[str, Any] | None:
    if died is None:
        return None
    node = died.node
    return {
        "engine": died.runtime,
        "node": node.place,
        "operator": node.operator.name,
        "tensor": node.output,
        "message": str(died),
    }


def _report(found: Difference | None) -> dict[str, Any] | None:
    if found is None:
        return None
    sort = found.sort
    return {
        "node": found.node.place,
        "operator": found.node.operator.name,
        "tensor": found.node.output,
        "type": sort.name,
        "count": found.count,
        "size": found.size,
        "shapes": None if found.shapes is None else [list(shape) for shape in found.shapes],
        "elements": [
            {
                "index": list(element.index),
                "operands": {name: plain(value) for name, value in element.operands.items()},
                "results": [plain(number(pattern, sort)) for pattern in (element.first, element.second)],
                "bits": [grouped(pattern, sort.width) for pattern in (element.first, element.second)],
            }
            for element in found.elements
        ],
    }
