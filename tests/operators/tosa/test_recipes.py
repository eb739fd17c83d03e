"""The two recipes that the chapter gives in words; `examples/` shows them at greater length."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_an_int16_table_is_table_and_rescale(engine: str):
    source = random.Random(7)
    table = [source.randint(-32768, 32767) for _ in range(512)] + [32767]
    table[0:4] = [32767, -32768, 32767, 32767]
    x = np.arange(-32768, 32768, 1 if engine == "native" else 97, np.int16)
    fine = lw.tosa.table(x, table, engine=engine)
    found = lw.tosa.rescale(fine, 1 << 14, 21, output_type="int16", engine=engine)

    def in_plain_integers(code: int) -> int:
        index, rest = divmod(code + 32768, 128)
        between = (table[index] * (128 - rest) + table[index + 1] * rest + 64) // 128  # halves up
        return min(max(between, -32768), 32767)

    assert found.dtype == np.int16
    assert found.tolist() == [in_plain_integers(code) for code in x.tolist()]


def test_the_scale_of_that_recipe_is_one_in_128():
    values = np.int32([-(2**22), -(2**22) + 1, -65, -64, -63, -1, 0, 63, 64, 65, 2**22 - 128])
    found = lw.tosa.rescale(values, 1 << 14, 21, output_type="int16")
    assert found.tolist() == [(v + 64) >> 7 for v in values.tolist()]
    assert lw.tosa.rescale(np.int32([2**22 - 1]), 1 << 14, 21, output_type="int16").tolist() == [
        32767
    ]  # 32768 is clipped


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_float_division_is_reciprocal_and_mul(dtype: type):
    source = random.Random(7)
    bits = np.finfo(dtype).nmant
    a, b = (np.array([source.uniform(1, 100) for _ in range(1000)], dtype) for _ in range(2))
    found = lw.tosa.mul(a, lw.tosa.reciprocal(b))
    for x, y, z in zip(a.tolist(), b.tolist(), found.tolist(), strict=True):
        exact = Fraction(x) / Fraction(y)
        # Either step is off by at most half a unit in the last place, which is 2**-(bits + 1) of the value.
        assert abs(Fraction(z) / exact - 1) <= 2 * Fraction(1, 2 ** (bits + 1)) + Fraction(1, 2 ** (2 * bits + 2))
