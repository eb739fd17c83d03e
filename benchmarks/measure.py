"""Measuring side by side: every contender in turn, round after round, so that noise hits all alike."""

from __future__ import annotations

import gc
import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np


def race(contenders: Mapping[str, Callable[[], Any]], rounds: int = 9, warm_up: int = 1) -> dict[str, list[float]]:
    """Seconds of every run that counts, by contender.

    In its turn a contender runs three times and the first does not count: it writes back to memory
    what the contender before it has left in cache. A pause lets the idle threads of the contender
    before it stop spinning.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    gc.disable()
    try:
        for turn in range(warm_up + rounds):
            for name, run in contenders.items():
                time.sleep(0.05)
                for attempt in range(3):
                    started = time.perf_counter()
                    run()
                    seconds = time.perf_counter() - started
                    if turn >= warm_up and attempt:
                        times[name].append(seconds)
    finally:
        gc.enable()
    return times


def summary(times: Mapping[str, list[float]]) -> dict[str, dict[str, float]]:
    """Median, fastest and slowest in milliseconds."""
    return {
        name: {"median": median(values) * 1e3, "fastest": min(values) * 1e3, "slowest": max(values) * 1e3}
        for name, values in times.items()
    }


def parallel_copy(source: np.ndarray, target: np.ndarray) -> Callable[[], None]:
    """NumPy's copy on as many threads as lanewise uses: what moving the bytes costs at least."""
    from lanewise.engines.native import threads

    step = -(-source.size // threads.get_threads())
    parts = [(target[at : at + step], source[at : at + step]) for at in range(0, source.size, step)]
    return lambda: threads.each(parts, lambda part: np.copyto(*part))


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    packages = {}
    for name in ("numpy", "llvmlite", "onnxruntime"):
        packages[name] = version(name)
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **packages,
    }


def save(name: str, report: Any) -> None:
    """Keeps a run's figures beside the others."""
    folder = Path("bench-output")
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(report, indent=2))
    print(f"\nfigures: {folder / name}.json")
