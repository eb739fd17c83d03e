"""The report as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from lanewise.conformance.judging.run import Report
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.verdict import Finding
from lanewise.conformance.report.pictures import difference_picture, result_picture
from lanewise.conformance.report.record import record
from lanewise.conformance.report.terminal import summary


def page(report: Report) -> str:
    """The page; all of the report is data in it, which its script draws."""
    data = record(report)
    pictures: dict[str, dict[str, int]] = {}
    drawn: dict[bytes, dict[str, int]] = {}
    uris: dict[str, int] = {}
    for finding in report.findings:
        if finding.picture is None:
            continue
        results, known = finding.picture
        same = finding.key.encode() + results.tobytes() + known.tobytes()
        if same not in drawn:  # targets that agree share their pictures
            made = _pictures(finding, report.subjects[finding.key])
            drawn[same] = {name: uris.setdefault(uri, len(uris)) for name, uri in made.items()}
        pictures[f"{finding.target}\n{finding.key}"] = drawn[same]
    data["pictures"] = pictures
    data["images"] = list(uris)
    folder = files("lanewise.conformance.report")
    text = (folder / "page.html").read_text(encoding="utf-8")
    parts = {
        "STYLE": (folder / "page.css").read_text(encoding="utf-8"),
        "SCRIPT": (folder / "page.js").read_text(encoding="utf-8"),
        "SUMMARY": html.escape(summary(report)),
        "DATA": _embedded(data),
    }
    for name, content in parts.items():
        text = text.replace(f"@{name}@", content, 1)
    return text


def _pictures(finding: Finding, subject: Subject) -> dict[str, str]:
    results, known = finding.picture
    cell = subject.cell
    signed, output = cell.free[0][1].signed, cell.row.output
    shown = results * 255 if output.kind == "bool" else results
    expected = subject.expected.astype("uint8") if output.kind == "bool" else subject.expected.view("uint8")
    silent = subject.outside | subject.open[1]
    theory = expected * 255 if output.kind == "bool" else expected
    return {
        "target": result_picture(shown, known, output.signed),
        "specified": result_picture(theory, ~subject.outside, output.signed),
        "difference": difference_picture((results != expected) & known, known, silent, signed),
    }


def _embedded(data: dict[str, Any]) -> str:
    """JSON that no markup in it can end."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("\u2028", "\\u2028")
