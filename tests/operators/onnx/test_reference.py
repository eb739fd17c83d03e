"""Every operator beside ONNX Runtime's, bit for bit, where it has a kernel and ONNX says what comes out."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import onnxruntime
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.graph.signature import python_name
from lanewise.operators.catalogue import find, versions_of
from tests.operators.battery import Case, cases

onnxruntime.set_default_logger_severity(4)

SETTINGS = {
    "BitShift": [{"direction": "LEFT"}, {"direction": "RIGHT"}],
    "Mod": [{"fmod": 0}, {"fmod": 1}],
    "Cast": [{"to": row.output} for row in find("onnx", "Cast", 28).rows[:13]],
}
COUNTS = {"Max": 3, "Min": 3}
SHAPES = ("Constant", "Expand", "Reshape", "Squeeze", "Unsqueeze")  # tested by hand below
CASES = [
    case
    for name, records in versions_of("onnx").items()
    if name not in SHAPES
    for case in cases(records[-1], SETTINGS.get(name, [{}]), COUNTS.get(name, 1))
]


def type_number(dtype):
    return onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def session(name, opset, dtypes, ranks, output, **attributes):
    """A session for one node, or None where there is no kernel for it."""
    names = [f"x{k}" for k in range(len(dtypes))]
    values = [
        onnx.helper.make_tensor_value_info(n, type_number(d), [None] * r)
        for n, d, r in zip(names, dtypes, ranks, strict=True)
    ]
    result = onnx.helper.make_tensor_value_info("y", type_number(output), None)
    graph = onnx.helper.make_graph([onnx.helper.make_node(name, names, ["y"], **attributes)], "one", values, [result])
    imports = [onnx.helper.make_opsetid("", opset)]
    model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=10)
    try:
        made = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        return None
    return lambda *operands: made.run(None, dict(zip(names, operands, strict=True)))[0]


@cache
def session_of(label: str):
    case = next(c for c in CASES if str(c) == label)
    attributes = {k: type_number(dtype_of(v)) if k == "to" else v for k, v in case.attributes.items()}
    ranks = [0 if case.operator.name == "Clip" and k else 1 for k in range(len(case.types))]
    dtypes = [dtype_of(sort) for sort in case.types]
    return session(case.operator.name, case.operator.release.since, dtypes, ranks, dtype_of(case.row.output), **attributes)


def same_bits(found, want):
    assert (found.dtype, found.shape) == (want.dtype, want.shape)
    either = (found != found) & (want != want)  # noqa: PLR0124  # which NaN it is, ONNX leaves open
    differs = (found.view(f"u{found.dtype.itemsize}") != want.view(f"u{want.dtype.itemsize}")) & ~either
    return differs


@pytest.mark.parametrize("case", CASES, ids=str)
def test_elements(case: Case):
    run = session_of(str(case))
    if run is None:
        pytest.skip("ONNX Runtime has no kernel")
    columns = case.arrays(case.rows_of_patterns(exhaustive=8))
    found = getattr(lw.onnx, python_name(case.operator.name))(*columns, **case.attributes)
    want = run(*columns)
    d = same_bits(found, want)
    assert not d.any(), [(c[d][:5]) for c in (*columns, found, want)]
