"""numba: one parallel loop for each piece of work, compiled for the arrays' types, into the result.

`fastmath` stays off and errors are NumPy's (no exception for a division by zero in the loop), so that
the loops are as exact and as free as they can be; nothing is cached on disk.
"""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

from benchmarks.work import (
    FACTOR,
    HIGHEST,
    LOWEST,
    MURMUR_FACTORS,
    MURMUR_SHIFTS,
    PLACES,
    ZERO_POINT,
    Contender,
    Work,
    unsigned,
)

# What the loop does with element i. Integers are computed in 64 bits and cut to the result's type.
BODIES = {
    "left_shift": "out[i] = x[i] << y[i]",
    "right_shift": "out[i] = x[i] >> y[i]",
    "logical_right_shift": "out[i] = x[i] >> y[i]",  # on numbers without sign
    "rounding_shift": "out[i] = (((x[i] << 1) >> y[i]) + 1) >> 1",
    "add": "out[i] = x[i] + y[i]",
    "subtract": "out[i] = x[i] - y[i]",
    "multiply": "out[i] = x[i] * y[i]",
    "widening_multiply": "out[i] = x[i] * y[i]",
    "scaled_multiply": "out[i] = (x[i] * y[i] + 16384) >> 15",
    "divide": "out[i] = int32(x[i] / y[i])",  # in float64, which holds every int32, and cut off
    "maximum": "out[i] = max(x[i], y[i])",
    "minimum": "out[i] = min(x[i], y[i])",
    "power": "out[i] = x[i] ** y[i]",
    "bitwise_and": "out[i] = x[i] & y[i]",
    "bitwise_or": "out[i] = x[i] | y[i]",
    "bitwise_xor": "out[i] = x[i] ^ y[i]",
    "logical_and": "out[i] = x[i] & y[i]",
    "logical_or": "out[i] = x[i] | y[i]",
    "logical_xor": "out[i] = x[i] ^ y[i]",
    "byte_table": "out[i] = table[x[i]]",  # entries in the order of the bytes without sign
    "interpolating_table": """
        code = int32(x[i]) + 32768
        index = uint32(code) >> uint32(7)
        base = int32(table[index])
        out[i] = base * 128 + (int32(table[index + uint32(1)]) - base) * (code & 127)""",
    "murmur3": f"""
        h = x[i]
        h = uint32((h ^ (h >> uint32({MURMUR_SHIFTS[0]}))) * uint32({MURMUR_FACTORS[0]}))
        h = uint32((h ^ (h >> uint32({MURMUR_SHIFTS[1]}))) * uint32({MURMUR_FACTORS[1]}))
        out[i] = h ^ (h >> uint32({MURMUR_SHIFTS[2]}))""",
    "rgb565": "out[i] = ((x[i] >> 3) << 11) | ((y[i] >> 2) << 5) | (z[i] >> 3)",
    "requantise": f"""
        v = int32(int32(int32(x[i] - {ZERO_POINT}) * {FACTOR} + {1 << (PLACES - 1)}) >> {PLACES})
        out[i] = min(max(v, {LOWEST}), {HIGHEST})""",
}


class Numba:
    name = "numba"

    def contender(self, work: Work) -> Contender | None:
        body = BODIES.get(work.operation)
        if body is None:
            return None
        inputs, out, table = work.inputs, work.out, work.table
        if work.operation in ("logical_right_shift", "byte_table"):
            inputs = tuple(map(unsigned, inputs))
        if work.operation == "logical_right_shift":
            out = unsigned(out)
        if work.operation == "byte_table":
            assert table is not None
            table = np.roll(table, 128)
        names, given = [*"xyz"[: len(inputs)]], [*inputs]
        if table is not None:
            names.append("table")
            given.append(table)
        loop = _loop(names, body)
        started = time.perf_counter()
        loop(*(array if array is table else array[:2] for array in given), out[:2])
        prepared = time.perf_counter() - started
        return Contender(lambda: loop(*given, out), lambda: work.out, prepared)


def _loop(names: list[str], body: str) -> Any:
    lines = f"def loop({', '.join(names)}, out):\n    for i in prange(out.size):\n        {body.strip()}\n"
    scope = {"prange": numba.prange, "int32": numba.int32, "uint32": numba.uint32}
    exec(lines, scope)
    return numba.njit(parallel=True, error_model="numpy")(scope["loop"])


def make(threads: int) -> list[Numba]:
    numba.set_num_threads(threads)
    return [Numba()]
