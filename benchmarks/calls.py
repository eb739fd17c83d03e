"""What a call costs when there is next to nothing to compute: 3 elements."""

from __future__ import annotations

import gc
from collections.abc import Callable
from timeit import Timer
from typing import Any

import numpy as np

import lanewise as lw
from benchmarks.measure import Turns, ratio, typical
from lanewise.engines.native.kernel import kernel
from lanewise.operators import catalogue

NUMPY, NUMPY_OUT = "np.right_shift", "np.right_shift out="


def _calls() -> dict[str, tuple[Callable[[], Any], str]]:
    """Each call, and the call of NumPy that has the same form."""
    x, y = np.array([-8, 40, 7], np.int32), np.array([1, 2, 3], np.int32)
    out = np.empty_like(x)
    logical, bit_shift = lw.tosa.logical_right_shift, lw.onnx.bit_shift
    graph = lw.Builder(onnx=28, name="pair")
    a, b = graph.input("a", "int32", ("n",)), graph.input("b", "int32", ("n",))
    graph.output("z", graph.node("BitwiseXor", a, graph.node("BitShift", a, b, direction="RIGHT")))
    compiled = lw.compile(graph.model())
    record = catalogue.find("tosa", "LOGICAL_RIGHT_SHIFT", "0.23.0")
    row = next(row for row in record.rows if row.output.name == "int32")
    loop = kernel(record.function(row.inputs, row.output, {})).direct()
    return {
        NUMPY: (lambda: np.right_shift(x, y), NUMPY),
        NUMPY_OUT: (lambda: np.right_shift(x, y, out=out), NUMPY_OUT),
        # The least that a call can cost: the loop as NumPy calls it, where nobody reads what it says of requirements.
        "the loop alone": (lambda: loop.call(x, y), NUMPY),
        "the loop alone out=": (lambda: loop.call(x, y, out=out), NUMPY_OUT),
        "tosa.logical_right_shift": (lambda: logical(x, y), NUMPY),
        "tosa.logical_right_shift out=": (lambda: logical(x, y, out=out), NUMPY_OUT),
        "onnx.bit_shift": (lambda: bit_shift(x, y, direction="RIGHT"), NUMPY),
        "onnx.bit_shift out=": (lambda: bit_shift(x, y, direction="RIGHT", out=out), NUMPY_OUT),
        "compiled graph of 2 nodes": (lambda: compiled(x, y), NUMPY),
        "compiled graph of 2 nodes out=": (lambda: compiled(x, y, out=out), NUMPY_OUT),
    }


def measure_calls(number: int = 20_000, repeats: int = 15) -> dict[str, Any]:
    """Microseconds of a call, and the ratio to NumPy's in the same form: medians over the repeats, and quartiles.

    The repeats go round, so that noise hits all alike. A lambda around every call costs each the same.
    """
    calls = _calls()
    timers = {name: Timer(run) for name, (run, _) in calls.items()}
    times: dict[str, Turns] = {name: [] for name in calls}
    for run, _ in calls.values():
        for _ in range(10):
            run()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, timer in timers.items():
                times[name].append([timer.timeit(number) / number])
    finally:
        gc.enable()
    found = {}
    for name, (_, same) in calls.items():
        to_numpy = ratio(times[name], times[same])
        found[name] = {
            "microseconds": typical(times[name]) * 1e6,
            "to_numpy": to_numpy["ratio"],
            "lower": to_numpy["lower"],
            "upper": to_numpy["upper"],
        }
    return found
