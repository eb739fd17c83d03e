"""Every operator beside ONNX Runtime's, bit for bit, where it has a kernel and ONNX says what comes out."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.graph.signature import python_name
from lanewise.operators.catalogue import find, versions_of
from lanewise.operators.onnx.rows import NEWEST_OPSET
from tests.operators.battery import Case, cases

onnxruntime.set_default_logger_severity(4)
NoKernel = onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.intra_op_num_threads = OPTIONS.inter_op_num_threads = 1
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

SETTINGS = {
    "BitShift": [{"direction": "LEFT"}, {"direction": "RIGHT"}],
    "Mod": [{"fmod": 0}, {"fmod": 1}],
    "Cast": [{"to": sort} for sort in sorted({row.output for row in find("onnx", "Cast", 28).rows}, key=str)],
}
COUNTS = {"Max": 3, "Min": 3}
SHAPES = ("Constant", "Expand", "Reshape", "Squeeze", "Unsqueeze")  # tested by hand below
INEXACT = ("Pow",)  # see test_pow
CASES = [
    case
    for name, records in versions_of("onnx").items()
    if name not in (*SHAPES, *INEXACT)
    for case in cases(records[-1], SETTINGS.get(name, [{}]), COUNTS.get(name, 1))
]
BY_LABEL = {str(case): case for case in CASES}


def type_number(dtype):
    return onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def session(name, dtypes, ranks, output, **attributes):
    """A function that runs one node, or None where there is no kernel for it.

    Arrays of bfloat16 cannot be handed over, so these go in and out as float32, which has all their values.
    """
    make = onnx.helper.make_node
    nodes, values = [], []
    for k, (dtype, rank) in enumerate(zip(dtypes, ranks, strict=True)):
        number = type_number(np.float32 if dtype == BFLOAT16 else dtype)
        values.append(onnx.helper.make_tensor_value_info(f"given{k}", number, [None] * rank))
        nodes.append(make("Cast", [f"given{k}"], [f"x{k}"], to=type_number(dtype)))
    nodes.append(make(name, [f"x{k}" for k in range(len(dtypes))], ["y"], **attributes))
    wide = np.dtype(np.float32) if output == BFLOAT16 else output
    nodes.append(make("Cast", ["y"], ["result"], to=type_number(wide)))
    result = onnx.helper.make_tensor_value_info("result", type_number(wide), None)
    graph = onnx.helper.make_graph(nodes, "one", values, [result])
    imports = [onnx.helper.make_opsetid("", NEWEST_OPSET)]
    model = onnx.helper.make_model(graph, opset_imports=imports, ir_version=10)
    try:
        made = onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"])
    except NoKernel:
        return None

    def run(*operands):
        given = [x.astype(np.float32) if x.dtype == BFLOAT16 else x for x in operands]
        return made.run(None, {f"given{k}": x for k, x in enumerate(given)})[0].astype(output)

    return run


@cache
def session_of(label):
    case = BY_LABEL[label]
    attributes = {k: type_number(dtype_of(v)) if k == "to" else v for k, v in case.attributes.items()}
    ranks = [0 if case.operator.name == "Clip" and k else 1 for k in range(len(case.types))]
    dtypes = [dtype_of(sort) for sort in case.types]
    return session(case.operator.name, dtypes, ranks, dtype_of(case.row.output), **attributes)


def defined(case, columns):
    """Where ONNX says what comes out, and where ONNX Runtime lives to tell."""
    name, first = case.operator.name, columns[0]
    if name == "Cast" and first.dtype.kind not in "iub" and case.row.output.kind == "int":
        with np.errstate(invalid="ignore"):  # NaNs of other kinds
            whole = np.trunc(first.astype(np.float64))
        return (whole >= case.row.output.lowest) & (whole < float(case.row.output.highest + 1))
    if name in ("Div", "Mod") and first.dtype.kind in "iu":
        b = columns[1]
        overflows = (first == case.row.output.lowest) & (b == -1) if case.row.output.signed else np.False_
        return (b != 0) & ~overflows
    return np.ones(first.shape, np.bool_)


def differences(found, want, zeros=True):
    """Where two arrays differ in a bit; which NaN a NaN is, ONNX leaves open. `zeros`: with their signs."""
    assert (found.dtype, found.shape) == (want.dtype, want.shape)
    same = (found != found) & (want != want)  # noqa: PLR0124
    if not zeros:
        same |= (found == 0) & (want == 0)
    word = f"u{found.dtype.itemsize}"
    return (found.view(word) != want.view(word)) & ~same


def signs_of_zeros(case):
    """ONNX Runtime's Where loses them, and its Max and Min of float16 take the first of equals, not the last."""
    return case.operator.name != "Where" and not (
        case.operator.name in ("Max", "Min") and case.row.output.name == "float16"
    )


@pytest.mark.parametrize("case", [case for case in CASES if case.operator.name != "Clip"], ids=str)
def test_elements(case: Case):
    run = session_of(str(case))
    if run is None:
        pytest.skip("ONNX Runtime has no kernel")
    columns = case.arrays(case.rows_of_patterns(exhaustive=8))
    keep = defined(case, columns)
    columns = [column[keep] for column in columns]
    assert len(columns[0]) > 200 or case.row.inputs[0].width == 1
    found = getattr(lw.onnx, python_name(case.operator.name))(*columns, **case.attributes)
    want = run(*columns)
    differs = differences(found, want, signs_of_zeros(case))
    assert not differs.any(), [column[differs][:5] for column in (*columns, found, want)]


@pytest.mark.parametrize("case", [case for case in CASES if case.operator.name == "Clip"], ids=str)
def test_clip(case: Case):
    """With bounds that are no NaN, which ONNX Runtime overlooks; a zero may be the input's or the bound's."""
    run = session_of(str(case))
    if run is None:
        pytest.skip("ONNX Runtime has no kernel")
    x, low, high = case.arrays(case.rows_of_patterns(exhaustive=8))
    for k in range(0, 200, 7):
        if low[k] == low[k] and high[k] == high[k]:
            found, want = lw.onnx.clip(x, low[k], high[k]), run(x, np.array(low[k]), np.array(high[k]))
            differs = differences(found, want, zeros=False)
            assert not differs.any(), (low[k], high[k], x[differs][:5], found[differs][:5], want[differs][:5])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint64])
def test_clip_without_bounds(dtype):
    run = session("Clip", [np.dtype(dtype)], [1], np.dtype(dtype))
    special = [np.inf, -np.inf, np.nan, -0.0] if np.dtype(dtype).kind == "f" else []
    x = np.array([0, 1, 100, *special], dtype)
    assert not differences(lw.onnx.clip(x), run(x)).any()


def test_most_kernels_are_there():
    """What has been compared is not nothing: every operator, and nearly every type but bfloat16."""
    compared = [case for case in CASES if session_of(str(case)) is not None]
    assert {case.operator.name for case in compared} == {case.operator.name for case in CASES}
    assert len(compared) >= len(CASES) - 30


def test_shapes():
    generator = np.random.default_rng(11)
    x = generator.integers(-100, 100, (1, 3, 1, 4)).astype(np.int32)
    i32, i64 = np.dtype(np.int32), np.dtype(np.int64)
    lists = {
        "Reshape": [[12], [-1, 6], [0, -1], [1, 3, 0, 4], [2, 1, 6]],
        "Squeeze": [[0], [2], [0, 2], [-2, 0]],
        "Unsqueeze": [[0], [-1], [0, 5], [1, -2], []],
        "Expand": [[1], [2, 1, 5, 4], [6, 2, 1, 1, 1], [3, 1, 1], []],
    }
    for name, wanted in lists.items():
        run = session(name, [i32, i64], [4, 1], i32)
        for numbers in wanted:
            numbers = np.array(numbers, i64)
            found, want = getattr(lw.onnx, python_name(name))(x, numbers), run(x, numbers)
            assert found.shape == want.shape, (name, numbers)
            np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(lw.onnx.squeeze(x), session("Squeeze", [i32], [4], i32)(x))
    empty, numbers = np.zeros((0, 3), np.int32), np.array([4, 0, 2])
    run = session("Reshape", [i32, i64], [2, 1], i32, allowzero=1)
    assert lw.onnx.reshape(empty, numbers, allowzero=1).shape == run(empty, numbers).shape == (4, 0, 2)
