"""Calls on few elements in machine code: which are taken, and that all others are as if it were not there."""

import itertools
import linecache
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.native import short_way
from lanewise.graph.call import OperatorCalls

X, Y = np.array([-8, 40, 7], np.int32), np.array([1, 2, 3], np.int32)
SHIFTED = [-4, 10, 0]
RIGHT = {"direction": "RIGHT"}


def calls_of(name="ARITHMETIC_RIGHT_SHIFT", specification="tosa"):
    return OperatorCalls(specification, name)


def warmed(*operands, name="ARITHMETIC_RIGHT_SHIFT", specification="tosa", **keywords):
    """An operator's calls after two with these operands, so that its loop is known."""
    calls = calls_of(name, specification)
    for _ in range(2):
        calls.general(operands, None, **keywords)
    return calls


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1, 1)])
def test_what_it_takes(shape):
    x, y = X.reshape(shape), Y.reshape(shape)
    calls = warmed(X, Y)
    found = calls.short((x, y), None, {})
    assert (found.ravel().tolist(), found.dtype, found.shape) == (SHIFTED, np.int32, shape)
    out = np.empty_like(x)
    assert calls.short((x, y), out, {}) is out
    assert out.ravel().tolist() == SHIFTED


def test_strided_operands_and_one_operand_and_many():
    wide = np.repeat(X, 2)
    assert warmed(X, Y).short((wide[::2], Y[::-1]), None, {}).tolist() == (X >> Y[::-1]).tolist()
    assert warmed(X, name="Neg", specification="onnx").short((X,), None, {}).tolist() == (-X).tolist()
    sums = warmed(X, X, X, name="Max", specification="onnx")
    assert sums.short((X, Y, X), None, {}).tolist() == np.maximum(X, Y).tolist()
    assert sums.short((X, Y), None, {}) is None  # another loop


def test_results_of_another_type():
    calls = warmed(X, Y, name="Greater", specification="onnx")
    found = calls.short((X, Y), None, {})
    assert (found.tolist(), found.dtype) == ((X > Y).tolist(), np.bool_)
    assert calls.short((X, Y), np.empty(3, np.int32), {}) is None
    assert calls.short((X, Y), np.empty(3, np.bool_), {}).tolist() == (X > Y).tolist()


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize(
    "operands",
    [
        (),
        (X,),
        (X, Y, Y),
        (X, 1),
        (X, [1, 2, 3]),
        ([1, 2, 3], X),
        (X, None),
        (X, Y[:1]),
        (X, Y[:2]),
        (X[:2], Y),
        (X[:1], Y),
        (X, Y.reshape(1, 3)),
        (X, Y.reshape(3, 1)),
        (X[0:0], Y[0:0]),
        (X[0], Y[0]),
        (np.array(1, np.int32), np.array(1, np.int32)),
        (X, Y.astype(np.int16)),
        (X.astype(np.int16), Y.astype(np.int16)),
        (X.astype(">i4"), Y.astype(">i4")),
        (X.view(Sub), Y.view(Sub)),
        (X,) * 40,
    ],
)
def test_what_it_leaves_alone(operands):
    calls = warmed(X, Y)
    for out in (None, np.empty(3, np.int32)):
        assert calls.short(operands, out, {}) is None
    assert calls.short((X, Y), None, {}).tolist() == SHIFTED


@pytest.mark.parametrize("out", [(), [], 3, np.empty(3, np.int16), np.empty(2, np.int32), np.empty((3, 1), np.int32)])
def test_results_that_it_leaves_alone(out):
    assert warmed(X, Y).short((X, Y), out, {}) is None


def test_a_result_that_is_read_only_is_refused_as_ever():
    out = np.empty(3, np.int32)
    out.flags.writeable = False
    for _ in range(3):
        with pytest.raises(lw.InvalidError, match="read-only|writ"):
            lw.tosa.add(X, Y, out=out)


@pytest.mark.parametrize(("start", "step"), list(itertools.product(range(4), (1, 2))))
def test_a_result_over_an_operand_is_written_only_if_nothing_fails(start, step):
    """Wherever it lies: a failing call leaves its operands as they were."""
    memory = np.arange(12, dtype=np.int32)
    lw.tosa.arithmetic_right_shift(X, Y), lw.tosa.arithmetic_right_shift(X, Y)
    for good in (True, False):
        base = memory.copy()
        x = base[2:5]
        out = base[start : start + 3 * step : step]
        y = Y if good else np.array([1, 2, 99], np.int32)
        before = base.copy()
        if good:
            expected = before.copy()
            expected[start : start + 3 * step : step] = x >> y
            lw.tosa.arithmetic_right_shift(x, y, out=out)
            assert base.tolist() == expected.tolist()
        else:
            with pytest.raises(lw.UnpredictableError):
                lw.tosa.arithmetic_right_shift(x, y, out=out)
            assert base.tolist() == before.tolist()


def test_out_beside_operands_in_one_memory_is_taken():
    base = np.zeros(12, np.int32)
    base[:3], base[3:6] = X, Y
    calls = warmed(X, Y)
    assert calls.short((base[:3], base[3:6]), base[6:9], {}).tolist() == SHIFTED
    assert calls.short((base[:3], base[3:6]), base[5:8], {}) is None
    assert calls.short((base[:3], base[3:6]), base[8::-4], {}) is None  # begins behind them, ends in them


def test_keywords_are_those_of_the_loop():
    calls = warmed(X, Y, round=True)
    assert calls.short((X, Y), None, {"round": True}).tolist() == [-4, 10, 1]
    for other in ({}, {"round": False}, {"round": 1}, {"round": "True"}, {"rounding": True}):
        assert calls.short((X, Y), None, other) is None
    assert calls.short((X, Y), None, {"round": True, "version": "0.23.0"}) is None
    shifts = warmed(X, Y, name="BitShift", specification="onnx", direction="RIGHT", opset=28)
    assert shifts.short((X, Y), None, RIGHT | {"opset": 28}).tolist() == SHIFTED
    assert shifts.short((X, Y), None, {"opset": 28} | RIGHT) is None  # another order; found once it comes
    spelt = str(np.array("RIGHT"))  # equal, and another object
    assert spelt is not RIGHT["direction"]
    assert shifts.short((X, Y), None, {"direction": spelt, "opset": 28}).tolist() == SHIFTED
    assert shifts.short((X, Y), None, {"direction": "LEFT", "opset": 28}) is None
    assert shifts.short((X, Y), None, RIGHT | {"opset": 28.0}) is None


def test_names_of_keywords_that_are_more_than_strings():
    class Name(str):
        __slots__ = ()

    for _ in range(3):
        assert lw.onnx.bit_shift(X, Y, **{Name("direction"): "RIGHT"}).tolist() == SHIFTED


def test_more_than_it_takes():
    names = {"nan_mode": "PROPAGATE", "version": "1.0", "profile": "PRO-INT"}
    for _ in range(3):
        assert lw.tosa.maximum(X, Y, **names).tolist() == np.maximum(X, Y).tolist()
        assert lw.onnx.max(*[X] * 23, Y).tolist() == np.maximum(X, Y).tolist()
        assert lw.onnx.max(*[X] * 50, Y).tolist() == np.maximum(X, Y).tolist()


def test_directions_take_turns():
    for _ in range(3):
        assert lw.onnx.bit_shift(X, Y, direction="RIGHT").tolist() == SHIFTED
        assert lw.onnx.bit_shift(X, Y, direction="LEFT").tolist() == (X << Y).tolist()
    (calls,) = [cell.cell_contents for cell in lw.onnx.bit_shift.__closure__]
    assert calls.short((X, Y), None, RIGHT).tolist() == SHIFTED
    assert calls.short((X, Y), None, {"direction": "LEFT"}).tolist() == (X << Y).tolist()


def test_a_failure_is_reported_and_does_not_stay():
    calls = warmed(X, Y)
    bad = np.array([1, 2, 99], np.int32)
    assert calls.short((X, bad), None, {}) is None
    assert calls.short((X, Y), None, {}) is None  # the loop has failed once, so it does not know about this call
    with pytest.raises(lw.UnpredictableError, match="99"):
        calls.general((X, bad))
    calls.general((X, Y))
    assert calls.short((X, Y), None, {}).tolist() == SHIFTED


def test_more_loops_than_it_keeps():
    """Nothing is mixed up, and what is called again and again takes the place of the oldest."""
    calls = calls_of("MUL")
    a = np.array([3, 5, 70000], np.int32)
    shifts = range(2, 2 + short_way.MOST_LOOPS // 2)
    settings = [
        {"shift": shift, **version} for shift in shifts for version in ({}, {"version": "0.23.0"}, {"profile": "MI"})
    ]
    for _ in range(2):
        for keywords in settings:
            expected = ((a.astype(np.int64) ** 2 + (1 << keywords["shift"] >> 1)) >> keywords["shift"]).astype(np.int32)
            for _ in range(2):
                assert calls.general((a, a), None, **keywords).tolist() == expected.tolist()
            found = calls.short((a, a), None, keywords)
            assert found is None or found.tolist() == expected.tolist()
    known = [calls.short((a, a), None, keywords) is not None for keywords in settings]
    assert sum(known) == short_way.MOST_LOOPS
    before = known.index(False)
    for _ in range(short_way.PATIENCE + 1):
        calls.general((a, a), None, **settings[before])
    assert calls.short((a, a), None, settings[before]) is not None


def test_equal_dtypes_that_are_two_objects():
    one = np.dtype(np.int64)
    (other,) = [found for found in map(np.dtype, ("l", "q")) if found is not one]
    assert one == other
    calls = calls_of("BitShift", "onnx")
    arrays = [(X.astype(dtype), Y.astype(dtype)) for dtype in (one, other)]
    for _ in range(3):
        for given in arrays:
            assert calls.general(given, None, direction="RIGHT").tolist() == SHIFTED
    known = [calls.short(given, None, RIGHT) for given in arrays]
    assert [found.tolist() for found in known] == [SHIFTED, SHIFTED]


def test_an_interruption_is_passed_on():
    """And any other error in the loop leads to the general way."""
    direct = type("Direct", (), {})()
    direct.limit, direct.checks, direct.result = 10, False, np.dtype(np.int32)
    direct.shared = __import__("array").array("q", [0])
    for error, way in ((KeyboardInterrupt, "raised"), (ValueError, None), (MemoryError, None)):

        def call(*arrays, error=error):
            raise error("here")

        direct.call = call
        short = short_way.ShortWay()
        short.add("key", 2, X.dtype, {}, lambda: direct)
        if way is None:
            assert short.call((X, Y), None, {}) is None
        else:
            with pytest.raises(error):
                short.call((X, Y), None, {})


def test_loops_are_replaced_while_others_call():
    """Threads that make loops fail and be made anew, and threads that count on them."""
    wrong, ends = [], threading.Event()
    bad = np.array([1, 2, 99], np.int32)

    def use():
        out = np.empty_like(X)
        while not ends.is_set():
            if lw.tosa.arithmetic_right_shift(X, Y).tolist() != SHIFTED:
                wrong.append("new")
            if lw.tosa.arithmetic_right_shift(X, Y, out=out).tolist() != SHIFTED:
                wrong.append("out")

    def break_it():
        for _ in range(1500):
            try:
                lw.tosa.arithmetic_right_shift(X, bad)
                wrong.append("missed")
            except lw.UnpredictableError:
                pass

    users = [threading.Thread(target=use) for _ in range(2)]
    breakers = [threading.Thread(target=break_it) for _ in range(2)]
    for thread in (*users, *breakers):
        thread.start()
    for thread in breakers:
        thread.join()
    ends.set()
    for thread in users:
        thread.join()
    assert not wrong


def test_no_references_are_lost():
    calls = warmed(X, Y)
    bad = np.array([1, 2, 99], np.int32)
    x, y, out = X.copy(), Y.copy(), np.empty_like(X)
    things = (x, y, out, bad, None, X.dtype, calls.short)
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(500):
        calls.short((x, y), None, {})
        calls.short((x, y), out, {})
        calls.short((x, y), None, RIGHT)
        calls.short((x,), None, {})
        calls.short((x, bad), None, {})
    after = [sys.getrefcount(thing) for thing in things]
    assert all(abs(one - two) < 50 for one, two in zip(before, after, strict=True)), (before, after)


def test_without_it_every_call_takes_the_general_way(monkeypatch):
    monkeypatch.setattr(short_way, "_method", lambda: None)
    calls = warmed(X, Y)
    assert calls.short((X, Y), None, {}) is None
    assert calls.general((X, Y)).tolist() == SHIFTED


@pytest.mark.parametrize("name", ["TYPE", "DATA", "RANK", "SHAPE", "STRIDES", "DTYPE", "ORDER", "NUMBER"])
def test_it_looks_whether_things_lie_as_it_reads_them(name, monkeypatch):
    assert short_way._is_readable()
    monkeypatch.setattr(
        short_way.at, name, getattr(short_way.at, name) + {"RANK": 4, "ORDER": 1, "NUMBER": 4}.get(name, 8)
    )
    assert not short_way._is_readable()


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=os.environ | environment
    )


ENDS = """
import gc, numpy as np, lanewise as lw
from lanewise.graph.call import OperatorCalls
x = np.arange(3, dtype=np.int32)
for _ in range(3): lw.tosa.add(x, x)
calls = OperatorCalls("tosa", "ADD")
for _ in range(3): calls.general((x, x))
kept = calls.short
del calls
gc.collect()
junk = [bytearray(1 << k) for k in range(16) for _ in range(50)]
print(kept((x, x), None, {}).tolist())
class End:
    def __del__(self): print(lw.tosa.add(x, x).tolist())
end = End()
"""


def test_nothing_is_freed_too_soon():
    """Neither when its owner goes nor when the interpreter ends; freed memory is overwritten where the system can."""
    ran = run(ENDS, PYTHONMALLOC="malloc", MALLOC_PERTURB_="2")
    assert (ran.returncode, ran.stdout.split("\n")[:2]) == (0, ["[0, 2, 4]", "[0, 2, 4]"]), ran.stderr


def test_threads_that_meet_at_the_second_call():
    code = """
import threading, numpy as np, lanewise as lw
x = np.arange(3, dtype=np.int32)
for name in ("add", "sub", "mul", "bitwise_and", "bitwise_or"):
    call = getattr(lw.tosa, name)
    want, start = call(x, x).tolist(), threading.Barrier(8)
    def work():
        start.wait()
        for _ in range(200):
            assert call(x, x).tolist() == want
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    ran = run(code, PYTHONMALLOC="malloc", MALLOC_PERTURB_="2")
    assert (ran.returncode, ran.stderr) == (0, "")


class Interruption(Exception):
    pass


class Interrupting:
    """Raises at a line of short_way.py, as a signal's handler may, and counts lines until then."""

    def __init__(self, after):
        self.left = after

    def trace(self, frame, event, _):
        if frame.f_code.co_filename != short_way.__file__:
            return None
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if event == "line" and "self._adding" not in line:  # else nothing is added any more
            self.left -= 1
            if self.left == 0:
                raise Interruption
        return self.trace


@pytest.mark.parametrize("after", range(1, 60))
def test_an_interruption_anywhere_mixes_up_no_loops(after):
    """Calls of one key never get the loop of another, and the next ones find their way."""
    calls = calls_of("MUL")
    a = np.array([3, 5, 70000], np.int32)
    wanted = {s: ((a.astype(np.int64) ** 2 + (1 << s >> 1)) >> s).astype(np.int32).tolist() for s in range(2, 40)}
    shifts = list(wanted)
    for shift in shifts[:34]:
        for _ in range(2):
            calls.general((a, a), None, shift=shift)
    calls._short._refused = short_way.PATIENCE - 1  # the next one takes a place
    sys.settrace(Interrupting(after).trace)
    try:
        calls.general((a, a), None, shift=shifts[34])
        calls.general((a, a), None, shift=shifts[34])
    except Interruption:
        pass
    finally:
        sys.settrace(None)
    for _ in range(2 * short_way.PATIENCE):
        calls.general((a, a), None, shift=shifts[35])
    for shift in shifts:
        found = calls.short((a, a), None, {"shift": shift})
        assert found is None or found.tolist() == wanted[shift]
        known = calls._short.known((2, a.dtype.num, ("shift",), (int,), (shift,)))
        assert known is None or known.call(a, a).tolist() == wanted[shift]


def test_a_handler_that_calls_what_it_interrupts():
    """Nobody waits for a lock that the same thread holds."""
    code = """
import signal, sys, numpy as np, lanewise as lw
x, big = np.arange(3, dtype=np.int32), np.arange(1 << 20, dtype=np.int32)
import lanewise.engines.native.short_way  # no module can be used amid its first import
lw.tosa.bitwise_and(x, x)
calls = 0
def handler(*_):
    global calls
    calls += 1
    for call in (lw.tosa.add, lw.tosa.sub): call(x, x), call(big, big)
    signal.setitimer(signal.ITIMER_REAL, 0.0003)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0003)
while calls < 300:
    for call in (lw.tosa.add, lw.tosa.sub, lw.tosa.maximum): call(x, x), call(big, big), call(big[::2], big[::2])
signal.setitimer(signal.ITIMER_REAL, 0)
print("done")
"""
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=100)
    assert ran.stdout == "done\n", ran.stderr


def test_dtypes_of_their_own_are_as_good_as_any():
    x, y = pickle.loads(pickle.dumps((X, Y)))
    assert x.dtype is not X.dtype
    for operands in ((x, y), (X, Y)):
        calls = warmed(*operands)
        assert calls.short((x, y), None, {}).tolist() == SHIFTED
        assert calls.short((X, Y), None, {}).tolist() == SHIFTED
        assert calls.short((X, Y), np.empty_like(x), {}).tolist() == SHIFTED


def test_more_elements_than_one_call_is_for():
    calls = warmed(X, Y)
    big = np.arange(1 << 18, dtype=np.int32)
    counts = np.full_like(big, 2)
    direct = calls.short((big, counts), None, {})
    assert direct is calls.short((big.reshape(512, 512), counts.reshape(512, 512)), None, {})
    expected = (big >> 2).tolist()
    assert calls.long(direct, (big, counts), None).tolist() == expected
    assert calls.long(direct, (big, counts), np.empty_like(big)).tolist() == expected
    assert calls.long(direct, (big, counts), big[::-1]) is None
    assert calls.long(direct, (big, counts), np.empty(3, np.int32)) is None
    counts[12345] = 99
    assert calls.long(direct, (big, counts), None) is None
    with pytest.raises(lw.UnpredictableError, match="12345"):
        lw.tosa.arithmetic_right_shift(big, counts)


@pytest.mark.parametrize("order", ["C", "F"])
def test_layouts_beside_a_result(order):
    """Arrays that share no memory are told from those that do, however they lie."""
    calls = warmed(X, Y)
    base = np.zeros((4, 6, 10), np.int32, order=order)
    x, y = base[:2, ::2, 1::3], base[2:, ::-2, 8::-3]
    x[...], y[...] = -8, 1
    apart = np.empty((2, 3, 3), np.int32, order="F")
    assert (calls.short((x, y), apart, {}) == -4).all()
    assert calls.short((x, y), base[1:3, ::2, ::4], {}) is None
    assert calls.short((x[::-1], y), x, {}) is None
