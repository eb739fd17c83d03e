"""Starting from nothing: the first compilation, the import, the command's version; each in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

KERNEL = 60  # milliseconds that compiling one may take
ROOT = Path(__file__).parent.parent
IMPORT = """
import time
started = time.perf_counter()
import lanewise
imported = time.perf_counter()
lanewise.tosa, lanewise.onnx
print(imported - started, time.perf_counter() - started)
"""


def fresh(*arguments: str) -> str:
    """What a new Python process with these arguments prints."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def measure_cold(repeats: int = 7, kernels: int | None = None) -> dict[str, Any]:
    """Milliseconds, medians over `repeats` processes; kernels over all rows of the source texts, once each."""
    imports = [[float(word) * 1e3 for word in fresh("-c", IMPORT).split()] for _ in range(repeats)]
    script = Path(sys.executable).with_name("lanewise")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "lanewise"]
    versions = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run([*command, "--version"], capture_output=True, check=True)
        versions.append((time.perf_counter() - started) * 1e3)
    limit = [] if kernels is None else [str(kernels)]
    compiled = json.loads(fresh("-m", "benchmarks.cold_kernels", *limit))
    times = compiled["milliseconds"]
    slowest = max(times, key=times.__getitem__)
    return {
        "import": median(bare for bare, _ in imports),
        "import with operators": median(both for _, both in imports),
        "version": median(versions),
        "kernel": median(times.values()),
        "slow kernels": sum(time > KERNEL for time in times.values()),
        "kernels": len(times),
        "first kernel": compiled["first"],
        "slowest kernel": times[slowest],
        "slowest kernel is": slowest,
    }
