"""numexpr: one expression for each piece of work, in blocks that stay in cache, into the result.

It computes in int32, int64, float32 and float64; narrower numbers are converted block by block, and
the result keeps the low bits of what comes out, which for these expressions are the exact ones.
"""

from __future__ import annotations

import numexpr
import numpy as np

from benchmarks.work import FACTOR, HIGHEST, LOWEST, PLACES, ZERO_POINT, Contender, Work, unsigned

EXPRESSIONS = {
    "left_shift": "x << y",
    "right_shift": "x >> y",
    "logical_right_shift": "x >> y",  # on numbers without sign
    "rounding_shift": "(((x * two) >> y) + 1) >> 1",  # one more place than the widest word of the operands has
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "widening_multiply": "x * y",
    "scaled_multiply": "((x * one) * y + 16384) >> 15",
    "divide": "x / y",
    "maximum": "where(x > y, x, y)",
    "minimum": "where(x < y, x, y)",
    "power": "x ** y",
    "bitwise_and": "x & y",
    "bitwise_or": "x | y",
    "bitwise_xor": "x ^ y",
    "logical_and": "x & y",
    "logical_or": "x | y",
    "logical_xor": "x ^ y",
    "rgb565": "((x >> 3) << 11) | ((y >> 2) << 5) | (z >> 3)",
}
REQUANTISED = f"((x - {ZERO_POINT}) * {FACTOR} + {1 << (PLACES - 1)}) >> {PLACES}"
EXPRESSIONS["requantise"] = (
    f"where({REQUANTISED} < {LOWEST}, {LOWEST}, where({REQUANTISED} > {HIGHEST}, {HIGHEST}, {REQUANTISED}))"
)


class Numexpr:
    name = "numexpr"

    def contender(self, work: Work) -> Contender | None:
        text = EXPRESSIONS.get(work.operation)
        if text is None:
            return None
        inputs, out = work.inputs, work.out
        if work.operation == "logical_right_shift":
            inputs, out = tuple(map(unsigned, inputs)), unsigned(out)
        names = dict(zip("xyz", inputs, strict=False))
        # What makes a product wider than its operands: a scalar of the wider type.
        names |= {"one": np.int64(1), "two": np.int64(2) if out.dtype.itemsize == 4 else np.int32(2)}

        def run() -> None:
            numexpr.evaluate(text, local_dict=names, out=out, casting="unsafe", truediv=False)

        return Contender(run, lambda: work.out)


def make(threads: int) -> list[Numexpr]:
    numexpr.set_num_threads(threads)
    return [Numexpr()]
