"""The cocotb bench of shifter.sv: an element a clock, every answer held against lanewise's golden model.

run.py builds the design and starts this. It reads two variables of the environment: VECTORS, a folder of lanewise's
corpus as .npz files, and FINDINGS, the file to which it adds a line for each test that fails.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

import lanewise as lw

VERSION = "1.0"  # its counts end below the width, as those of the port do
OPERATIONS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "left": (0, "LOGICAL_LEFT_SHIFT", {}),
    "logical_right": (1, "LOGICAL_RIGHT_SHIFT", {}),
    "right": (2, "ARITHMETIC_RIGHT_SHIFT", {"round": False}),
    "rounded_right": (3, "ARITHMETIC_RIGHT_SHIFT", {"round": True}),
}
Array = np.ndarray[Any, Any]


def pairs(operator: str, width: int) -> tuple[Array, Array]:
    """Data and counts: all of them for bytes, the corpus for wider words."""
    if width == 8:
        every = np.arange(-128, 128, dtype=np.int8)
        return np.repeat(every, 256), np.tile(every, 256)
    files = sorted(Path(os.environ["VECTORS"]).glob(f"*_{operator}_int{width}_*.npz"))
    sets = [np.load(file) for file in files]
    return np.concatenate([s["input1"] for s in sets]), np.concatenate([s["input2"] for s in sets])


async def answers(dut: Any, op: int, data: Array, count: Array) -> Array:
    """What the design makes of each element."""
    Clock(dut.clock, 10, unit="ns").start()
    dut.in_valid.value, dut.reset.value = 0, 1
    for _ in range(2):
        await FallingEdge(dut.clock)
    dut.reset.value, dut.in_valid.value, dut.op.value = 0, 1, op
    found = []
    for x, n in zip(data.tolist(), count.tolist(), strict=True):
        dut.data.value, dut.count.value = x, n
        await FallingEdge(dut.clock)
        assert dut.out_valid.value == 1
        found.append(dut.result.value.to_signed())
    dut.in_valid.value = 0
    await FallingEdge(dut.clock)
    assert dut.out_valid.value == 0
    return np.array(found, data.dtype)


@cocotb.test()
@cocotb.parametrize(operation=list(OPERATIONS))
async def agrees_with_the_specification(dut: Any, operation: str) -> None:
    op, operator, settings = OPERATIONS[operation]
    data, count = pairs(operator, len(dut.data))
    golden = getattr(lw.tosa, operator.lower())
    expected, unpredictable = golden(data, count, version=VERSION, on_unpredictable="mask", **settings)
    # Counts that the port cannot carry are just those for which the specification promises nothing.
    expected, data, count = expected[~unpredictable], data[~unpredictable], count[~unpredictable]
    found = await answers(dut, op, data, count)
    if np.array_equal(found, expected):
        return
    report = lw.explain_results(operator, (data, count), found, version=VERSION, **settings)
    finding = {"operation": operation, "report": str(report), "rule": report.rules[0].name if report.rules else ""}
    with Path(os.environ["FINDINGS"]).open("a") as file:
        file.write(json.dumps(finding) + "\n")
    raise AssertionError(f"{operation}: {report}")
