"""Runs a graph of 12 nodes on two inputs and prints what the process grew by, as JSON.

`grown_bytes`: by the inputs, the run and the output, once the graph is compiled (it has run on 3
elements). `grown_with_compiler`: also by loading and running the compiler, which stay.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import lanewise as lw


def graph() -> lw.Model:
    builder = lw.Builder(onnx=28, name="twelve")
    x, y = builder.input("x", "int32", ("n",)), builder.input("y", "int32", ("n",))
    value = x
    for places in (3, 5, 7):
        moved = builder.node("BitShift", value, builder.constant(np.int32(places)), direction="RIGHT")
        value = builder.node("BitwiseXor", value, moved)
        value = builder.node("Add", value, y)
        value = builder.node("Mul", value, builder.constant(np.int32(places * 77)))
    builder.output("z", value)
    return builder.model()


def status(field: str) -> int:
    """A size in bytes that Linux keeps for this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) * 1024


def main() -> None:
    elements = int(sys.argv[1])
    model = graph()
    assert len(model.nodes) == 12
    imported = status("VmRSS")
    compiled = lw.compile(model)
    compiled(np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int32))
    before = status("VmRSS")
    x, y = np.arange(elements, dtype=np.int32), np.arange(elements, dtype=np.int32)
    result = compiled(x, y)
    peak = status("VmHWM")
    tensors = x.nbytes + y.nbytes + result.nbytes
    figures = {"elements": elements, "nodes": len(model.nodes), "tensor_bytes": tensors}
    print(json.dumps(figures | {"grown_bytes": peak - before, "grown_with_compiler": peak - imported}))


if __name__ == "__main__":
    main()
