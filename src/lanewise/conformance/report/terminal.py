"""The report on a terminal: a matrix of operators and targets, then what stands behind cells that do not agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.run import Report
from lanewise.conformance.report.versions import label, likewise, merged, some
from lanewise.language.errors import printable

SIGNS = {
    v.AGREES: ("=", "green"),
    v.DIFFERS: ("≠", "bold red"),
    v.REFUSES: ("r", "yellow"),
    v.CRASHES: ("†", "bold magenta"),
    v.HANGS: ("…", "bold magenta"),
    v.ABSENT: ("·", "dim"),
    v.ACCEPTS: ("+", "cyan"),
}
FAILING = (v.DIFFERS, v.CRASHES, v.HANGS, v.ACCEPTS)  # a refusal is honest, so it fails nothing
SHOWN = 60  # findings in words
FAILURES = 6  # of one finding


def show(report: Report, console: Console) -> None:
    console.print(_matrix(report))
    legend = Text("a cell counts rows of types and attributes:  ")
    for name, (sign, style) in SIGNS.items():
        legend.append(f"{sign} {name}   ", style)
    console.print(legend)
    groups = list(_alike(report).values())
    for first, *others in groups[:SHOWN]:
        console.print()
        for line, style in words(first):
            console.print(Text(printable(line), style))
        if others:
            listed = likewise(report.cells[first.key], [report.cells[other.key] for other in others])
            console.print(Text(printable(f"  likewise: {listed}")))
    if len(groups) > SHOWN:
        console.print(f"\n… and {len(groups) - SHOWN} more (--json FILE or --html FILE has all)")
    _given_up(report, console)
    _read_otherwise(report, console)
    _refusals(report, console)
    for name, why in report.missing.items():
        console.print(Text("\n" + printable(f"{name}: not run: {why}"), "yellow"))


def _alike(report: Report) -> dict[tuple[str, ...], list[v.Finding]]:
    """Findings that are told together: one target and operator, one verdict, one best rule; all that is accepted."""
    groups: dict[tuple[str, ...], list[v.Finding]] = {}
    for finding in report.findings:
        if finding.verdict in FAILING and finding.asked:
            rule = finding.rules[0].name if finding.rules else ""
            name = report.cells[finding.key].record.name if finding.verdict != v.ACCEPTS else ""
            what = (finding.target, name, finding.verdict, rule, _kind(finding))
            groups.setdefault(what, []).append(finding)
    return groups


def _kind(finding: v.Finding) -> str:
    """What makes up a difference: another type or shape of everything, elements, or layouts alone."""
    if finding.verdict != v.DIFFERS:
        return ""
    if finding.message:
        return "type and values" if finding.values_differing else "type"
    return "elements" if finding.differing else "layouts"


def summary(report: Report) -> str:
    """The last line: counts of verdicts."""
    counts = Counter(finding.verdict for finding in report.findings)
    return ", ".join(f"{counts[name]} {name}" for name in v.VERDICTS if counts[name]) or "nothing was asked"


def _matrix(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("operator")
    for name, version in report.targets.items():
        table.add_column(Text(f"{printable(name)}\n{printable(version)}"))
    rows: dict[str, dict[str, Counter[str]]] = {}
    for finding in report.findings:
        cell = report.cells[finding.key]
        row = f"{cell.specification.upper()} {cell.record.name} {cell.record.release.since}"
        rows.setdefault(row, {}).setdefault(finding.target, Counter())[finding.verdict] += 1
    for row, by_target in rows.items():
        table.add_row(row, *(_counts(by_target.get(name, Counter())) for name in report.targets))
    return table


def _counts(counts: Counter[str]) -> Text:
    text = Text()
    for name, (sign, style) in SIGNS.items():
        if counts[name]:
            text.append(f"{counts[name]}{sign} ", style)
    return text


def words(finding: v.Finding) -> Iterable[tuple[str, str]]:
    """One finding in lines, each with its style."""
    yield f"{finding.target}: {finding.key}: {finding.verdict}", "bold"
    if finding.message:
        yield f"  {finding.message}", ""
    if finding.differing:
        all_pairs = " (every input there is)" if finding.exhaustive and not (finding.not_run or finding.failing) else ""
        yield f"  {finding.differing:,} of {finding.compared:,} inputs differ{all_pairs}", ""
    told = [one for one in finding.failing if one.kind != "refusal" or one.place == "specified"]
    for failing in told[:FAILURES]:
        together = "" if failing.rows == 1 else f" and {failing.rows - 1} more together"
        kind = KINDS.get(failing.kind, failing.kind)
        yield f"  {kind} on {', '.join(failing.operands)}{together}{PLACES[failing.place]}", ""
        yield f"    {failing.message}", "dim"
    if len(told) > FAILURES:
        yield f"  and {len(told) - FAILURES} more inputs that fail", ""
    if finding.not_run and not (finding.compared or finding.failing):
        yield f"  none of {finding.not_run:,} inputs has a result; no others were tried", ""
    elif finding.not_run:
        yield f"  {finding.not_run:,} inputs without a result: not run, or only together with inputs that fail", ""
    for rule in finding.rules[:3]:
        yield f"  as if: {rule.name} ({rule.meaning}): {rule.explained / rule.of:.0%} of the differing inputs", ""
    for element in finding.elements[:2]:
        given = ", ".join(f"{a} ({b})" for a, b in zip(element.operands, element.operand_bits, strict=True))
        yield f"  {element.why}: {given}", ""
        yield f"    specified {element.expected} ({element.expected_bits})", "dim"
        yield f"    got       {element.got} ({element.got_bits})", "dim"
    for layout, text in finding.layouts.items():
        if text != v.AGREES:
            yield f"  {layout} arrays: {text}", ""


KINDS = {"mistyped": "another type or shape"}
PLACES = {
    "specified": "",
    "open": ", about which the text is silent",
    "outside": ", outside the specification (unpredictable)",
}


def _given_up(report: Report, console: Console) -> None:
    counts = Counter((finding.target, finding.message) for finding in report.findings if not finding.asked)
    for (target, why), count in counts.items():
        noun = "row of types hangs" if count == 1 else "rows of types hang"
        console.print(Text("\n" + printable(f"{target}: {count} more {noun}, {why}"), "bold"))


def _read_otherwise(report: Report, console: Console) -> None:
    """Where texts are silent and a target reads them in its own way: told, and counted for nothing."""
    found: dict[tuple[str, str, str, str], list[v.Finding]] = {}
    for finding in report.findings:
        if finding.open_differing:
            rule = finding.open_rules[0].name if finding.open_rules else ""
            found.setdefault((finding.target, label(report.cells[finding.key]), finding.reading, rule), []).append(
                finding
            )
    if found:
        console.print("\nread otherwise, where the text is silent:", style="bold")
    said = ((name, (target, _otherwise(report, rule, alike))) for (target, name, _, rule), alike in found.items())
    for name, (target, text) in merged(said):
        console.print(Text(printable(f"  {target}: {name}: {text}")))


def _otherwise(report: Report, rule: str, findings: Sequence[v.Finding]) -> str:
    """What is read otherwise of some types, with the share that a rule explains."""
    kinds = list(dict.fromkeys(report.cells[finding.key].type_text for finding in findings))
    best = [one.open_rules[0] for one in findings] if rule else []
    percent = math.floor(100 * sum(one.explained for one in best) / max(1, sum(one.of for one in best)))
    explained = f"; as if: {rule} ({percent or 'less than 1'}%)" if rule else ""
    differing, open_inputs = sum(one.open_differing for one in findings), sum(one.open for one in findings)
    return f"{some(kinds)} ({differing:,} of {open_inputs:,} open inputs, reading {findings[0].reading}){explained}"


def _refusals(report: Report, console: Console) -> None:
    refused: dict[tuple[str, str, str], list[str]] = {}
    for finding in report.findings:
        partly = _partly(finding)
        if finding.verdict == v.REFUSES or (finding.verdict == v.AGREES and partly):
            cell = report.cells[finding.key]
            kinds = refused.setdefault((finding.target, label(cell), partly), [])
            if cell.type_text not in kinds:
                kinds.append(cell.type_text)
    if refused:
        console.print("\nrefused:", style="bold")
    said = ((name, (target, some(kinds) + partly)) for (target, name, partly), kinds in refused.items())
    for name, (target, text) in merged(said):
        console.print(Text(printable(f"  {target}: {name}: {text}")))


def _partly(finding: v.Finding) -> str:
    """What was not refused as a whole: layouts, or how many inputs, the first reason, and how many have no result."""
    refused = [failing for failing in finding.failing if failing.kind == "refusal" and failing.place == "specified"]
    if refused:
        count = sum(failing.rows for failing in refused)
        said = f"{count:,} inputs refused, {finding.compared:,} compared, {finding.not_run:,} without a result"
        return f" ({said}: {refused[0].message})"
    layouts = {name: text for name, text in finding.layouts.items() if text.startswith(v.REFUSES)}
    return f" ({', '.join(layouts)} arrays: {next(iter(layouts.values()))})" if layouts else ""
