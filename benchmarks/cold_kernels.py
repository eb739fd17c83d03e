"""Compiles every row's kernel once, in a process that has compiled nothing, and prints milliseconds as JSON."""

from __future__ import annotations

import json
import sys
import time

from benchmarks.cases import CASES
from lanewise.engines.native.kernel import NativeKernel


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(CASES)
    times = {}
    for case in CASES[:: -(-len(CASES) // count)]:
        function = case.function()
        started = time.perf_counter()
        NativeKernel(function)
        times[case.name] = (time.perf_counter() - started) * 1e3
    # The first also pays for setting LLVM up.
    print(json.dumps({"first": next(iter(times.values())), "milliseconds": times}))


if __name__ == "__main__":
    main()
