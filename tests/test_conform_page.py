"""The scripts of docs/conform.md that confirm differences without lanewise print what stands below them."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy

import pytest

from lanewise.conformance.targets.process import ending
from tests.pages import shows

PAGE = (Path(__file__).parents[1] / "docs" / "conform.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## What it finds, without lanewise\n")[2].partition("\n## ")[0]
SCRIPT = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`([\w.]+)`[^`]*\n\n```(?:python|json)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOUND = [(code, shown) for code, shown in SCRIPT.findall(SECTION) if not code.startswith("import flatbuffers")]
FILES = {name: text for name, text in FILE.findall(SECTION) if name in ("litert_one.py", "intdiv.json")}
TOOLS = "LANEWISE_TOSA_TOOLS"
NAMED = {  # what the workbench must show, by words of its script
    "torch.uint16": "NotImplementedError",
    "np.right_shift": "-1 0",
    "jnp.int8(1) << jnp.int8(9)": "0 -1",
    "ReferenceEvaluator": "[-4,  2]",
    "onnxruntime.InferenceSession": "SIGFPE",
    "--ifm_name=a,b": "248",
}


def missing(code: str) -> list[str]:
    """Packages that a script imports and that are not there."""
    lines = re.findall(r"^(?:import|from) (.+?)(?: import .*)?$", code, re.MULTILINE)
    names = [name.split(" as ")[0].strip() for line in lines for name in line.split(",")]
    roots = {"iree": "iree", "litert_one": "ai_edge_litert"}
    wanted = [roots.get(name.split(".")[0], name.split(".")[0]) for name in names]
    return sorted({name for name in wanted if importlib.util.find_spec(name) is None})


@pytest.mark.parametrize(("code", "shown"), FOUND, ids=[str(k) for k in range(len(FOUND))])
def test_a_script_prints_what_stands_below_it(code: str, shown: str, tmp_path: Path) -> None:
    assert shown, f"no output is shown below:\n{code}"
    if "SIG" in shown and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the page shows what ends a process on x86 processors")
    lacking = missing(code)
    if lacking:
        pytest.skip(f"the script needs {', '.join(lacking)}")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    path = os.environ.get("PATH", "")
    if "tosa_reference_model" in code:
        folder = os.environ.get(TOOLS)
        if not folder:
            pytest.skip(f"the script needs tosa-tools; {TOOLS}=DIR says where they are")
        copy(next(iter(Path(folder).rglob("tosa.fbs"))), tmp_path)
        path = f"{folder}/bin{os.pathsep}{path}"
    environment = {"PATH": path, "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout
    if done.returncode < 0:
        said += f"{ending(done.returncode)}\n"
    elif done.returncode:
        said += f"{done.stderr.strip().splitlines()[-1]}\n"
    assert shows(shown, said), f"{code}\nshown:\n{shown}\nfound:\n{said}\n{done.stderr[-500:]}"


@pytest.mark.parametrize("words", NAMED)
def test_the_differences_that_everybody_asks_about_are_there(words: str) -> None:
    assert [shown for code, shown in FOUND if words in code and NAMED[words] in shown]


def test_every_file_that_a_script_needs_is_shown() -> None:
    assert set(FILES) == {"litert_one.py", "intdiv.json"}
