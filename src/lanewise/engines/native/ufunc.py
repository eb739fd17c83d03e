"""A compiled loop as a real NumPy ufunc.

NumPy's own machinery then does what it does best: broadcasting, any strides, byte order,
alignment, overlap of inputs and outputs, and it releases the GIL while the loop runs.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

_NO_IDENTITY = -1
_FROM_FUNC_AND_DATA = 1  # the place of PyUFunc_FromFuncAndData in NumPy's table of ufunc functions


@cache
def _maker() -> Any:
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    table = get_pointer(_multiarray_umath._UFUNC_API, None)
    address = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[_FROM_FUNC_AND_DATA]
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.POINTER(ctypes.c_void_p),  # loops
        ctypes.POINTER(ctypes.c_void_p),  # data of each loop
        ctypes.c_char_p,  # type numbers
        ctypes.c_int,  # how many loops
        ctypes.c_int,  # inputs
        ctypes.c_int,  # outputs
        ctypes.c_int,  # identity
        ctypes.c_char_p,  # name
        ctypes.c_char_p,  # doc
        ctypes.c_int,
    )
    return prototype(address)


CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")  # of the last level, as Linux says it: 32768K


def _worth_streaming() -> int:
    """From how many bytes on a result is written past the cache: three eighths of the last level.

    With operands of its size beside it, a larger one does not stay there anyway. Measured at 32 MB: 8 MB are written
    1.3 times as fast through the cache, 12 MB twice as fast past it.
    """
    try:
        size = int(CACHE.read_text().strip().removesuffix("K")) << 10
    except (OSError, ValueError):  # a system that does not say
        size = 0
    return min(max(size * 3 // 8, 4 << 20), 32 << 20)


STREAM_BYTES = _worth_streaming()


class Ufunc:
    """A ufunc with one loop. `call` is the ufunc; what it needs in memory lives as long as this object."""

    def __init__(
        self,
        address: int,
        inputs: Sequence[np.dtype[Any]],
        outputs: Sequence[np.dtype[Any]],
        *,
        stream_from: int = STREAM_BYTES,
        spreads: tuple[int, int] | None = None,
        owner: Any = None,
    ) -> None:
        """`spreads`: the address of a loop, and from how many elements on the one at `address` cuts it into parts."""
        self.result = outputs[0]
        # Shared with the loop: how many of its runs found a requirement broken, and the size of a result in bytes
        # from which it is streamed (it may be a part of a larger one). The first is never cleared, so whoever
        # still finds 0 there knows that no run has failed yet, in whatever thread. The rest is for `pool`.
        loop, least = spreads or (0, 0)
        arrays = len(inputs) + len(outputs)
        self.shared = array("q", (0, stream_from, loop, arrays, outputs[0].itemsize, least, 0, 0))
        self._owner = owner  # of the code
        numbers = bytes(dtype.num for dtype in (*inputs, *outputs))
        self._memory = (
            (ctypes.c_void_p * 1)(address),
            (ctypes.c_void_p * 1)(self.shared.buffer_info()[0]),
            ctypes.create_string_buffer(numbers),
            ctypes.create_string_buffer(b"lanewise"),
        )
        loops, data, types, name = self._memory
        self.call = _maker()(loops, data, types, 1, len(inputs), len(outputs), _NO_IDENTITY, name, None, 0)
