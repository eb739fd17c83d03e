"""What is saved as MLIR text is read by IREE's compiler, operators with attributes as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw

CASES: list[tuple[str, tuple[str, ...], dict[str, Any], list[Any]]] = [
    ("ADD", ("int32", "int32"), {}, []),
    ("ARITHMETIC_RIGHT_SHIFT", ("int8", "int8"), {"round": True}, []),
    ("MAXIMUM", ("float32", "float32"), {"nan_mode": "IGNORE"}, []),
    ("MINIMUM", ("int32", "int32"), {}, []),
    ("CLAMP", ("int8",), {"min_val": -3, "max_val": 9}, []),
    ("CLAMP", ("float32",), {"min_val": -3.0, "max_val": 9.5, "nan_mode": "IGNORE"}, []),
    ("CAST", ("int8",), {"output_type": "int16"}, []),
    ("TABLE", ("int8",), {}, [np.arange(256).astype(np.int8)]),
    ("RESHAPE", ("int8",), {}, [np.array([2, 2])]),
    (
        "RESCALE",
        ("int32",),
        {"output_type": "int8", "rounding_mode": "DOUBLE_ROUND"},
        [np.array([1 << 30], np.int32), np.array([30], np.int8), np.array([0], np.int32), np.array([0], np.int8)],
    ),
]


@pytest.mark.parametrize(("name", "kinds", "attributes", "constants"), CASES, ids=lambda one: str(one)[:14])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_iree_reads_what_is_saved(
    version: str, name: str, kinds: Any, attributes: Any, constants: Any, tmp_path: Path
) -> None:
    compiler = pytest.importorskip("iree.compiler.tools", reason="needs iree-base-compiler")
    graph = lw.Builder(tosa=version)
    wires = [graph.input(f"x{k}", kind, (4,)) for k, kind in enumerate(kinds)]
    wires += [graph.constant(array) for array in constants]
    graph.output("z", graph.node(name, *wires, **attributes))
    path = tmp_path / "model.mlir"
    graph.model().save(path)
    compiler.compile_file(
        str(path), target_backends=["llvm-cpu"], input_type="tosa", extra_args=["--compile-to=input"]
    )  # raises what the compiler complains about
    assert [node.operator.name for node in lw.load(path).nodes] == [name]
