"""The rules of the rooms: imports go down only, operators' names stand where they belong, files stay small.

Run by `make check`; prints the size of every room, and every breach.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "lanewise"
MAX_LINES = 420

# Each room may import those named here, and itself. Top-level modules are the door and may import all.
ALLOWED: dict[str, set[str]] = {
    "language": set(),
    "operators": {"language"},
    "engines": {"language"},
    "graph": {"language", "operators", "engines", "formats"},
    "formats": {"language", "operators", "engines", "graph"},
    "lowering": {"language", "operators", "engines", "graph"},
    "proof": {"language", "operators", "engines", "graph", "lowering"},
    "conformance": {"language", "operators", "engines", "graph", "formats"},
    "cli": {"language", "operators", "engines", "graph", "formats", "lowering", "proof", "conformance"},
}
# `graph` knows `formats` in one place only: Model.save hands over to the writer.
ONLY_FROM = {("graph", "formats"): {"graph/model.py"}}
# The language imports in milliseconds, so nothing heavy may stand in it.
FORBIDDEN = {"language": {"numpy", "z3", "llvmlite", "onnx"}, "operators": {"numpy", "z3", "llvmlite", "onnx"}}


def main() -> int:
    breaches = []
    sizes: dict[str, int] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        room = place.split("/")[0] if "/" in place else "(top)"
        sizes[room] = sizes.get(room, 0) + lines
        if lines > MAX_LINES:
            breaches.append(f"{place}: {lines} lines; a file has at most {MAX_LINES}")
        if room in ALLOWED:
            breaches += _imports(place, room, text)
        breaches += _names(place, text)
    for room, lines in sizes.items():
        print(f"  {room:10} {lines:6} lines")
    for breach in breaches:
        print(breach, file=sys.stderr)
    return 1 if breaches else 0


def _imports(place: str, room: str, text: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        else:
            continue
        for module in modules:
            parts = module.split(".")
            if parts[0] in FORBIDDEN.get(room, set()):
                found.append(f"{place}: imports {module}, which {room} must not")
            if parts[0] != "lanewise" or len(parts) == 1:
                continue
            other = parts[1]
            allowed = other == room or other in ALLOWED[room]
            if allowed and place not in ONLY_FROM.get((room, other), {place}):
                allowed = False
            if not allowed:
                found.append(
                    f"{place}: imports {module}; {room} may import {sorted(ALLOWED[room]) or 'nothing of ours'}"
                )
    return found


def _names(place: str, text: str) -> list[str]:
    """An operator's name, as a string of code, stands in its own file and nowhere else under src/."""
    if place.startswith(("operators/", "lowering/")) or place in OPCODE_TABLES:
        return []
    names = _operator_names()
    return [
        f"{place}:{node.lineno}: names the operator {node.value!r}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in names
    ]


# Formats that must write or read a particular operator keep its name in a table of theirs.
OPCODE_TABLES = {
    "conformance/suite.py",
    "formats/onnx_writer.py",
    "formats/tosa_attributes.py",
    "formats/tosa_flatbuffer.py",
    "formats/tosa_schema.py",
    "formats/tosa_writer.py",
}


def _operator_names() -> set[str]:
    names = set()
    for path in (SOURCE / "operators").rglob("*.py"):
        names |= set(re.findall(r'^@operator\(\s*"(\w+)"', path.read_text(encoding="utf-8"), re.MULTILINE))
    return names


if __name__ == "__main__":
    sys.exit(main())
