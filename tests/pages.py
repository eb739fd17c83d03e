"""Runs a page of the documentation as its reader would: blocks in their order, in one folder, outputs compared.

Python blocks with `>>>` are doctests that share their names; console blocks are shell commands, where `...` stands
for any text within a line, or for any lines if it is alone in one, and a command that fails is followed by `$ echo $?`.
A block after "`NAME`:" is a file.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"(?:`([\w.-]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)(?=^\$ |\Z)", re.DOTALL | re.MULTILINE)
OUTPUTS = doctest.ELLIPSIS
SECONDS = 300


@dataclass(frozen=True)
class Ran:
    """How much of a page was run."""

    examples: int
    commands: int
    files: int


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, its text, and the file that it is."""

    kind: str
    text: str
    file: str | None


def blocks(page: str) -> Iterator[Block]:
    for file, kind, text in BLOCK.findall(page):
        yield Block(kind, text, file or None)


def commands(block: str) -> list[tuple[str, str]]:
    """Each command with the output that the page shows."""
    return COMMAND.findall(block)


def run_page(page: Path, folder: Path) -> Ran:
    """Runs everything in an empty folder, which is to be the current one; AssertionError names what is otherwise."""
    names: dict[str, Any] = {}
    examples = ran = files = 0
    status = 0
    shell = environment(folder)
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
            files += 1
        elif block.kind == "python":
            assert ">>>" in block.text, f"neither a file nor a doctest:\n{block.text}"
            count, names = _doctest(block.text, names, page.name)
            examples += count
        elif block.kind == "console":
            for command, expected in commands(block.text):
                if command == "echo $?":
                    found, status = f"{status}\n", 0
                else:
                    assert status == 0, f"exit code {status} before: {command}"
                    found, status = run_command(command, folder, shell)
                assert shows(expected, found), f"$ {command}\nexpected:\n{expected}\nfound:\n{found}"
                ran += 1
            assert status == 0, f"exit code {status} after: {block.text}"
    return Ran(examples, ran, files)


def shows(expected: str, found: str) -> bool:
    """Whether an output is what the page shows; columns may be as wide as they like."""
    pattern = "".join(
        "(?:.*\n)*" if line.strip() == "..." else re.escape(_narrow(line)).replace(re.escape("..."), ".*") + "\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, "".join(f"{_narrow(line)}\n" for line in found.splitlines())) is not None


def _narrow(line: str) -> str:
    return re.sub("[ \t]+", " ", line.rstrip())


def environment(folder: Path) -> dict[str, str]:
    """A shell's, in which `lanewise` and `python` are those that run the tests."""
    programs = folder / ".programs"
    programs.mkdir()
    for name, words in (("lanewise", '-m lanewise "$@"'), ("python", '"$@"')):
        (programs / name).write_text(f"#!/bin/sh\nexec '{sys.executable}' {words}\n")
        (programs / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LANEWISE", "PYTEST"))}
    return kept | {"PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}


def run_command(command: str, folder: Path, shell: dict[str, str]) -> tuple[str, int]:
    """What a terminal would show, and the exit code."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=shell,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout, done.returncode


def _doctest(text: str, names: dict[str, Any], page: str) -> tuple[int, dict[str, Any]]:
    test = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
    said: list[str] = []
    results = doctest.DocTestRunner(optionflags=OUTPUTS).run(test, out=said.append, clear_globs=False)
    assert results.failed == 0, "".join(said)
    return results.attempted, test.globs
