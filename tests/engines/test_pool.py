"""Large loops whose parts helpers take in machine code: always the same results, and nobody waits for nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.native import pool as pools
from lanewise.engines.native.kernel import SPLIT_BYTES, kernel
from lanewise.operators.catalogue import find

pytestmark = pytest.mark.skipif(pools.pool() is None, reason="helpers wait by a system call of Linux")

ADD = find("tosa", "ADD", "0.23.0")
ROW = next(row for row in ADD.rows if row.output.name == "int32")
LEAST = kernel(ADD.function(ROW.inputs, ROW.output, {})).limit + 1  # elements from which helpers are asked


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = lw.get_threads()
    yield
    lw.set_threads(before)


def numbers(size: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(size)
    a, b = (generator.integers(-(2**29), 2**29, size, np.int32) for _ in range(2))
    return a, b


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("size", [LEAST - 1, LEAST, LEAST + 1, 3 * LEAST + 4095, 1 << 20, (1 << 22) + 77])
def test_every_element_is_computed_once(size: int, count: int):
    lw.set_threads(count)
    a, b = numbers(size)
    for _ in range(3):  # the general way first, then the short one
        out = np.full(size, 5, np.int32)
        assert lw.tosa.add(a, b, out=out) is out
        np.testing.assert_array_equal(out, a + b)
        np.testing.assert_array_equal(lw.tosa.add(a, b), a + b)
    same = a.copy()
    lw.tosa.add(same, same, out=same)  # in place: every element is read before it is written
    np.testing.assert_array_equal(same, a + a)
    np.testing.assert_array_equal(lw.tosa.add(a, np.array([7], np.int32)), a + 7)
    np.testing.assert_array_equal(lw.tosa.add(a[::-1], b[::2].repeat(2)[:size]), a[::-1] + b[::2].repeat(2)[:size])


@pytest.mark.parametrize("order", ["C", "F"])
def test_more_axes(order: str):
    lw.set_threads(3)
    a, b = (np.asarray(x.reshape(1024, -1), order=order) for x in numbers(1 << 20))
    for _ in range(3):
        np.testing.assert_array_equal(lw.tosa.add(a, b), a + b)
        np.testing.assert_array_equal(lw.tosa.add(a, b[:1]), a + b[:1])
        np.testing.assert_array_equal(lw.tosa.add(a, b.T.copy().T), a + b)


@pytest.mark.parametrize("place", [0, LEAST - 1, LEAST, (1 << 20) // 2, (1 << 20) - 1])
def test_a_failure_in_any_part_is_found(place: int):
    lw.set_threads(4)
    a, b = numbers(1 << 20)
    for _ in range(3):
        lw.tosa.add(a, b)
        bad = a.copy()
        bad[place], b[place] = 2**31 - 1, 1
        with pytest.raises(lw.UnpredictableError, match=rf"element \[{place}\] breaks"):
            lw.tosa.add(bad, b)
        b[place] = 0
        np.testing.assert_array_equal(lw.tosa.add(a, b), a + b)  # and a failure does not stay


def test_graphs():
    lw.set_threads(3)
    graph = lw.Builder(tosa="0.23.0")
    x, y = graph.input("x", "int32", ("n",)), graph.input("y", "int32", ("n",))
    total = graph.node("ADD", x, y)
    graph.output("sum", total)
    graph.output("low", graph.node("BITWISE_AND", total, x))
    compiled = lw.compile(graph.model())
    a, b = numbers(1 << 20)
    for _ in range(3):
        first, second = compiled(a, b)
        np.testing.assert_array_equal(first, a + b)
        np.testing.assert_array_equal(second, (a + b) & a)
        outs = np.empty_like(a), np.empty_like(a)
        compiled(a, b, out=outs)
        np.testing.assert_array_equal(outs, ((a + b), (a + b) & a))
    wide = np.stack([a, b], 1)
    np.testing.assert_array_equal(compiled(wide[:, 0], b)[0], a + b)  # not in one row


@pytest.mark.parametrize("shift", [-7, -1, 0, 1, 7])
def test_a_result_that_overlaps_an_operand(shift: int):
    """NumPy trusts loops to go forward, and copies nothing where that is enough; parts do not."""
    lw.set_threads(4)
    graph = lw.Builder(onnx=18)
    x = graph.input("x", "int32", ("n",))
    graph.output("z", graph.node("BitwiseNot", x))
    compiled = lw.compile(graph.model())
    size = 1 << 20
    for call in (lw.onnx.bitwise_not, compiled):
        for _ in range(4):
            memory = np.arange(size + 16, dtype=np.int32)
            want = ~memory[8 : size + 8]
            call(memory[8 : size + 8], out=memory[8 + shift : size + 8 + shift])
            np.testing.assert_array_equal(memory[8 + shift : size + 8 + shift], want)


def test_helpers_take_part():
    lw.set_threads(2)
    a, b = numbers(1 << 22)
    out = np.empty_like(a)
    pool = pools.pool()
    assert pool is not None
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        lw.tosa.add(a, b, out=out)
        front, back = pool.taken()
        assert front + back >= 8
        if 1 < back < 8:  # one attempt of each is in vain
            return
    raise AssertionError("no part was ever done by a helper")


def test_many_callers_at_once():
    """One has the helpers, the others do without; nobody gets another's numbers."""
    lw.set_threads(3)
    wrong = []

    def call(seed: int) -> None:
        a, b = numbers(LEAST + seed * 1000)
        for _ in range(60):
            if not np.array_equal(lw.tosa.add(a, b), a + b):
                wrong.append(seed)

    callers = [threading.Thread(target=call, args=(seed,)) for seed in range(6)]
    for caller in callers:
        caller.start()
    for count in (2, 5, 1, 4):  # and the number of helpers changes under way
        lw.set_threads(count)
        time.sleep(0.05)
    for caller in callers:
        caller.join()
    assert wrong == []


def test_after_a_fork():
    lw.set_threads(3)
    a, b = numbers(1 << 20)
    lw.tosa.add(a, b)
    lw.tosa.add(a, b)
    child = os.fork()
    if child == 0:
        good = all(np.array_equal(lw.tosa.add(a, b), a + b) for _ in range(5))
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(lw.tosa.add(a, b), a + b)


@pytest.mark.parametrize("pause", [0, 0.5])
def test_the_interpreter_ends_with_helpers_awake_and_asleep(pause: float):
    script = (
        "import time, numpy as np, lanewise as lw\n"
        "lw.set_threads(3)\n"
        f"a = np.ones({1 << 20}, np.int32)\n"
        "for _ in range(5): lw.tosa.add(a, a)\n"
        f"time.sleep({pause})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_one_thread_needs_no_pool():
    script = (
        "import numpy as np, lanewise as lw\n"
        "from lanewise.engines.native import pool\n"
        f"a = np.ones({SPLIT_BYTES}, np.int32)\n"
        "for _ in range(3): lw.tosa.add(a, a)\n"
        "assert pool._pool is None\n"
    )
    environment = {**os.environ, "LANEWISE_THREADS": "1"}
    subprocess.run([sys.executable, "-c", script], env=environment, timeout=60, check=True)


def test_a_table_in_the_result_is_read_before_it_is_written():
    lw.set_threads(4)
    codes = np.resize(np.arange(-128, 128), 1 << 21).astype(np.int8)
    table = np.arange(127, -129, -1).astype(np.int8)
    want = lw.tosa.table(codes, table)
    for place in (0, 1 << 20):
        out = np.zeros(1 << 21, np.int8)
        own = out[place : place + 256]
        own[:] = table
        lw.tosa.table(codes, own, out=out)
        np.testing.assert_array_equal(out, want)


def test_set_threads_counts_helpers():
    a, b = numbers(1 << 20)
    for count in (4, 2, 1, 3):
        lw.set_threads(count)
        lw.tosa.add(a, b)
        lw.tosa.add(a, b)
        named = [thread for thread in threading.enumerate() if thread.name == "lanewise"]
        assert len(named) == count - 1


def test_large_work_while_the_interpreter_ends():
    """No thread starts then: whoever waited for it would wait for ever."""
    script = (
        "import numpy as np, lanewise as lw\n"
        "lw.set_threads(3)\n"
        f"a = np.ones({1 << 20}, np.int32)\n"
        "for _ in range(3): lw.tosa.add(a, a)\n"
        "class Last:\n"
        "    def __del__(self, add=lw.tosa.add, a=a): add(a, a)\n"
        "import sys\n"
        "sys.last = Last()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_operands_that_numpy_takes_piece_by_piece():
    lw.set_threads(3)
    a, b = numbers(1 << 22)
    memory = np.zeros(4 * a.size + 1, np.uint8)
    odd = memory[1:].view(np.int32)
    odd[:] = a
    swapped = a.astype(">i4")
    for given in (odd, swapped):
        np.testing.assert_array_equal(lw.tosa.add(given, b), a + b)
