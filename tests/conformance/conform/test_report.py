"""The JSON, the terminal and the page; the page in headless Chromium where that is installed."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from lanewise.conformance.detective import rules
from lanewise.conformance.judging.cells import cells
from lanewise.conformance.judging.run import Report, conform
from lanewise.conformance.judging.verdict import VERDICTS
from lanewise.conformance.report.page import page
from lanewise.conformance.report.pictures import difference_picture
from lanewise.conformance.report.record import record
from lanewise.conformance.report.terminal import show, summary
from lanewise.conformance.targets.names import target_of

pytest.importorskip("PIL")
HERE = "tests.conformance.conform.sample_targets"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def report() -> Report:
    return conform(
        [target_of(f"{HERE}:masks_counts"), target_of(f"{HERE}:right")], "^Bit(Shift-28|wiseAnd)", "^u?int8$"
    )


def test_the_record_is_json_and_counts_what_the_summary_says(report: Report) -> None:
    found = json.loads(json.dumps(record(report)))
    assert set(found) == {"targets", "verdicts", "cells", "findings"}
    assert list(found["verdicts"]) == list(VERDICTS)
    assert len(found["findings"]) == len(found["cells"]) * 2 == 12
    counts = {name: sum(f["verdict"] == name for f in found["findings"]) for name in VERDICTS}
    assert summary(report) == ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    (differing,) = [
        f for f in found["findings"] if f["cell"] == "onnx BitShift 28 int8 direction=LEFT" and f["differing"]
    ]
    assert differing["rules"][0] == {
        "name": "count masked by the width",
        "meaning": differing["rules"][0]["meaning"],
        "explained": differing["differing"],
        "of": differing["differing"],
    }
    assert "picture" not in differing


def test_the_terminal_names_the_rule_and_shows_both_results_in_binary(report: Report) -> None:
    out = io.StringIO()
    show(report, Console(file=out, width=160))
    text = out.getvalue()
    assert "count masked by the width" in text
    assert "100% of the differing inputs" in text
    assert re.search(r"specified 0 \(0000_0000\)\n +got +-128 \(1000_0000\)", text)


def test_a_picture_has_the_first_operand_to_the_right_and_the_second_upwards() -> None:
    from PIL import Image

    differs = np.zeros(65536, np.bool_)
    differs[3 * 256 + 10] = True  # first operand 10, second 3
    uri = difference_picture(differs, np.ones(65536, np.bool_), np.zeros(65536, np.bool_), signed=False)
    image = np.array(Image.open(io.BytesIO(base64.b64decode(uri.split(",")[1]))).convert("RGB"))
    red = np.argwhere(image[:, :, 1] < 100)
    assert red.tolist() == [[255 - 3, 10]]


def test_the_page_needs_nothing_else_and_is_not_ended_by_its_data(report: Report) -> None:
    text = page(report)
    assert "@" + "DATA@" not in text
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert "<" not in data[1]
    assert len(json.loads(data[1])["pictures"]) == 4 + 2  # masks_counts has no BitwiseAnd, right no BitShift


PROBE = """
<script>
addEventListener("error", (event) => { document.title = "error " + event.message; });
addEventListener("load", () => {
  const rows = () => document.querySelectorAll("#matrix tbody tr").length;
  const pick = (id, value) => {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event("change"));
  };
  const found = { start: rows() };
  pick("verdict", ""); found.everything = rows();
  pick("operator", "ONNX BitwiseAnd 18"); found.operator = rows();
  pick("type", "uint8"); found.type = rows();
  pick("operator", ""); pick("type", ""); pick("verdict", "differs"); found.differs = rows();
  pick("target", "TARGET:right"); found.target = rows();
  pick("target", "");
  const named = (element) => element.getAttribute("aria-label") || element.labels?.length;
  found.unnamed = [...document.querySelectorAll("button, select")].filter((element) => !named(element)).length;
  const button = document.querySelector("#matrix button.differs");
  found.label = button.getAttribute("aria-label");
  button.focus(); found.focused = document.activeElement === button;
  button.click();
  found.open = document.getElementById("detail").open;
  found.named = document.getElementById(document.getElementById("detail").getAttribute("aria-labelledby")).textContent;
  found.images = [...document.querySelectorAll("#detail img")].map((image) => image.alt.length > 0);
  found.text = document.getElementById("detail").textContent;
  document.getElementById("close").click();
  const before = document.documentElement.dataset.theme;
  document.getElementById("theme").click();
  found.themes = [before, document.documentElement.dataset.theme].sort();
  document.body.dataset.found = JSON.stringify(found);
});
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_in_a_browser_filters_dialog_and_theme_work_and_everything_is_named(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    probe = PROBE.replace("TARGET:", f"{HERE}:")
    path.write_text(page(report).replace("<title>", probe + "<title>", 1))
    assert CHROMIUM is not None
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
         "--virtual-time-budget=5000", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    dom = done.stdout
    assert "<title>error" not in dom
    attribute = re.search(r'data-found="([^"]*)"', dom)
    assert attribute is not None, done.stderr[-2000:]
    found = json.loads(attribute[1].replace("&quot;", '"').replace("&amp;", "&"))
    assert found["start"] == found["differs"] == 4  # BitShift, two types, two directions
    assert (found["everything"], found["operator"], found["type"], found["target"]) == (6, 2, 1, 0)
    assert found["unnamed"] == 0
    assert found["label"].startswith(f"{HERE}:masks_counts, onnx BitShift 28")
    assert found["focused"] and found["open"]
    assert found["images"] == [True, True, True]
    assert "count masked by the width" in found["text"]
    assert "BitShift" in found["named"]
    assert found["themes"] == ["dark", "light"]


def test_the_guide_lists_every_rule_and_verdict() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "conform.md").read_text(encoding="utf-8")
    list(rules.for_cell(next(cells("onnx"))))  # records them
    for rule in rules.RULES:
        assert f"| {rule.name} | {rule.meaning} |" in guide
    for name in VERDICTS:
        assert f"| {name} |" in guide
