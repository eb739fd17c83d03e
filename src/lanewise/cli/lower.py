"""`lanewise lower` and `lanewise shifts`: a model file into another."""

from __future__ import annotations

import json
from pathlib import Path

from lanewise.formats import load, save
from lanewise.language.errors import InvalidError, UnsupportedError, printable
from lanewise.lowering.request import lower
from lanewise.lowering.shift_finder import find_shifts, repair_shifts

FIRST_TEXT = "1.0"  # the first TOSA that MLIR texts are written of
LONGEST_SIZE = 18  # digits
MEANT = {".onnx": "onnx", ".tosa": "tosa", ".mlir": "tosa"}  # what a file's ending says of its specification


def lower_command(
    source: Path, output: Path, to: str | None, version: str | None, pairs: bool, shapes: list[str], as_json: bool
) -> int:
    """Loads, lowers, writes and prints the report."""
    to = to or MEANT.get(output.suffix.lower())
    if to is None:
        raise InvalidError(f"{output}: its ending does not say what to lower to; allowed: {', '.join(MEANT)}, or --to")
    if version is None and to == "tosa" and output.suffix.lower() == ".mlir":
        version = FIRST_TEXT
    sizes = _shapes(shapes)
    lowered = lower(load(source), to=to, version=version, wide="pairs" if pairs else None, shapes=sizes)
    save(lowered.model, output)
    if as_json:
        print(json.dumps({**lowered.report.as_json(), "file": str(output)}, indent=2))
    else:
        for line in str(lowered.report).splitlines():
            print(printable(line))
        print(printable(f"written: {output}"))
    return 0


def shifts_command(source: Path, repair: Path | None, as_json: bool) -> int:
    """Prints every place where a shift may have been written as arithmetic; 1 if there is one."""
    model = load(source)
    findings = find_shifts(model)
    if repair is not None:
        if repair.suffix.lower() != ".onnx":
            raise UnsupportedError(f"{repair}: a repaired graph is an .onnx file")
        save(repair_shifts(model), repair)
    if as_json:
        listed = [
            {
                "node": finding.node,
                "pattern": finding.pattern.text,
                "direction": finding.pattern.direction,
                "counterexample": {
                    "x": finding.counterexample.x,
                    "count": finding.counterexample.count,
                    "given": finding.counterexample.given,
                    "shifted": finding.counterexample.shifted,
                },
            }
            for finding in findings
        ]
        print(json.dumps({"model": str(source), "findings": listed}, indent=2))
    else:
        for finding in findings:
            text = str(finding) if repair is None else finding.after_repair()
            print("\n".join(printable(line) for line in text.splitlines()))
        if repair is None:
            print(f"{len(findings)} found")
        else:
            print(f"{len(findings)} found, {len(findings)} repaired")
            print(printable(f"written: {repair}"))
    return 1 if findings and repair is None else 0


def _shapes(texts: list[str]) -> dict[str, tuple[int, ...]]:
    """Shapes by name, each name once."""
    shapes: dict[str, tuple[int, ...]] = {}
    for text in texts:
        name, shape = _shape(text)
        if name in shapes:
            raise InvalidError(f"--shape {text!r}: {name!r} has a shape already; give one for each input")
        shapes[name] = shape
    return shapes


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    """NAME=2,3 as a name and a shape; NAME= is rank 0."""
    name, separator, sizes = text.rpartition("=")
    words = sizes.split(",") if sizes else []
    numbers = all(word.isascii() and word.isdecimal() and len(word) <= LONGEST_SIZE for word in words)
    if not separator or not name or not numbers:
        raise InvalidError(f"--shape {text!r}: write NAME=2,3")
    return name, tuple(map(int, words))
