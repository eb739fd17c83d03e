"""The cocotb example finds and names its planted fault; its page shows what it prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.pages import blocks, commands, environment, run_command

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "cocotb"


def _missing() -> str:
    """What the example cannot be run without."""
    if shutil.which("iverilog") is None:
        return "needs Icarus Verilog (iverilog), which simulates the example"
    if find_spec("cocotb_tools") is None:
        return "needs cocotb 2, which drives the example"
    from find_libpython import find_libpython

    return "" if find_libpython() else "needs a Python with a shared library, which simulators load"


pytestmark = pytest.mark.skipif(bool(_missing()), reason=_missing())


def test_the_page_shows_what_happens(tmp_path: Path):
    (block,) = [
        block for block in blocks((EXAMPLE / "README.md").read_text(encoding="utf-8")) if block.kind == "console"
    ]
    ((command, expected),) = commands(block.text)
    found, status = run_command(command, ROOT, environment(tmp_path))
    assert status == 0, found
    assert found == expected


def test_another_fault_is_not_taken_for_the_planted_one(tmp_path: Path):
    changed = tmp_path / "changed"
    shutil.copytree(EXAMPLE, changed, ignore=shutil.ignore_patterns("__pycache__"))
    design = changed / "shifter.sv"
    text = design.read_text(encoding="utf-8")
    assert "$unsigned(data) >> count" in text
    design.write_text(text.replace("$unsigned(data) >> count", "data >>> count"), encoding="utf-8")
    run = changed / "run.py"
    run.write_text(run.read_text(encoding="utf-8").replace("WIDTHS = (8, 16)", "WIDTHS = (16,)"), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run([sys.executable, run], capture_output=True, text=True, check=False, env=kept, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "arithmetic for logical" in done.stdout
    assert done.stdout.endswith("passes: NO\n")
