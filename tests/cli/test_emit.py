"""`lanewise emit`: the page's output, files, and refusals."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "emit.md"


def lanewise(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lanewise", *words], capture_output=True, text=True, check=False)


def test_the_page_shows_what_happens():
    (block,) = re.findall(r"```console\n\$ lanewise (.*?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    done = lanewise(*block[0].split())
    assert done.returncode == 0, done.stderr
    assert done.stdout == block[1]


def test_a_refusal_leaves_no_file(tmp_path: Path):
    target = tmp_path / "add.sv"
    done = lanewise("emit", "ADD", "float32", "--lang", "sv", "-o", str(target))
    assert done.returncode == 5 and "has no floats" in done.stderr
    assert not target.exists()
    done = lanewise("emit", "ADD", "int32", "--lang", "sv", "-o", str(target))
    assert done.returncode == 0 and "module tosa_0_23_0_add_int32 (" in target.read_text()


def test_what_is_wrong_is_said():
    assert "no row" in lanewise("emit", "ADD", "uint8").stderr
    assert "give the types" in lanewise("emit", "ADD").stderr
    assert "QQQ: no such operator; see 'lanewise ops'" in lanewise("emit", "QQQ", "int8").stderr
    assert "give it as -a direction=VALUE" in lanewise("emit", "BitShift", "int8").stderr
