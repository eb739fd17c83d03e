"""The report as JSON: stable, described in docs/json.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.run import Report
from lanewise.conformance.judging.verdict import MEANINGS, Finding


def record(report: Report) -> dict[str, Any]:
    return {
        "targets": [
            *({"target": name, "version": version, "missing": None} for name, version in report.targets.items()),
            *({"target": name, "version": None, "missing": why} for name, why in report.missing.items()),
        ],
        "verdicts": MEANINGS,
        "cells": [_cell(key, cell) for key, cell in report.cells.items()],
        "findings": [_finding(finding) for finding in report.findings],
    }


def _cell(key: str, cell: Cell) -> dict[str, Any]:
    return {
        "cell": key,
        "specification": cell.specification,
        "operator": cell.record.name,
        "version": cell.record.release.since,
        "type": cell.type_text,
        "setting": cell.setting_text,
        "operands": [name for name, _ in cell.free],
        "listed": cell.listed,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    """All but the picture, which is for the page."""
    content = {key: value for key, value in vars(finding).items() if key not in ("picture", "key")}
    for name in ("elements", "failing", "rules", "open_elements", "open_rules"):
        content[name] = [asdict(entry) for entry in content[name]]
    return {"cell": finding.key, **content}
