"""Pow, ONNX: second opinion with mpmath's exponential and logarithm for floats, Python's own powers for integers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import onnx
import onnxruntime
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older, wrapped
from tests.operators.tosa.test_pow import in_plain_numbers as real_power

POW = find("onnx", "Pow", 28)
CASES = list(cases(POW))
OLD = [case for case in older("Pow", 1, 7, 12, 13) if is_real(case.row.output) or case.row.inputs[0].width == 32]
NAN, INF = math.nan, math.inf


def in_plain_numbers(X, Y, *, row, **attributes):
    if is_real(row.output):
        return 1.0 if X == 1 or Y == 0 else real_power(X, Y, row=row)
    if Y >= 0:
        return wrapped(pow(X, Y, 2**row.output.width), row.output)
    return X if X in (1, -1) and Y % 2 else 1 if X in (1, -1) else 0


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, ulps=1 if is_real(case.row.output) else 0)


@pytest.mark.parametrize("case", CASES[::3], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("engine", ["native", "exact"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_special_cases(dtype, engine):
    bases_exponents_results = [
        (-0.0, 3.0, -0.0),
        (-0.0, -3.0, -INF),
        (0.0, -2.5, INF),
        (-INF, -3.0, -0.0),
        (-0.0, -1 + float(np.finfo(dtype).epsneg), INF),  # all but odd
        (-1.0, INF, 1.0),
        (-3.0, 3.0, -27.0),
        (-8.0, 0.5, NAN),
        (0.0, 0.0, 1.0),
        (NAN, 0.0, 1.0),  # unlike TOSA's POW
        (1.0, NAN, 1.0),
        (NAN, 1.0, NAN),
    ]
    a, b, want = np.array(bases_exponents_results, dtype).T
    found = lw.onnx.pow(a, b, engine=engine)
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(np.signbit(found)[want == want], np.signbit(want)[want == want])  # noqa: PLR0124


def test_large_exponents_of_integers():
    """Beyond as many bits as the base has, and beside them."""
    bases = [0, 1, -1, 2, -2, 3, 6, -7, 2**16, 2**31 - 1, -(2**31)]
    exponents = [0, 1, 29, 30, 31, 32, 33, 2**30 - 1, 2**30, 2**30 + 1, 2**31 + 5, 2**62, 2**63, 2**64 - 1]
    for dtype, width in ((np.int32, 32), (np.int64, 64)):
        x, y = np.array(list(product(bases, exponents)), object).T
        found = lw.onnx.pow(x.astype(dtype), y.astype(np.uint64))
        for a, b, result in zip(x, y, found.tolist(), strict=True):
            assert (result - pow(a, b, 2**width)) % 2**width == 0, (a, b)


def runtime(x, y):
    """What ONNX Runtime computes."""
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for array in (x, y, x)]
    values = [onnx.helper.make_tensor_value_info(n, k, [None]) for n, k in zip("xyz", kinds, strict=True)]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Pow", ["x", "y"], ["z"])], "one", values[:2], values[2:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 15)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x, "y": y})[0]


@pytest.mark.parametrize("case", [case for case in CASES if case.row.output.name in ("float32", "float64")], ids=str)
def test_floats_beside_onnx_runtime(case):
    x, y = case.arrays(case.rows_of_patterns())
    found, want = lw.onnx.pow(x, y), runtime(x, y)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(want))
    real = ~np.isnan(found)
    word = np.int32 if case.row.output.width == 32 else np.int64
    np.testing.assert_array_equal(np.signbit(found[real]), np.signbit(want[real]))
    apart = np.abs(np.abs(found[real]).view(word) - np.abs(want[real]).view(word))
    assert apart.max() <= 2  # one unit each


@pytest.mark.parametrize("base", [np.int32, np.int64])
@pytest.mark.parametrize("exponent", [np.int32, np.int64])
def test_integers_beside_onnx_runtime(base, exponent):
    """Where the result is a whole number that float64 has: the runtime computes in that type."""
    x, y = (a.ravel() for a in np.meshgrid(np.arange(-9, 10, dtype=base), np.arange(-3, 10, dtype=exponent)))
    keep = (y >= 0) | (x != 0)
    np.testing.assert_array_equal(lw.onnx.pow(x, y)[keep], runtime(x[keep], y[keep]))


def test_types_that_are_left_out_are_refused():
    x = np.array([2.0], np.float32)
    for y in (np.array([2], np.int32), np.array([2.0])):
        with pytest.raises(
            lw.UnsupportedError, match=r"no row for inputs \(float32, (int32|float64)\), which .* allows"
        ):
            lw.onnx.pow(x, y)
    with pytest.raises(lw.InvalidError, match=r"Pow-7: no row for inputs \(int32, int32\).*It is allowed at opset 12"):
        lw.onnx.pow(np.array([2], np.int32), np.array([2], np.int32), opset=7)


def test_the_first_version_broadcasts_on_demand():
    x, y = np.full((2, 3), 3, np.float32), np.array([2.0, 1.0], np.float32)
    found = lw.onnx.pow(x, y, broadcast=1, axis=0, opset=1)
    np.testing.assert_array_equal(found, [[9, 9, 9], [3, 3, 3]])
    assert dtype_of(POW.rows[0].output) == np.float16
