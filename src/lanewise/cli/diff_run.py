"""`lanewise diff-run`: where in a graph two engines or targets part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lanewise.cli.run import read_inputs
from lanewise.cli.said import grouped, plain
from lanewise.conformance.first_difference import Comparison, Difference, compare
from lanewise.conformance.sides.ran import Crashes, Hangs, Refuses, Stopped
from lanewise.engines.exact import number
from lanewise.formats import load
from lanewise.graph.model import DEFAULT_TENSOR_BYTES, Node
from lanewise.language.errors import InvalidError, brief, printable

SHOWN = 10  # nodes that are not compared
PROGRAM = "program:"


def diff_run_command(
    path: Path, inputs: list[str], engines: str, seconds: float, tosa_tools: Path | None, as_json: bool
) -> int:
    """Prints the first difference; the exit code is 1 if there is one, or if a side dies or hangs."""
    first, second = _two(engines)
    model = load(path)
    given = read_inputs(model, inputs, DEFAULT_TENSOR_BYTES)
    found = compare(model, given, first, second, seconds, tosa_tools)
    if isinstance(found.stopped, Refuses):
        raise found.stopped
    if as_json:
        print(json.dumps(_report(path, (first, second), found), indent=2))
    else:
        for line in _lines(path, (first, second), found, len(model.nodes)):
            print(printable(line))
    return 0 if found.difference is None and found.stopped is None else 1


def _two(engines: str) -> tuple[str, str]:
    """Both sides. A program's command may have commas of its own, so it begins or ends at the outermost one."""
    parts = engines.rpartition(",") if engines.strip().startswith(PROGRAM) else engines.partition(",")
    first, second = parts[0].strip(), parts[2].strip()
    if not first or not second or ("," in second and not second.startswith(PROGRAM)):
        raise InvalidError(f"--engines {brief(engines)}: give two, such as native,exact")
    return first, second


def _lines(path: Path, sides: tuple[str, str], found: Comparison, nodes: int) -> list[str]:
    if found.stopped is not None:
        lines = [str(found.stopped)]
    elif found.difference is not None:
        lines = str(found.difference).splitlines()
    elif found.left_out:
        lines = [f"{path}: {sides[0]} and {sides[1]} agree at {_each(found.compared)} compared, of {nodes}"]
    else:
        lines = [f"{path}: {sides[0]} and {sides[1]} agree at {_each(nodes)}"]
    lines += [f"not compared: {one}" for one in found.left_out[:SHOWN]]
    if len(found.left_out) > SHOWN:
        lines.append(f"not compared: … and {len(found.left_out) - SHOWN} more")
    return lines


def _each(nodes: int) -> str:
    return "the one node" if nodes == 1 else f"each of {nodes} nodes"


def _report(path: Path, sides: tuple[str, str], found: Comparison) -> dict[str, Any]:
    return {
        "model": str(path),
        "engines": list(sides),
        "difference": _differing(found.difference),
        "died": _stopped(found.stopped, Crashes),
        "hung": _stopped(found.stopped, Hangs),
        "compared": found.compared,
        "not_compared": [{"engine": one.side, **_named(one.node), "reason": one.why} for one in found.left_out],
    }


def _stopped(stopped: Stopped | None, kind: type[Stopped]) -> dict[str, Any] | None:
    if not isinstance(stopped, kind):
        return None
    return {"engine": stopped.side, **_named(stopped.node), "message": str(stopped)}


def _named(node: Node) -> dict[str, Any]:
    return {"node": node.place, "operator": node.operator.name, "tensor": node.output}


def _differing(found: Difference | None) -> dict[str, Any] | None:
    if found is None:
        return None
    sort = found.sort
    return {
        **_named(found.node),
        "type": sort.name,
        "count": found.count,
        "size": found.size,
        "shapes": None if found.shapes is None else [list(shape) for shape in found.shapes],
        "types": None if found.types is None else list(found.types),
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
