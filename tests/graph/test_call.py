"""One operator as a function: what it takes, what it gives, what it refuses."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import lanewise as lw

X = np.array([1, 2, 3], np.int32)
ENGINES = pytest.mark.parametrize("engine", ["native", "exact"])


def says(error: type[Exception], call) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


class TestOperands:
    def test_python_numbers_take_the_other_operands_type(self):
        assert lw.onnx.add(X, 5).tolist() == [6, 7, 8]
        assert lw.onnx.add(5, X).dtype == np.int32
        assert lw.onnx.add(np.float32(1.5), 2).dtype == np.float32
        assert lw.onnx.add(np.array([1], np.int8), 200 - 73).tolist() == [-128]
        assert (
            says(lw.InvalidError, lambda: lw.onnx.add(np.array([1], np.int8), 200))
            == "Add-14: B: 200 does not fit int8 (-128 … 127)"
        )
        assert says(lw.InvalidError, lambda: lw.onnx.add(X, 1.5)).startswith("Add-14: B: 1.5 does not fit int32")
        assert says(lw.InvalidError, lambda: lw.onnx.add(X, True)).startswith("Add-14: B: True does not fit int32")
        assert "give an array or a NumPy scalar" in says(lw.InvalidError, lambda: lw.onnx.add(1, 2))
        assert lw.onnx.where(np.array([True, False]), X[:2], 9).tolist() == [1, 9]

    def test_no_silent_casts(self):
        assert "no row for inputs (int32, int64)" in says(lw.InvalidError, lambda: lw.onnx.add(X, X.astype(np.int64)))
        assert "dtype complex128 is no element type" in says(lw.InvalidError, lambda: lw.onnx.add(X + 1j, X))
        assert "dtype object is no element type" in says(lw.InvalidError, lambda: lw.onnx.add([None], X))

    def test_numpy_scalars_and_rank_0(self):
        result = lw.tosa.add(np.int32(3), np.int32(4))
        assert isinstance(result, np.ndarray)
        assert result.shape == ()
        assert result == 7
        again = lw.tosa.add(np.array(3, np.int32), np.array(4, np.int32))
        assert again.shape == ()

    def test_empty_arrays(self):
        assert lw.onnx.bit_shift(np.zeros((0, 3), np.uint8), np.uint8(1), direction="LEFT").shape == (0, 3)
        # https://github.com/llvm/llvm-project/pull/108133
        empty = np.zeros((3, 0), np.int32)
        assert says(lw.InvalidError, lambda: lw.tosa.add(empty, empty)) == (
            "ADD: input1 has shape [3, 0]; TOSA needs every dimension to be at least 1"
        )

    def test_anything_that_speaks_dlpack_or_array(self):
        class Dlpack:
            def __dlpack__(self, **_):
                return X.__dlpack__()

            def __dlpack_device__(self):
                return X.__dlpack_device__()

        class Array:
            def __array__(self, dtype=None, copy=None):
                return X

        for operand in (Dlpack(), Array(), memoryview(X)):
            assert lw.tosa.add(operand, X).tolist() == [2, 4, 6]

    @ENGINES
    def test_bfloat16(self, engine):
        a = np.array([1.5, 3.0], ml_dtypes.bfloat16)
        result = lw.tosa.mul(a, a, engine=engine)
        assert result.dtype == ml_dtypes.bfloat16
        assert result.astype(float).tolist() == [2.25, 9.0]

    @ENGINES
    def test_any_nonzero_byte_is_true(self, engine):
        odd = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
        assert lw.tosa.logical_xor(odd, np.ones(4, np.bool_), engine=engine).tolist() == [True, False, False, False]

    @ENGINES
    def test_int48_lies_in_int64_and_is_checked(self, engine):
        def rescale(values):
            return lw.tosa.rescale(
                np.array(values, np.int64), [1 << 14], [14], scale32=False, output_type="int32", engine=engine
            )

        assert rescale([5, -7]).tolist() == [5, -7]
        assert "holds 140737488355328, which is outside int48" in says(lw.InvalidError, lambda: rescale([1 << 47]))

    def test_wrong_calls(self):
        assert says(lw.InvalidError, lambda: lw.tosa.add(X)) == "ADD: input2 is missing; it takes input1, input2"
        assert says(lw.InvalidError, lambda: lw.tosa.add(X, X, X)) == "ADD: takes 2 operands (input1, input2), not 3"
        assert says(lw.InvalidError, lambda: lw.tosa.add(X, X, input2=X)) == "ADD: input2 is given twice"
        assert (
            says(lw.InvalidError, lambda: lw.tosa.add(X, X, shift=1)) == "ADD: unknown attribute 'shift'; it has: none"
        )
        assert "on_unpredictable is 'ignore'" in says(
            lw.InvalidError, lambda: lw.tosa.add(X, X, on_unpredictable="ignore")
        )
        assert "engine is 'gpu'; allowed: 'native', 'exact'" in says(
            lw.InvalidError, lambda: lw.tosa.add(X, X, engine="gpu")
        )
        assert "MUL: shift is 64; allowed: 0 to 63" in says(lw.InvalidError, lambda: lw.tosa.mul(X, X, shift=64))
        assert "attribute round is 2; allowed: True, False" in says(
            lw.InvalidError, lambda: lw.tosa.arithmetic_right_shift(X, X, round=2)
        )

    def test_operands_by_name(self):
        assert lw.tosa.add(input2=X, input1=X).tolist() == [2, 4, 6]
        assert lw.tosa.mul(X, X, shift=2).tolist() == [0, 1, 2]

    def test_ranks(self):
        # https://github.com/llvm/llvm-project/issues/61304
        four = np.array([1, 2, 3, 4], np.float32)
        for three in (3.0, np.float32(3), np.array(3, np.float32)):
            assert says(lw.InvalidError, lambda three=three: lw.tosa.sub(four, three)) == (
                "SUB: input1 has shape [4] and input2 has shape []; TOSA needs equal ranks. "
                "Reshape input2 to [1] with RESHAPE"
            )
        five = np.ones((1, 1, 1, 1, 1), np.float32)
        assert "rank" in says(lw.InvalidError, lambda: lw.tosa.pow(five, five))
        assert "X has shape [2, 3] and Y has shape [2]" in says(
            lw.InvalidError,
            lambda: lw.onnx.bit_shift(np.zeros((2, 3), np.int8), np.zeros(2, np.int8), direction="LEFT"),
        )


class TestVersionsAndProfiles:
    def test_versions(self):
        assert "TOSA version 0.22.0: lanewise knows 0.23.0" in says(
            lw.UnsupportedError, lambda: lw.tosa.add(X, X, version="0.22.0")
        )
        assert "ONNX opset 99: lanewise knows opsets up to 28" in says(
            lw.UnsupportedError, lambda: lw.onnx.add(X, X, opset=99)
        )
        assert "opset is '28'" in says(lw.InvalidError, lambda: lw.onnx.add(X, X, opset="28"))
        assert lw.onnx.add(X, X, opset=7).tolist() == [2, 4, 6]
        eight = np.array([1], np.int8)
        assert "It is allowed at opset 28" in says(
            lw.InvalidError, lambda: lw.onnx.bit_shift(eight, eight, direction="LEFT", opset=27)
        )
        assert lw.onnx.bit_shift(eight, eight, direction="LEFT", opset=28).tolist() == [2]

    def test_profiles(self):
        f = np.array([1.0], np.float32)
        assert says(lw.InvalidError, lambda: lw.tosa.add(f, f, profile="BI")) == (
            "ADD: profile BI has no row for (float32, float32); TOSA 0.23.0 lists it for MI, MT"
        )
        for profile in ("MI", "MT"):
            assert lw.tosa.add(f, f, profile=profile).tolist() == [2.0]
        assert "profile is 'XX'; TOSA 0.23.0 has BI, MI, MT" in says(
            lw.InvalidError, lambda: lw.tosa.add(X, X, profile="XX")
        )
        assert "ONNX has no profiles" in says(lw.InvalidError, lambda: lw.onnx.add(X, X, profile="BI"))

    def test_shift_is_an_attribute_in_bi_and_mi_and_an_input_in_mt(self):
        shift = np.array(2, np.uint8)
        assert lw.tosa.mul(X, X, shift=shift, profile="MT").tolist() == [0, 1, 2]
        assert lw.tosa.mul(X, X, shift=shift).tolist() == [0, 1, 2]
        for profile in ("BI", "MI"):
            assert "it is an attribute" in says(
                lw.InvalidError, lambda p=profile: lw.tosa.mul(X, X, shift=shift, profile=p)
            )
            assert lw.tosa.mul(X, X, shift=2, profile=profile).tolist() == [0, 1, 2]


class TestUnpredictable:
    @ENGINES
    def test_error_has_everything(self, engine):
        a = np.array([[1, 2**31 - 1], [2**31 - 1, 5]], np.int32)
        with pytest.raises(lw.UnpredictableError) as caught:
            lw.tosa.add(a, np.array([[1]], np.int32), engine=engine)
        error = caught.value
        assert isinstance(error, ArithmeticError)
        assert (error.operator, error.requirement, error.index, error.count) == (
            "ADD",
            "input1 + input2 fits int32",
            (0, 1),
            2,
        )
        assert error.values == {"input1": 2147483647, "input2": 1}
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.values, again.index) == (str(error), error.values, error.index)

    @ENGINES
    def test_mask_is_the_exact_set(self, engine):
        a = np.arange(-40, 40, dtype=np.int8)
        count = np.resize(np.arange(-3, 11, dtype=np.int8), 80)
        result, mask = lw.tosa.arithmetic_right_shift(a, count, on_unpredictable="mask", engine=engine)
        assert mask.tolist() == [not 0 <= c <= 7 for c in count.tolist()]
        assert all(
            r == v >> c
            for r, v, c, m in zip(result.tolist(), a.tolist(), count.tolist(), mask.tolist(), strict=True)
            if not m
        )

    def test_value_gives_the_total_reading(self):
        assert lw.tosa.add(
            np.array([2**31 - 1], np.int32), np.array([1], np.int32), on_unpredictable="value"
        ).tolist() == [-(2**31)]

    def test_large_arrays_find_the_one_element(self):
        a = np.ones((3, 1_000_003), np.int32)
        b = np.ones((3, 1_000_003), np.int32)
        b[2, 777_777] = 0
        with pytest.raises(lw.UnpredictableError) as caught:
            lw.tosa.intdiv(a, b)
        assert caught.value.index == (2, 777_777)
        assert caught.value.count == 1
        wide = np.ones((1, 2, 1_500_000), np.int32)
        wide[0, 1, 1_499_999] = 0
        with pytest.raises(lw.UnpredictableError) as caught:
            lw.tosa.intdiv(np.ones((1, 1, 1), np.int32), wide)
        assert caught.value.index == (0, 1, 1_499_999)

    def test_several_requirements_first_one_is_named(self):
        with pytest.raises(lw.UnpredictableError) as caught:
            lw.tosa.mul(np.array([2**31 - 1], np.int32), np.array([-(2**31)], np.int32), shift=1)
        assert caught.value.requirement == "input2 >= 0"

    def test_every_float_flag_stays_silent(self):
        one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)
        with np.errstate(all="raise"):
            assert lw.onnx.div(one, zero).tolist() == [np.inf]
            assert np.isnan(lw.onnx.div(zero, zero)).all()
            assert lw.tosa.intdiv(X, np.array([0, 1, 2], np.int32), on_unpredictable="value").shape == (3,)


class TestOut:
    def test_out_is_filled_and_returned(self):
        out = np.empty(3, np.int32)
        assert lw.tosa.add(X, X, out=out) is out
        assert out.tolist() == [2, 4, 6]
        result, mask = lw.tosa.add(X, X, out=out, on_unpredictable="mask")
        assert result is out
        assert not mask.any()
        assert lw.tosa.add(X, X, out=np.empty(6, np.int32)[::2], engine="exact").tolist() == [2, 4, 6]

    def test_wrong_out(self):
        assert "out has dtype int64" in says(lw.InvalidError, lambda: lw.tosa.add(X, X, out=np.empty(3, np.int64)))
        assert "out has shape (4,); the result has (3,)" in says(
            lw.InvalidError, lambda: lw.tosa.add(X, X, out=np.empty(4, np.int32))
        )
        frozen = np.empty(3, np.int32)
        frozen.flags.writeable = False
        assert "out is read-only" in says(lw.InvalidError, lambda: lw.tosa.add(X, X, out=frozen))
        assert "it must be a NumPy array" in says(lw.InvalidError, lambda: lw.tosa.add(X, X, out=[0, 0, 0]))

    @pytest.mark.parametrize("size", [100, 3_000_000])
    @pytest.mark.parametrize("shift", [-7, 0, 7])
    def test_out_may_overlap_an_operand(self, size, shift):
        memory = np.arange(size + 20, dtype=np.int32)
        a, out = memory[10 : 10 + size], memory[10 + shift : 10 + shift + size]
        want = a * 2
        lw.tosa.add(a, a, out=out)
        assert np.array_equal(out, want)


class TestThreads:
    def test_many_callers_at_once(self):
        def work(seed: int) -> bool:
            generator = np.random.default_rng(seed)
            a = generator.integers(-100, 100, 700_000, dtype=np.int32)
            b = generator.integers(0, 31, 700_000, dtype=np.int32)
            return bool(np.array_equal(lw.tosa.arithmetic_right_shift(a, b), a >> b))

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(32)))

    def test_failures_of_one_caller_are_not_anothers(self):
        good, bad = np.ones(300_000, np.int32), np.zeros(300_000, np.int32)

        def divide(divisor) -> bool:
            try:
                lw.tosa.intdiv(good, divisor)
            except lw.UnpredictableError as error:
                return error.count == 300_000
            return divisor is good

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert all(pool.map(divide, [good, bad] * 40))

    def test_number_of_threads(self):
        before = lw.get_threads()
        try:
            for count in (1, 3):
                lw.set_threads(count)
                assert lw.get_threads() == count
                a = np.arange(3_000_000, dtype=np.int32)
                assert np.array_equal(lw.tosa.add(a, a), a + a)
            with pytest.raises(ValueError, match="threads: 0"):
                lw.set_threads(0)
        finally:
            lw.set_threads(before)
        code = "import lanewise as lw; print(lw.get_threads())"
        done = subprocess.run(
            [sys.executable, "-c", code], env={"LANEWISE_THREADS": "5"}, capture_output=True, text=True, check=True
        )
        assert done.stdout == "5\n"

    @pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
    def test_after_fork(self):
        a = np.ones(3_000_000, np.int32)
        lw.tosa.add(a, a)  # the parent has threads now
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=lambda: queue.put(int(lw.tosa.add(a, a).sum())))
        child.start()
        child.join(60)
        assert child.exitcode == 0
        assert queue.get() == 6_000_000


@pytest.mark.parametrize("order", ["C", "F", "strided", "rows", "columns"])
def test_large_arrays_in_every_layout(order):
    generator = np.random.default_rng(3)
    base = generator.integers(-1000, 1000, (1500, 1400), dtype=np.int32)
    other = generator.integers(0, 31, (1500, 1400), dtype=np.int32)
    a, b = {
        "C": (base, other),
        "F": (np.asfortranarray(base), np.asfortranarray(other)),
        "strided": (np.repeat(base, 2, axis=1)[:, ::2], other[::-1, ::-1]),
        "rows": (base, other[:1]),
        "columns": (base[:, :1], other),
    }[order]
    want = np.right_shift(a, b)
    result = lw.tosa.arithmetic_right_shift(a, b)
    assert np.array_equal(result, want)
    out = np.empty_like(want)
    lw.tosa.arithmetic_right_shift(a, b, out=out)
    assert np.array_equal(out, want)


def test_subnormals_are_kept_whatever_the_thread_does():
    """A library may have told this thread's processor to flush them."""
    tiny = np.array([1e-40], np.float32)
    assert lw.tosa.add(tiny, tiny).tolist() == (tiny + tiny).tolist()
    assert lw.tosa.add(tiny, tiny)[0] > 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_another_thread_compiles():
    import threading

    stop = threading.Event()

    def keep_compiling() -> None:
        bound = 0
        while not stop.is_set():
            bound += 1
            lw.tosa.clamp(np.array([1], np.int16), min_val=-bound, max_val=bound)

    thread = threading.Thread(target=keep_compiling)
    thread.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(3):
            child = context.Process(
                target=lambda: lw.tosa.mul(X, X, shift=int(np.random.default_rng().integers(2, 60))), daemon=True
            )
            child.start()
            child.join(60)
            child.kill()
            assert child.exitcode == 0
    finally:
        stop.set()
        thread.join()
