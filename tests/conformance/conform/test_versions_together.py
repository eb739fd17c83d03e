"""Versions of which the same is said are told together, in the words of the terminal."""

from __future__ import annotations

import io

from rich.console import Console

from lanewise.conformance.judging.questions import cells
from lanewise.conformance.judging.run import conform
from lanewise.conformance.report.terminal import show
from lanewise.conformance.report.versions import label, likewise, merged, some
from lanewise.conformance.targets.names import target_of

WIDE = "tests.conformance.conform.wide_targets"


def test_versions_with_one_text_are_one_entry() -> None:
    said = [("Cast-28", "int8"), ("Cast-25", "int8"), ("Cast-9", "int16"), ("Cast-6", "int8"), ("CAST-1.1", "int8")]
    assert merged(said) == [("Cast-28/25/6", "int8"), ("Cast-9", "int16"), ("CAST-1.1", "int8")]


def test_cells_of_the_same_version_come_without_it() -> None:
    found = [cell for cell in cells("onnx", ["14", "13", "7"]) if cell.operator == "div"]
    first, *others = [cell for cell in found if cell.type_text in ("int32", "int64")]
    assert label(first) == "Div-14"
    assert likewise(first, others) == "int64; Div-13/7: int32, int64"
    assert likewise(first, []) == ""


def test_a_long_list_of_types_is_cut() -> None:
    assert some([str(k) for k in range(9)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 1 more"


def test_a_difference_at_many_versions_is_told_once() -> None:
    report = conform([target_of(f"{WIDE}:wrong")], ["^Where-"], ["int8 → int8$"])
    out = io.StringIO()
    show(report, Console(file=out, width=200))
    text = out.getvalue()
    assert text.count(": differs\n") == 1
    assert "likewise: bool × uint8 → uint8; Where-9: bool × int8 → int8" in text or "likewise: Where-9: " in text
