"""The peak memory of a graph of 12 nodes, in a fresh process."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.cold import fresh

ALLOWANCE = 32 << 20  # bytes beside inputs and outputs


def measure_memory(elements: int) -> dict[str, Any]:
    """Bytes that the process grew by at its peak, and what inputs, output and the allowance sum up to.

    See `memory_run` for what is counted.
    """
    found: dict[str, Any] = json.loads(fresh("-m", "benchmarks.memory_run", str(elements)))
    found["allowed_bytes"] = found["tensor_bytes"] + ALLOWANCE
    return found
