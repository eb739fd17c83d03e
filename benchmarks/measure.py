"""Measuring side by side: every contender in turn, round after round, so that noise hits all alike."""

from __future__ import annotations

import gc
import json
import os
import platform
import random
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

Turns = list[list[float]]  # seconds of the runs that count, one list for each turn

PAUSE = 0.05  # seconds that lets the idle threads of the contender before stop spinning
RUNS, NOT_COUNTED = 4, 2  # of a contender in its turn
SLOW = 0.05  # seconds from which a run is not repeated within a turn
SHORT = 1e-3  # seconds that a run takes at least: shorter work is repeated within it
FOLDER = Path("bench-output")
PACKAGES = ("numpy", "llvmlite", "onnxruntime", "jax", "jaxlib", "torch", "numexpr", "numba", "ml_dtypes", "matplotlib")


def race(
    contenders: Mapping[str, Callable[[], Any]], rounds: int = 9, warm_up: int = 1, pause: float = PAUSE
) -> dict[str, Turns]:
    """Seconds of every run that counts, by contender and turn.

    In its turn a contender runs RUNS times and the first ones do not count: they wake its threads, and
    write back to memory what the contender before it has left in cache. Work that takes long enough for
    that not to matter runs once a turn, and the run counts. Work that is too short for the clock is
    repeated within a run. Every turn has an order of its own, so that nobody always follows the same one.
    """
    shuffled = random.Random(1)
    times: dict[str, Turns] = {name: [] for name in contenders}
    repeats = {name: _repeats(run) for name, run in contenders.items()}
    gc.disable()
    try:
        for turn in range(warm_up + rounds):
            for name in shuffled.sample(list(contenders), len(contenders)):
                time.sleep(pause)
                runs: list[float] = []
                for _ in range(RUNS):
                    runs.append(_seconds(contenders[name], repeats[name]))
                    if runs[0] > SLOW:
                        break
                if turn >= warm_up:
                    times[name].append(runs[NOT_COUNTED:] or runs)
    finally:
        gc.enable()
    return times


def _repeats(run: Callable[[], Any]) -> int:
    once = _seconds(run, 1)
    if once > 10 * SHORT:
        return 1
    once = min(_seconds(run, 1) for _ in range(2))
    return max(1, min(10_000, int(SHORT / once)))


def _seconds(run: Callable[[], Any], repeats: int) -> float:
    if repeats == 1:
        started = time.perf_counter()
        run()
        return time.perf_counter() - started
    started = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - started) / repeats


def summary(turns: Turns) -> dict[str, float]:
    """Median, quartiles, fastest and slowest of the runs that count, in milliseconds."""
    values = [seconds * 1e3 for turn in turns for seconds in turn]
    lower, upper = np.quantile(values, [0.25, 0.75])
    return {
        "median": median(values),
        "lower": float(lower),
        "upper": float(upper),
        "fastest": min(values),
        "slowest": max(values),
    }


def typical(turns: Turns) -> float:
    """The median of the runs that count, in seconds."""
    return median(seconds for turn in turns for seconds in turn)


def ratio(theirs: Turns, ours: Turns) -> dict[str, float]:
    """How many times as long they take, turn by turn as far as both raced: the median and the quartiles.

    Within a turn both meet the same machine, so that what changes between turns hardly shows.
    """
    each = [median(a) / median(b) for a, b in zip(theirs, ours, strict=False)]
    lower, middle, upper = np.quantile(each, [0.25, 0.5, 0.75])
    return {"ratio": float(middle), "lower": float(lower), "upper": float(upper)}


def geometric_mean(values: list[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def aligned(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array that starts on a cache line, as JAX needs it to read and write in place; all get the same."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(kind).reshape(shape)


def placed(array: np.ndarray) -> np.ndarray:
    """The same numbers in an array that starts on a cache line."""
    result = aligned(array.shape, array.dtype)
    result[...] = array
    return result


def parallel_copy(source: np.ndarray, target: np.ndarray) -> Callable[[], None]:
    """NumPy's copy on as many threads as lanewise uses: what moving the bytes costs at least."""
    from lanewise.engines.native import threads

    step = -(-source.size // threads.get_threads())
    parts = [(target[at : at + step], source[at : at + step]) for at in range(0, source.size, step)]
    return lambda: threads.each(parts, lambda part: np.copyto(*part))


def machine() -> dict[str, Any]:
    """What the figures were measured on; packages that are not there have no version."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    packages: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "caches": _caches(),
        "system": platform.platform(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,  # what else ran when the run began
        "python": platform.python_version(),
        **packages,
    }


def _caches() -> dict[str, str]:
    """The size of each cache of the first core, as Linux tells it."""
    found = {}
    for place in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((place / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            found[f"L{level}"] = size
    return found


def save(name: str, report: Any) -> None:
    """Keeps a run's figures beside the others."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(report, indent=2))
    print(f"\nfigures: {FOLDER / name}.json")
