"""Writes docs/operators.md from the records; `--check` says whether it is up to date."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from lanewise.cli.ops import example_text
from lanewise.graph.requirements import requirements, row_text
from lanewise.language.attributes import REQUIRED
from lanewise.language.operator import Operator
from lanewise.operators.catalogue import SPECIFICATIONS, default_version, find, versions_of

PAGE = Path(__file__).parent.parent / "docs" / "operators.md"
MAX_ROWS = 24


def page() -> str:
    lines = [
        "# Operators",
        "",
        "Generated from the records by `make docs`; edit the operators' own files instead.",
        "",
    ]
    for specification in SPECIFICATIONS:
        operators = versions_of(specification)
        lines += [f"## {specification.upper()}", "", "| operator | versions | requirements |", "| --- | --- | --- |"]
        for name, records in operators.items():
            since = ", ".join(str(record.release.since) for record in records)
            rules = "; ".join(requirements(find(specification, name, default_version(specification)))) or "none (total)"
            lines.append(f"| [{name}](#{name.lower()}) | {since} | {rules} |")
        lines.append("")
        for name in operators:
            lines += _section(find(specification, name, default_version(specification)))
    return "\n".join(lines).rstrip() + "\n"


def _section(record: Operator) -> list[str]:
    lines = [f"### {record.name}", "", f"{record.release.title}, {record.release.section}", ""]
    lines += (inspect.getdoc(record.meaning) or "").splitlines()
    lines += ["", "Rows:", ""]
    rows = list(map(row_text, record.rows))
    lines += [f"- `{row}`" for row in rows[:MAX_ROWS]]
    if len(rows) > MAX_ROWS:
        lines.append(f"- and {len(rows) - MAX_ROWS} more (`lanewise ops {record.name}`)")
    for name, attribute in record.attributes.items():
        default = "required" if attribute.default is REQUIRED else f"default {attribute.default}"
        lines.append(f"- attribute `{name}`: {attribute.allowed}; {default}")
    for reason, sorts in requirements(record).items():
        lines.append(f"- requires {reason} ({', '.join(sorts)})")
    if record.examples:
        lines += ["", "| operands | attributes | result |", "| --- | --- | --- |"]
    for example in record.examples:
        lines.append(f"| {' | '.join(example_text(example))} |")
    return [*lines, ""]


def main() -> int:
    wanted = page()
    if "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != wanted:
            print("docs/operators.md is out of date; run 'make docs'", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
