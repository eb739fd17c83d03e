"""The JSON, the terminal and the page; the page in headless Chromium where that is installed."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from lanewise.conformance.detective import rules
from lanewise.conformance.judging.questions import cells
from lanewise.conformance.judging.run import Report, conform
from lanewise.conformance.judging.verdict import MEANINGS, VERDICTS
from lanewise.conformance.report.page import page
from lanewise.conformance.report.pictures import difference_picture
from lanewise.conformance.report.record import record
from lanewise.conformance.report.terminal import show, summary
from lanewise.conformance.targets.names import target_of
from tests.conformance.conform.browser import CHROMIUM, Browser

pytest.importorskip("PIL")
HERE = "tests.conformance.conform.sample_targets"


@pytest.fixture(scope="module")
def report() -> Report:
    return conform(
        [target_of(f"{HERE}:masks_counts"), target_of(f"{HERE}:right")], ["^Bit(Shift-28|wiseAnd)"], ["^u?int8$"]
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


def test_what_a_target_calls_itself_does_not_steer_the_terminal(report: Report) -> None:
    out = io.StringIO()
    renamed = replace(report, targets=dict.fromkeys(report.targets, "\x1b[2Jx"))
    show(renamed, Console(file=out, width=160))
    assert "\x1b" not in out.getvalue()
    assert "\\x1b[2Jx" in out.getvalue()


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


needs_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    first, *others = (finding for finding in report.findings if finding.target == f"{HERE}:right")
    kept = [
        finding for finding in report.findings if finding is not first
    ]  # so one cell of the last column is not asked
    assert others
    path.write_text(page(replace(report, findings=kept)))
    return path


ROWS = "document.querySelectorAll('#matrix tbody tr').length"
FOCUS = "(document.activeElement.id || document.activeElement.getAttribute('aria-label'))"
UNNAMED = """[...document.querySelectorAll("button, select, [role=region], meter, img")].filter((element) =>
  !(element.getAttribute("aria-label") || element.labels?.length || element.alt)).length"""


@needs_a_browser
def test_filters_narrow_the_matrix(browser: Browser, file: Path) -> None:
    browser.open(file, 1280, 900)

    def pick(**values: str) -> int:
        for id, value in values.items():
            browser.ask(f"$('{id}').value = {json.dumps(value)}; $('{id}').dispatchEvent(new Event('change'))")
        return int(browser.ask(ROWS))

    assert pick() == 4  # BitShift, two types, two directions
    assert pick(verdict="") == 6
    assert pick(version="ONNX 28") == 4
    assert pick(version="ONNX 18") == 2
    assert pick(version="", operator="ONNX BitwiseAnd") == 2
    assert pick(type="uint8") == 1
    assert pick(operator="", type="", verdict="differs") == 4
    assert pick(target=f"{HERE}:right") == 0
    assert browser.ask("$('count').textContent") == "0 of 6 rows"
    assert browser.errors == []


@needs_a_browser
def test_agreement_that_reads_silence_otherwise_is_marked_and_found(
    browser: Browser, report: Report, tmp_path: Path
) -> None:
    silent = next(one for one in report.findings if one.target == f"{HERE}:right" and one.verdict == "agrees")
    silent = replace(silent, open=4, open_differing=2, reading="O1")
    findings = [silent if (one.target, one.key) == (silent.target, silent.key) else one for one in report.findings]
    path = tmp_path / "page.html"
    path.write_text(page(replace(report, findings=findings)))
    browser.open(path, 1280, 900)
    starred = "[...document.querySelectorAll('#matrix button')].filter((one) => one.textContent.includes('=*'))"
    assert browser.ask(ROWS) == 5  # what differs, and this one
    assert browser.ask(f"{starred}.length") == 1
    name = browser.ask(f"{starred}[0].getAttribute('aria-label')")
    assert name == f"{HERE}:right, {silent.key}: agrees, 2 of 4 inputs read otherwise (O1)"
    meaning = browser.ask(f"document.getElementById({starred}[0].getAttribute('aria-describedby')).textContent")
    assert "about which the text is silent" in meaning
    assert "=* read otherwise" in browser.ask("document.querySelector('#legend summary').textContent")
    browser.ask("$('verdict').value = 'read otherwise'; $('verdict').dispatchEvent(new Event('change'))")
    assert browser.ask(ROWS) == 1
    assert browser.errors == []


@needs_a_browser
def test_every_input_is_claimed_only_where_all_were_run(browser: Browser, report: Report, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    for left_out in (0, 5):
        findings = [replace(one, not_run=left_out) for one in report.findings]
        path.write_text(page(replace(report, findings=findings)))
        browser.open(path, 1280, 900)
        browser.ask("document.querySelector('#matrix button.differs').click()")
        assert ("every input there is" in browser.ask("$('detail').textContent")) == (left_out == 0)


@needs_a_browser
def test_the_keyboard_alone_reaches_filters_and_cells_and_opens_one(browser: Browser, file: Path) -> None:
    browser.open(file, 1280, 900)
    order = []
    for _ in range(9):
        browser.press("Tab")
        order.append(browser.ask(FOCUS))
    summary_of_legend, region, first = order[6:]
    assert order[:6] == ["theme", "operator", "version", "type", "target", "verdict"]
    assert summary_of_legend is None  # the legend's summary, which is named by its text
    assert region == "Matrix of operators and targets"
    assert first.startswith(f"{HERE}:masks_counts, onnx BitShift 28")
    assert "differs" in first
    browser.press("Enter")
    assert browser.ask("$('detail').open")
    assert "count masked by the width" in browser.ask("$('detail').textContent")
    title = "document.getElementById($('detail').getAttribute('aria-labelledby')).textContent"
    assert "BitShift" in browser.ask(title)
    assert browser.ask("[...document.querySelectorAll('#detail img')].every((image) => image.alt.length > 0)")
    assert browser.ask(UNNAMED) == 0
    assert browser.ask(FOCUS) == "close"
    regions = []
    while browser.press("Tab") or (there := browser.ask(FOCUS)) not in ("close", None, "BODY"):
        regions.append(there)
    assert regions == ["Rules that reproduce it", "Inputs that differ"]
    browser.press("Escape")
    assert not browser.ask("$('detail').open")
    assert browser.ask(FOCUS) == first  # back where it was
    assert browser.errors == []


@needs_a_browser
def test_keys_change_a_filter_the_legend_and_the_colours(browser: Browser, file: Path) -> None:
    for dark in (False, True):
        browser.open(file, 1280, 900, dark)
        theme = "document.documentElement.dataset.theme + $('theme').getAttribute('aria-pressed')"
        back = "getComputedStyle(document.body).backgroundColor"
        before = browser.ask(back)
        assert browser.ask(theme) == ("darktrue" if dark else "lightfalse")
        browser.press("Tab")
        browser.press(" ")
        assert browser.ask(theme) == ("lightfalse" if dark else "darktrue")
        assert browser.ask(back) != before
        for _ in range(5):
            browser.press("Tab")
        assert browser.ask(FOCUS) == "verdict"
        browser.press("ArrowDown")
        assert (browser.ask("$('verdict').value"), browser.ask(ROWS)) == ("", 6)
        browser.press("Tab")
        assert browser.ask("$('legend').open")
        browser.press("Enter")
        assert not browser.ask("$('legend').open")
    assert browser.errors == []


@needs_a_browser
def test_what_a_verdict_means_is_in_the_page_and_belongs_to_each_cell(browser: Browser, file: Path) -> None:
    browser.open(file, 1280, 900)
    seen = browser.ask("document.querySelector('main').innerText")
    for name, meaning in MEANINGS.items():
        assert meaning in seen
        assert browser.ask(f"document.getElementById('meaning-{name.replace(' ', '-')}').textContent") == meaning
    described = (
        "document.getElementById(document.querySelector('#matrix button.differs').getAttribute('aria-describedby'))"
    )
    assert browser.ask(f"{described}.textContent") == MEANINGS["differs"]
    assert browser.ask("document.querySelectorAll('[title]').length") == 0
    browser.open(file, 390, 844)
    assert not browser.ask("$('legend').open")
    assert all(name in browser.ask("document.querySelector('#legend summary').innerText") for name in MEANINGS)


@needs_a_browser
@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_the_page_is_as_wide_as_the_screen(browser: Browser, file: Path, dark: bool) -> None:
    browser.open(file, 390, 844, dark)
    wide = "document.documentElement.scrollWidth"
    assert browser.ask(wide) == browser.ask("innerWidth") == 390
    browser.ask("$('legend').open = true")
    assert browser.ask(wide) == 390
    browser.ask("document.querySelector('#matrix button.differs').click()")
    assert browser.ask(wide) == 390
    assert browser.ask("$('detail').scrollWidth <= $('detail').clientWidth")
    sizes = "[...document.querySelectorAll('#detail img')].map((image) => [image.clientWidth, image.clientHeight])"
    assert {width == height > 100 for width, height in browser.ask(sizes)} == {True}
    tables = "[...document.querySelectorAll('#detail .wide')]"
    assert browser.ask(f"{tables}.some((part) => part.scrollWidth > part.clientWidth)")  # these scroll instead
    assert browser.ask(f"{tables}.every((part) => part.tabIndex === 0)")
    browser.press("Escape")
    assert browser.errors == []


def test_the_guide_lists_every_rule_and_verdict() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "conform.md").read_text(encoding="utf-8")
    list(rules.for_cell(next(cells("onnx"))))  # records them
    for rule in rules.RULES:
        assert f"| {rule.name} | {rule.meaning} |" in guide
    for name in VERDICTS:
        assert f"| {name} |" in guide
