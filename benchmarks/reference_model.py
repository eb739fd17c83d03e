"""How many elements a second beside the public TOSA reference model, on 4 M elements?

    python -m benchmarks.reference_model [--tools FOLDER]

The model is a program that reads and writes files. Its time for a graph of one element is taken off,
so that starting it does not count; reading the inputs and writing the result does. lanewise runs the
same graph from the same file on arrays in memory, with its checks on. Results are compared first.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

import lanewise as lw
from benchmarks.measure import machine, save
from tools.reference_model import describe, reference_model

ELEMENTS = 1 << 22
CASES = [
    ("ADD", "int32", {}, (-(2**30), 2**30), (-(2**30), 2**30)),
    ("MUL", "int32", {"shift": 15}, (-(2**22), 2**22), (-(2**22), 2**22)),
    ("ARITHMETIC_RIGHT_SHIFT", "int8", {"round": True}, (-128, 128), (0, 8)),
    ("BITWISE_XOR", "int16", {}, (-(2**15), 2**15), (-(2**15), 2**15)),
    ("INTDIV", "int32", {}, (-(2**31), 2**31), (1, 2**31)),
]


def graph(name: str, kind: str, settings: dict, size: int) -> lw.Model:
    builder = lw.Builder(tosa="1.1", name=name)
    a, b = (builder.input(key, kind, (size,)) for key in ("a", "b"))
    builder.output("c", builder.node(name, a, b, **settings))
    return builder.model()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=Path, help="a virtual environment with tosa-tools")
    reference = reference_model(parser.parse_args().tools)
    generator = np.random.default_rng(4)
    report = {"machine": machine(), "elements": ELEMENTS, "threads": lw.get_threads(), "operators": {}}
    print(f"{ELEMENTS:,} elements; million elements a second")
    print(f"{'operator':32} {'lanewise':>10} {'model':>8} {'ratio':>7}")
    for name, kind, settings, first, second in CASES:
        inputs = {
            "a": generator.integers(*first, ELEMENTS, dtype=kind),
            "b": generator.integers(*second, ELEMENTS, dtype=kind),
        }
        with TemporaryDirectory() as root:
            seconds = {}
            for size in (1, ELEMENTS):
                folder = Path(root) / str(size)
                folder.mkdir()
                describe(folder, graph(name, kind, settings, size), {k: v[:size] for k, v in inputs.items()})
                times = []
                for _ in range(3):
                    started = time.perf_counter()
                    assert reference.run(folder) == "valid", name
                    times.append(time.perf_counter() - started)
                seconds[size] = median(times)
            model = lw.load(Path(root) / str(ELEMENTS) / "test.tosa")
            ours = lw.compile(model)
            out = ours(*inputs.values())
            assert np.array_equal(out, np.load(Path(root) / str(ELEMENTS) / "c.npy")), name
        times = []
        for _ in range(15):
            started = time.perf_counter()
            ours(*inputs.values(), out=out)
            times.append(time.perf_counter() - started)
        mine, theirs = ELEMENTS / median(times) / 1e6, ELEMENTS / (seconds[ELEMENTS] - seconds[1]) / 1e6
        print(f"{name + ' ' + kind:32} {mine:10,.0f} {theirs:8.1f} {mine / theirs:6.0f}x")
        report["operators"][f"{name} {kind}"] = {"lanewise": mine, "model": theirs, "ratio": mine / theirs}  # type: ignore[index]
    save("reference_model", report)


if __name__ == "__main__":
    main()
