"""What the guides show is what happens, from the first line of each to the last."""

from __future__ import annotations

import platform
import re
import shutil
from pathlib import Path

import pytest

from tests.pages import run_page, shows

GUIDES = Path(__file__).parent.parent / "docs" / "guides"


def test_compiler_engineer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    ran = run_page(GUIDES / "compiler-engineer.md", tmp_path)
    assert ran.examples > 10
    assert ran.commands > 10
    assert ran.files == 1


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the page shows what a division does on x86 processors"
)
def test_data_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("PIL")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    ran = run_page(GUIDES / "data-person.md", tmp_path)
    assert ran.examples > 20
    assert ran.commands > 6
    assert ran.files == 1


def test_hardware_verifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for program in ("iverilog", "gcc"):
        if shutil.which(program) is None:
            pytest.skip(f"the guide needs {program}")
    monkeypatch.chdir(tmp_path)
    ran = run_page(GUIDES / "hardware-verifier.md", tmp_path)
    assert ran.examples > 3
    assert ran.commands > 15
    assert ran.files == 5


@pytest.mark.parametrize("page", sorted(GUIDES.glob("*.md")), ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("a   b\n  ...\nx ... s\n", "a b  \nq\nr\nx 0.3 s\n", True),
        ("a\n  ...\n", "a\n", True),
        ("a ... s\n", "a 0.3 ms\nb s\n", False),
        ("a\n", "a\nb\n", False),
        ("a .. b\n", "a xx b\n", False),
    ],
)
def test_outputs_are_compared(expected: str, found: str, same: bool):
    assert shows(expected, found) == same


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ echo a\nb\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ false\n$ echo $?\n2\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nx = 1\n```\n",
        "`x.txt`:\n\n```text\na\n```\n\n```console\n$ cat x.txt\nb\n```\n",
    ],
)
def test_a_page_that_is_wrong_is_found(text: str, tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(text)
    (tmp_path / "folder").mkdir()
    with pytest.raises(AssertionError):
        run_page(page, tmp_path / "folder")
