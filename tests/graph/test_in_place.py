"""`out=` over operands and `where=`: values, failures, elements that stay, memory, at sizes that go different ways."""

from __future__ import annotations

import tracemalloc
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.checks import selecting
from lanewise.engines.exact_kernel import ExactKernel
from lanewise.engines.native.kernel import kernel
from lanewise.language.nodes import node
from lanewise.language.sorts import BY_NAME, boolean, carrier
from lanewise.language.words import Function

TOP = np.int32(2**31 - 1)
SIZES = [3, 1000, 40_000, 1_500_000]  # each goes another way
MIB = 1 << 20


def graph() -> Any:
    builder = lw.Builder(tosa="0.23.0")
    a, b = builder.input("a", "int32", ("n",)), builder.input("b", "int32", ("n",))
    builder.output("c", builder.node("ADD", a, b))
    return lw.compile(builder.model())


def peak_of(call: Any) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# -- results over operands ------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_an_operator_over_its_operand(size: int):
    ones = np.ones(size, np.int32)
    x = np.arange(size, dtype=np.int32)
    for round_ in range(4):  # the same call takes shorter ways from time to time
        assert lw.tosa.add(x, ones, out=x) is x
        np.testing.assert_array_equal(x, np.arange(size) + round_ + 1)
    x[-2:] = TOP
    before = x.copy()
    for _ in range(3):
        with pytest.raises(lw.UnpredictableError) as caught:
            lw.tosa.add(x, ones, out=x)
        assert (caught.value.index, caught.value.count) == ((size - 2,), 2)
        assert caught.value.values == {"input1": TOP, "input2": 1}
        np.testing.assert_array_equal(x, before)  # nothing is lost
    assert lw.tosa.add(x, ones, out=x, on_unpredictable="value") is x
    assert (x[0], x[-1]) == (before[0] + 1, -TOP - 1)


@pytest.mark.parametrize("size", SIZES)
def test_an_operator_beside_its_operand(size: int):
    memory = np.arange(size + 1, dtype=np.int32)
    for _ in range(3):
        memory[...] = np.arange(size + 1)
        lw.tosa.add(memory[:-1], memory[:-1], out=memory[1:])
        np.testing.assert_array_equal(memory[1:], 2 * np.arange(size))


@pytest.mark.parametrize("size", SIZES)
def test_a_graph_over_its_operand(size: int):
    compiled, ones = graph(), np.ones(size, np.int32)
    x = np.arange(size, dtype=np.int32)
    for round_ in range(4):
        assert compiled(x, ones, out=x) is x
        np.testing.assert_array_equal(x, np.arange(size) + round_ + 1)
    for _ in range(3):
        x[...] = 5
        x[-2:] = TOP
        with pytest.raises(lw.UnpredictableError) as caught:
            compiled(x, ones, out=x)
        assert (caught.value.index, caught.value.count) == ((size - 2,), 2)
        assert caught.value.values == {"input1": TOP, "input2": 1}


def test_nothing_is_stored_on_the_way():
    x, ones, compiled = np.zeros(4 << 20, np.int32), np.ones(4 << 20, np.int32), graph()
    for call in (lambda: lw.tosa.add(x, ones, out=x), lambda: compiled(x, ones, out=x)):
        call()
        assert peak_of(call) < 3 * MIB
    assert (x == 4).all()


# -- where ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_elements_that_are_not_selected(size: int):
    x = np.arange(size, dtype=np.int32)
    some = x % 3 == 1
    x[~some] = TOP  # adding to it breaks a requirement, where anybody asks
    for _ in range(3):
        np.testing.assert_array_equal(lw.tosa.add(x, x, where=some), np.where(some, 2 * x, 0))
        out = np.full(size, 7, np.int32)
        assert lw.tosa.add(x, x, where=some, out=out) is out
        np.testing.assert_array_equal(out, np.where(some, 2 * x, 7))
        found, mask = lw.tosa.add(x, x, where=some, on_unpredictable="mask")
        np.testing.assert_array_equal(found, np.where(some, 2 * x, 0))
        assert not mask.any()
    last = int(np.flatnonzero(some)[-1])
    for _ in range(3):
        x[last] = TOP - 1
        out[...] = 7
        with pytest.raises(lw.UnpredictableError) as caught:
            lw.tosa.add(x, x, where=some, out=out)
        assert (caught.value.index, caught.value.count) == ((last,), 1)
        assert caught.value.values == {"input1": TOP - 1, "input2": TOP - 1}
        assert (out == 7).all()
        with pytest.raises(lw.UnpredictableError, match=rf"element \[{last}\]"):
            lw.tosa.add(x, x, where=some)
        lw.tosa.add(x, x, where=some, out=out, on_unpredictable="value")
        assert (out[last], out[0]) == (-4, 7)
        (found, mask) = lw.tosa.add(x, x, where=some, on_unpredictable="mask")
        assert np.flatnonzero(mask).tolist() == [last]
        held = x.copy()
        with pytest.raises(lw.UnpredictableError):
            lw.tosa.add(x, x, where=some, out=x)
        np.testing.assert_array_equal(x, held)


@pytest.mark.parametrize("mask_shape", [(), (1,), (5,), (4, 1), (1, 1, 5), (3, 1, 1), (3, 4, 5)])
def test_masks_broadcast(mask_shape: tuple[int, ...]):
    x = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    some = np.asarray(np.arange(np.prod(mask_shape, dtype=int)).reshape(mask_shape) % 2 == 1)
    for _ in range(3):
        np.testing.assert_array_equal(lw.onnx.bitwise_xor(x, x[:, :1], where=some), np.where(some, x ^ x[:, :1], 0))
        turned = np.full((5, 4, 3), -1, np.int32).T
        lw.onnx.bitwise_xor(x, x[:, :1], where=some, out=turned)
        np.testing.assert_array_equal(turned, np.where(some, x ^ x[:, :1], -1))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_bits_stay_where_nothing_is_selected(dtype: Any):
    """Also those of a NaN that no operator would give."""
    width = np.dtype(f"u{np.dtype(dtype).itemsize}")
    x = np.arange(80).astype(dtype)
    for some in (np.arange(80) % 2 == 1, np.zeros(80, bool)):
        for _ in range(3):
            bits = np.full(80, np.iinfo(width).max - 5, width)
            lw.tosa.add(x, x, out=bits.view(dtype), where=some)
            want = np.where(some, (x + x).view(width), np.iinfo(width).max - 5)
            np.testing.assert_array_equal(bits, want)


def test_booleans_and_swapped_bytes():
    x, some = np.arange(50, dtype=np.int32), np.arange(50) % 2 == 0
    for _ in range(3):
        out = np.ones(50, bool)
        np.testing.assert_array_equal(lw.tosa.greater(x, x, out=out, where=some), ~some)
        swapped = np.full(50, 9, ">i4")
        assert lw.tosa.add(x, x, out=swapped, where=some) is swapped
        np.testing.assert_array_equal(swapped, np.where(some, 2 * x, 9))


def test_a_mask_under_the_result():
    some = np.arange(50) % 2 == 0
    want = np.where(some, np.arange(50) > 20, some)
    lw.tosa.greater(np.arange(50, dtype=np.int32), np.full(50, 20, np.int32), out=some, where=some)
    np.testing.assert_array_equal(some, want)


def test_types_narrower_than_their_storage():
    """What lies in the result's array need not be a value of the type."""
    for name, dtype, value in (("int48", np.int64, 2**60), ("int4", np.int8, 100)):
        sort = BY_NAME[name]
        operand = node("input", data=0, sort=carrier(sort))
        function = selecting(Function((sort,), (sort,), (node("not", operand),), ()))
        assert function.inputs[1:] == (boolean, BY_NAME[np.dtype(dtype).name])
        for make in (kernel, ExactKernel):
            (found,), broken = make(function)(
                [np.array([-3, 5], dtype), np.array([True, False]), np.array([value, value], dtype)], (2,)
            )
            assert (found.tolist(), found.dtype, broken) == ([2, value], dtype, False)


def test_where_stores_nothing_on_the_way():
    x, out = np.zeros(4 << 20, np.int32), np.zeros(4 << 20, np.int32)
    some = np.arange(4 << 20) % 2 == 0

    def call() -> None:
        lw.tosa.add(x, x, where=some, out=out)

    call()
    assert peak_of(call) < 3 * MIB
