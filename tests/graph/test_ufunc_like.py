"""Operators called like ufuncs: where=, out=, short ways for small arrays, other libraries' arrays."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import dask.array as da
import numpy as np
import pytest
import xarray as xr

import lanewise as lw

X = np.arange(6, dtype=np.int32).reshape(2, 3)
TOP = np.int32(2**31 - 1)


# -- where ------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_where_selects(engine: str):
    some = np.array([[True, False, True]])
    assert lw.tosa.add(X, X, where=some, engine=engine).tolist() == [[0, 0, 4], [6, 0, 10]]
    out = np.full_like(X, 9)
    assert lw.tosa.add(X, X, where=some, out=out, engine=engine) is out
    assert out.tolist() == [[0, 9, 4], [6, 9, 10]]
    assert lw.tosa.add(X, X, where=False, out=out, engine=engine).tolist() == [[0, 9, 4], [6, 9, 10]]
    assert lw.tosa.add(X, X, where=np.True_, engine=engine).tolist() == (2 * X).tolist()
    table = np.arange(256).astype(np.int8)
    assert lw.tosa.table(np.int8([-128, 0, 5]), table, where=[True, False, True], engine=engine).tolist() == [
        table[0],
        0,
        table[133],
    ]


def test_requirements_hold_where_selected():
    a = np.int32([[1, TOP, 3], [TOP, 5, 6]])
    keep = a != TOP
    assert lw.tosa.add(a, a, where=keep).tolist() == [[2, 0, 6], [0, 10, 12]]
    with pytest.raises(lw.UnpredictableError, match=r"element \[1, 0\] breaks .*input1 = 2147483647"):
        lw.tosa.add(a, a, where=[[True, False, True], [True, True, True]])
    out = np.full_like(a, 7)
    with pytest.raises(lw.UnpredictableError):
        lw.tosa.add(a, a, where=[[True], [True]], out=out)
    assert (out == 7).all()  # nothing is written before all is found well
    found, mask = lw.tosa.add(a, a, where=[[False], [True]], on_unpredictable="mask")
    assert mask.tolist() == [[False] * 3, [True, False, False]]
    assert found[1].tolist()[1:] == [10, 12]


def test_masks_that_are_none():
    with pytest.raises(lw.InvalidError, match="where has dtype int32; it is boolean"):
        lw.tosa.add(X, X, where=X)
    with pytest.raises(
        lw.InvalidError, match=r"where has shape \[4\], which does not broadcast to the result's \[2, 3\]"
    ):
        lw.tosa.add(X, X, where=np.ones(4, bool))
    with pytest.raises(lw.InvalidError, match="out has shape"):
        lw.tosa.add(X, X, where=np.ones(3, bool), out=np.zeros(3, np.int32))


# -- other libraries' arrays ---------------------------------------------------------------------


def test_dask():
    lazy = da.from_array(X, chunks=(1, 2))
    made = lw.tosa.arithmetic_right_shift(lazy, lazy, round=True)
    assert isinstance(made, da.Array)
    assert made.dtype == np.int32
    assert made.compute().tolist() == lw.tosa.arithmetic_right_shift(X, X, round=True).tolist()
    assert lw.tosa.add(lazy, X, where=da.from_array(X > 2)).compute()[1].tolist() == [6, 8, 10]
    with pytest.raises(lw.UnpredictableError, match="ADD: unpredictable"):
        lw.tosa.add(da.from_array(X * 0 + TOP), lazy).compute()
    with pytest.raises(lw.InvalidError, match="'mask' gives two arrays, which operands of type Array cannot pass on"):
        lw.tosa.add(lazy, lazy, on_unpredictable="mask")


def test_xarray_keeps_its_names():
    named = xr.DataArray(X, dims=("row", "column"), coords={"row": [10, 20]})
    found = lw.onnx.bit_shift(named.astype("uint8"), named.astype("uint8"), direction="LEFT")
    assert isinstance(found, xr.DataArray)
    assert found.dims == ("row", "column")
    assert found.coords["row"].values.tolist() == [10, 20]
    assert found.values.tolist() == [[0, 2, 8], [24, 64, 160]]


class Logged:
    """An array that says what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if self.answer is NotImplemented:
            return NotImplemented
        return self.answer, ufunc, method, inputs, keywords


class Closer(Logged):
    pass


class Silent:
    __array_ufunc__ = None


def test_who_is_asked():
    outer, inner, out = Logged("outer"), Closer("inner"), np.zeros(3, np.int32)
    answer, ufunc, method, inputs, keywords = lw.tosa.add(outer, inner, out=out, version="1.0")
    assert (answer, method, inputs) == ("inner", "__call__", (outer, inner))  # a subclass goes first
    assert keywords["out"] == (out,)
    assert (ufunc.nin, ufunc.nout, ufunc.signature, ufunc.__name__) == (2, 1, None, "tosa.add")
    assert ufunc.settings == {"version": "1.0"}
    again = pickle.loads(pickle.dumps(ufunc))
    assert again(np.int32([1]), np.int32([2])).tolist() == [3]
    assert lw.tosa.add(Logged(NotImplemented), inner)[0] == "inner"
    with pytest.raises(lw.InvalidError, match="operands of type Silent do not support it"):
        lw.tosa.add(Silent(), X)


def test_functions_are_found_where_they_say():
    for function in (lw.tosa.add, lw.onnx.bit_shift, lw.tosa.select):
        assert pickle.loads(pickle.dumps(function)) is function


# -- the short ways ------------------------------------------------------------------------------


def calls(function: Any, *operands: Any, **keywords: Any) -> list[Any]:
    """The same call until every short way has been taken."""
    return [function(*operands, **keywords) for _ in range(6)]


def test_a_call_gives_the_same_whichever_way_it_takes():
    a, b = np.int8([-128, -1, 5]), np.int8([0, 3, 2])
    for found in calls(lw.tosa.arithmetic_right_shift, a, b, round=True):
        assert found.tolist() == [-128, 0, 1]
    for found in calls(lw.tosa.arithmetic_right_shift, a, b, round=False):
        assert found.tolist() == [-128, -1, 1]
    assert lw.tosa.arithmetic_right_shift(a, b, round=True).tolist() == [-128, 0, 1]
    for found in calls(lw.tosa.abs, np.int32([-3, 3])):
        assert found.tolist() == [3, 3]
    for found in calls(lw.tosa.abs, np.int32([-3, 3]), version="1.0"):
        assert found.tolist() == [3, 3]


def test_failures_are_found_whichever_way_a_call_takes():
    good, bad = np.int32([1, 2, 3]), np.int32([1, TOP, 3])
    calls(lw.tosa.add, good, good)
    for _ in range(3):
        with pytest.raises(lw.UnpredictableError, match=r"element \[1\]"):
            lw.tosa.add(bad, bad)
        assert lw.tosa.add(good, good).tolist() == [2, 4, 6]
    with pytest.raises(lw.InvalidError, match="equal ranks"):
        lw.tosa.add(good, good.reshape(1, 3))
    with pytest.raises(lw.InvalidError, match="at least 1"):
        lw.tosa.add(good[:0], good[:0])
    with pytest.raises(lw.InvalidError, match=r"no row for inputs \(int32, int16\)"):
        lw.tosa.add(good, good.astype(np.int16))
    with pytest.raises(lw.InvalidError, match="broadcast"):
        lw.tosa.add(good, good[:2])


def test_what_equals_a_flag_is_no_flag():
    calls(lw.tosa.arithmetic_right_shift, X, X, round=True)
    with pytest.raises(lw.InvalidError, match="attribute round is 1.0"):
        lw.tosa.arithmetic_right_shift(X, X, round=1.0)


def test_short_ways_end_where_work_is_large():
    """Beyond a budget of elements the general way is taken, with its threads; small calls then go on."""
    small = np.int32([1, 2, 3])
    calls(lw.tosa.sub, small, small)
    large = np.arange(1 << 19, dtype=np.int32)
    for operand in (large, large.reshape(512, 1024)[:, ::2], small, large[::3], small):
        assert (lw.tosa.sub(operand, operand) == 0).all()


def test_numbers_of_rank_0_and_subclasses():
    calls(lw.tosa.add, X, X)
    zero = lw.tosa.add(np.array(2, np.int32), np.array(3, np.int32))
    assert (type(zero), zero.shape) == (np.ndarray, ())
    assert type(lw.tosa.add(np.int32(2), np.int32(3))) is np.ndarray
    assert type(lw.tosa.add(np.ma.array(X), np.ma.array(X))) is np.ndarray


def test_threads_do_not_hide_each_others_failures():
    good, bad = np.int32([1, 2, 3]), np.int32([TOP, 2, 3])
    calls(lw.tosa.add, good, good)
    wrong: list[str] = []

    def work(operand: np.ndarray, fails: bool) -> None:
        for _ in range(3000):
            try:
                found = lw.tosa.add(operand, operand)
            except lw.UnpredictableError:
                if not fails:
                    wrong.append("raised")
            else:
                if fails or found.tolist() != [2, 4, 6]:
                    wrong.append("passed")

    threads = [threading.Thread(target=work, args=pair) for pair in ((good, False), (bad, True), (good, False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
