"""The layout: imports go down only, names stand where they belong, importing stays light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools import rooms

ROOT = Path(__file__).parent.parent


def test_rules_of_the_rooms(capsys):
    assert rooms.main() == 0, capsys.readouterr().err


def test_a_breach_is_seen():
    assert rooms._imports("language/words.py", "language", "import numpy as np\n") == [
        "language/words.py: imports numpy, which language must not"
    ]
    assert "graph may" not in str(rooms._imports("graph/run.py", "graph", "from lanewise.engines import exact\n"))
    assert rooms._imports("engines/exact.py", "engines", "from lanewise.operators import tosa\n") == [
        "engines/exact.py: imports lanewise.operators; engines may import ['language']"
    ]
    assert rooms._imports("graph/run.py", "graph", "from lanewise.formats import save\n") != []
    assert rooms._names("graph/run.py", "x = 'BitShift'\n") == ["graph/run.py:1: names the operator 'BitShift'"]


def test_every_source_has_its_place_in_the_test_tree():
    for room in rooms.ALLOWED:
        assert (ROOT / "tests" / room).is_dir(), f"no tests for {room}"


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_loads_nothing_heavy():
    heavy = {"numpy", "llvmlite", "onnx", "ml_dtypes", "typer", "rich", "mpmath", "z3"}
    assert not modules_after("import lanewise") & heavy
    assert (
        not modules_after("import lanewise.operators.catalogue as c; c.versions_of('onnx'); c.versions_of('tosa')")
        & heavy
    )
    assert "llvmlite" not in modules_after("import lanewise as lw; lw.tosa.add; lw.onnx.add; lw.load")
