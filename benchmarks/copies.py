"""The limit: the fastest copy that moves as many bytes as a piece of work, on the same threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.measure import Turns, aligned, parallel_copy, typical
from lanewise.engines.native.kernel import NativeKernel
from lanewise.operators import catalogue

NUMPY, OURS = "copy (NumPy)", "copy (streaming)"


class Copies:
    """Two ways to copy, between buffers that are kept for the next piece of work of the same size."""

    def __init__(self) -> None:
        record = catalogue.find("tosa", "IDENTITY", "0.23.0")
        row = next(row for row in record.rows if row.output.name == "int8")
        self._kernel = NativeKernel(record.function(row.inputs, row.output, {}))
        self._source = self._target = aligned(0, np.int8)

    def contenders(self, moved: int) -> dict[str, Callable[[], object]]:
        """Copies of half as many bytes as the work moves: each is read once and written once."""
        size = max(1, moved // 2)
        if self._source.size != size:
            self._source, self._target = aligned(size, np.int8), aligned(size, np.int8)
            self._source[...] = 1  # memory that nobody wrote to is one page of zeros, read again and again
            self._target[...] = 0
        source, target = self._source, self._target
        return {
            NUMPY: parallel_copy(source, target),
            OURS: lambda: self._kernel([source], source.shape, [target]),
        }


def fastest_copy(times: dict[str, Turns]) -> str:
    """Which of the two copies is the limit."""
    return min((NUMPY, OURS), key=lambda name: typical(times[name]))
