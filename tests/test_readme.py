"""What the README and the guides show is what happens."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from tests.conformance.test_suite import A, B, make
from tests.formats.test_tosa_file import adder, operator

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def test_python_and_console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL & 0
    text = "\n".join(blocks("python"))
    test = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
    results = doctest.DocTestRunner(optionflags=flags).run(test)
    assert results.attempted > 20
    assert results.failed == 0
    np.save("h.npy", np.array([65536, 3], np.uint32))
    make(tmp_path / "conformance" / "add", adder(), reference=A + B)
    make(tmp_path / "conformance" / "conv2d", adder(operators=[operator("CONV2D", ["a", "b"], ["c"])]))
    ran = 0
    for block in blocks("console"):
        for command, expected in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE):
            words = command.split()
            assert words[0] == "lanewise"
            done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            pattern = re.escape(expected).replace(re.escape("..."), r"[\d.]+")
            assert re.fullmatch(pattern, done.stdout), f"{command}\n{done.stdout}"
            ran += 1
    assert ran == 7


def test_proving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "proving.md").read_text(encoding="utf-8")
    text = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, "proving", "proving.md", 0)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert results.attempted > 8
    assert results.failed == 0
    graph = lw.Builder(onnx=28)
    x, y = graph.input("x", "uint8", ("n", 3)), graph.input("y", "uint8", (3,))
    graph.output("z", graph.node("Div", x, graph.node("BitShift", y, x, direction="LEFT")))
    graph.model().save("before.onnx")
    lw.lower(lw.load("before.onnx"), to="tosa", version="1.0", shapes={"x": (2, 3)}).model.save("after.tosa")
    (block,) = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    command, expected = block.removeprefix("$ ").split("\n", 1)
    done = subprocess.run([sys.executable, "-m", *command.split()], capture_output=True, text=True, check=False)
    assert re.fullmatch(re.escape(expected).replace(re.escape("..."), r"[\d.]+"), done.stdout), done


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_targets_of_make_exist():
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in re.findall(r"^make (\S+)", README, re.MULTILINE):
        assert target in targets
