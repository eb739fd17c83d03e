"""Operands that lie otherwise than a vector: every step gives the same, and nobody reads what lies around an array."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

import lanewise as lw

TYPES = [np.int8, np.int16, np.int32]
COUNTS = [1, 31, 32, 127, 128, 129, 1000]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("step", [1, 2, 3, 4, -1, -2, -3])
def test_steps(dtype: Any, step: int):
    for count in COUNTS:
        memory = np.arange(5 * count + 7).astype(dtype)
        x = memory[::step][:count]
        y = np.arange(count).astype(dtype)
        want = x.copy() ^ y
        for result in (np.zeros(count, dtype), np.zeros(5 * count, dtype)[::2][:count], np.zeros(count, dtype)[::-1]):
            np.testing.assert_array_equal(lw.tosa.bitwise_xor(x, y, out=result), want)
            np.testing.assert_array_equal(lw.tosa.bitwise_xor(y, x, out=result), want)


@pytest.fixture
def page() -> Any:
    """A page of memory between two that nobody may touch."""
    size = mmap.PAGESIZE
    memory = mmap.mmap(-1, 3 * size)
    whole = np.frombuffer(memory, np.uint8)
    libc, address = ctypes.CDLL(None, use_errno=True), whole.ctypes.data
    for guard in (address, address + 2 * size):
        if libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(size), mmap.PROT_READ & 0) != 0:
            pytest.skip("pages cannot be protected here")
    yield whole[size : 2 * size]
    for guard in (address, address + 2 * size):
        libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE)


@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="needs pages that can be protected")
@pytest.mark.parametrize("dtype", TYPES)
def test_nothing_around_an_array_is_read(page: Any, dtype: Any):
    elements = page.view(dtype)
    elements[...] = np.arange(elements.size).astype(dtype)
    for x in (elements, elements[::2], elements[1::2], elements[::-1], elements[::-2], elements[-2::-2], elements[::3]):
        for part in (x, x[1:], x[:-1]):
            ones = np.ones(part.size, dtype)
            np.testing.assert_array_equal(lw.tosa.bitwise_xor(part, ones), part ^ ones)
