"""Every way of calling says the same at the first call, the second and the third: short ways come later."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.native.threads import MOST_THREADS
from lanewise.graph.foreign import BoundOperator

X = np.arange(6, dtype=np.int32)
TOP = np.int32(2**31 - 1)


def test_graphs_with_several_outputs():
    graph = lw.Builder(onnx=28)
    a, b = graph.input("a", "int32", (None,)), graph.input("b", "int32", (None,))
    graph.output("sum", graph.node("Add", a, b))
    graph.output("difference", graph.node("Sub", a, b))
    compiled = lw.compile(graph.model())
    for _ in range(3):
        total, difference = compiled(X, X)
        assert total.tolist() == (2 * X).tolist()
        assert difference.tolist() == [0] * 6


def test_masks():
    for _ in range(3):
        result, mask = lw.tosa.add(X, X, on_unpredictable="mask")
        assert result.tolist() == (2 * X).tolist()
        assert not mask.any()
    for _ in range(3):
        result, mask = lw.tosa.add(X * 0 + TOP, X, on_unpredictable="mask")
        assert mask.tolist() == [False] + [True] * 5


def test_a_compiled_graph_holds_its_keywords_to_the_rules_every_time():
    graph = lw.Builder(tosa="0.23.0")
    a = graph.input("a", "int32", (6,))
    graph.output("sum", graph.node("ADD", a, a))
    compiled = lw.compile(graph.model())
    for _ in range(3):
        assert compiled(X).tolist() == (2 * X).tolist()
        with pytest.raises(lw.InvalidError, match="on_unpredictable is 'bogus'"):
            compiled(X, on_unpredictable="bogus")


def test_tables_in_either_byte_order():
    table = np.arange(-256, 257).astype(np.int16) * 3
    x = np.arange(-32768, 32768, 77).astype(np.int16)
    graph = lw.Builder(tosa="0.23.0")
    graph.output("y", graph.node("TABLE", graph.input("x", "int16", x.shape), graph.input("t", "int16", (513,))))
    model = graph.model()
    want = model.run({"x": x, "t": table}, engine="exact").outputs["y"]
    for swapped in (table, table.astype(">i2")):
        assert (model.run({"x": x, "t": swapped}).outputs["y"] == want).all()
        assert (lw.tosa.table(x, swapped) == want).all()


def test_bfloat16_in_another_byte_order_is_refused():
    kind = np.dtype(ml_dtypes.bfloat16)
    swapped = np.array([1, 2], kind).astype(kind.newbyteorder(">" if sys.byteorder == "little" else "<"))
    with pytest.raises(lw.InvalidError, match="bfloat16 in another byte order is no element type"):
        lw.tosa.add(swapped, swapped)


class Asked:
    """An array of another library, which keeps a list of what it was asked."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.log: list[str] = []

    dtype = property(lambda self: self.array.dtype)
    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **keywords: Any) -> Any:
        self.log.append(ufunc.__name__)
        return ufunc(*[o.array if isinstance(o, Asked) else o for o in operands], **keywords)


def test_others_are_asked_once_and_by_name():
    for function, name in ((lw.tosa.sub, "tosa.sub"), (lw.onnx.add, "onnx.add")):
        for _ in range(3):
            function(X, X)
        for operands in ((Asked(X), X), (X, Asked(X))):
            function(*operands)
            (log,) = [operand.log for operand in operands if isinstance(operand, Asked)]
            assert log == [name]
    for _ in range(3):
        lw.tosa.bitwise_not(X)
    asked = Asked(X)
    lw.tosa.bitwise_not(asked)
    assert asked.log == ["tosa.bitwise_not"]


def test_a_bound_operator_works_in_a_fresh_process():
    stored = pickle.dumps(BoundOperator("tosa", "add", 2, {"version": "1.0"}))
    code = f"import pickle, numpy; print(pickle.loads({stored!r})(numpy.int32([1]), numpy.int32([2])))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.stdout.strip(), found.stderr) == ("[3]", "")


@pytest.mark.parametrize("count", [0, -1, True, 1.5, "2", MOST_THREADS + 1])
def test_numbers_of_threads_that_are_none(count: Any):
    with pytest.raises(lw.InvalidError, match=f"allowed: a whole number from 1 to {MOST_THREADS}"):
        lw.set_threads(count)


def test_numbers_of_threads():
    before = lw.get_threads()
    try:
        lw.set_threads(np.int64(2))
        assert lw.get_threads() == 2
    finally:
        lw.set_threads(before)


def test_a_wrong_number_of_threads_in_the_environment():
    code = "import lanewise, numpy; x = numpy.zeros(4 << 20, 'i4'); lanewise.tosa.add(x, x)"
    found = subprocess.run(
        [sys.executable, "-c", code], env={"LANEWISE_THREADS": "abc"}, capture_output=True, text=True, check=False
    )
    assert (
        found.stderr.strip()
        .splitlines()[-1]
        .endswith("LANEWISE_THREADS is 'abc'; allowed: a whole number from 1 to 1024")
    )


def test_a_scaled_product_takes_the_short_way():
    """Its shift is a number of an odd width, but a constant."""
    a = np.array([3, 5, 7], np.int8)
    for _ in range(3):
        assert lw.tosa.mul(a, a).tolist() == [9, 25, 49]
    (calls,) = [cell.cell_contents for cell in lw.tosa.mul.__closure__ or ()]
    assert calls.short((a, a), None, {}).tolist() == [9, 25, 49]


def test_numbers_beside_arrays():
    """Kept as arrays from the second call on: zeros of either sign are two numbers, True and 1 as well."""
    reals = np.float32([1, -2])
    for _ in range(3):
        assert lw.onnx.add(X, 3).tolist() == (X + 3).tolist()
        assert lw.onnx.sub(3, X).tolist() == (3 - X).tolist()
        assert lw.onnx.bit_shift(X, 1, direction="LEFT").tolist() == (2 * X).tolist()
        assert np.signbit(lw.onnx.mul(reals, 0.0)).tolist() == [False, True]
        assert np.signbit(lw.onnx.mul(reals, -0.0)).tolist() == [True, False]
        assert lw.onnx.max(X, 1, 2).tolist() == np.maximum(X, 2).tolist()
        for wrong in (1 << 40, 1.5, True):
            with pytest.raises(lw.InvalidError, match="B: .* does not fit int32"):
                lw.onnx.add(X, wrong)


def test_results_into_views():
    """A view may be written at once if it shares no memory with the operands; over them, or read-only, it may not."""
    room = np.zeros(20, np.int32)
    for _ in range(3):
        out = room[3:9]
        assert lw.tosa.add(X, X, out=out) is out
        assert room.tolist() == [0] * 3 + (2 * X).tolist() + [0] * 11
        both = np.arange(8, dtype=np.int32)
        lw.tosa.add(both[:6], both[:6], out=both[2:])  # as if the operands were read first
        assert both.tolist() == [0, 1, 0, 2, 4, 6, 8, 10]
        ends = np.array([TOP, 1], np.int32)
        with pytest.raises(lw.UnpredictableError):
            lw.tosa.add(ends, ends, out=ends[::-1])
        assert ends.tolist() == [TOP, 1]
        shut = room[3:9]
        shut.flags.writeable = False
        with pytest.raises(lw.InvalidError, match="read-only"):
            lw.tosa.add(X, X, out=shut)


def test_a_compiled_graph_counts_its_operands_each_time():
    graph = lw.Builder(onnx=18)
    a, b = graph.input("a", "int32", ("n",)), graph.input("b", "int32", ("n",))
    graph.output("z", graph.node("BitwiseXor", a, b))
    call = lw.compile(graph.model())
    x, out = np.arange(5, dtype=np.int32), np.empty(5, np.int32)
    for _ in range(3):
        call(x, x)
        call(x, x, out=out)
        with pytest.raises(lw.InvalidError):
            call(x, x, x)
        with pytest.raises(lw.InvalidError):
            call(x, out=out)


def test_ranks_are_looked_at_each_time():
    flat = np.ones((2, 2), np.float32)
    for _ in range(3):
        lw.tosa.pow(flat, flat)
    deep = np.ones((1, 1, 1, 2, 2), np.float32)
    with pytest.raises(lw.InvalidError, match="rank"):
        lw.tosa.pow(deep, deep)
