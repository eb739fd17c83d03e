"""The examples run and check themselves; the demo does its whole job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(script: Path, folder: Path) -> str:
    done = subprocess.run([sys.executable, str(script)], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "script", sorted(p for p in EXAMPLES.glob("*.py") if p.name != "demo.py"), ids=lambda p: p.stem
)
def test_example(script: Path, tmp_path: Path):
    assert run(script, tmp_path)


def test_demo(tmp_path: Path):
    out = run(EXAMPLES / "demo.py", tmp_path)
    for check in ("packed words", "unpacked channels", "luma", "hashes"):
        assert f"  {check}: equal to NumPy" in out
    from PIL import Image

    with Image.open(tmp_path / "demo-output" / "before-after.png") as picture:
        assert picture.size == (1576, 640)
        assert len(picture.getcolors(1 << 22) or ()) > 10_000
