"""From the arrays of a call to the loop in machine code, for the calls that are mostly overhead.

`ShortWay.call(operands, out, keywords)` is a builtin function: if the operands are NumPy arrays of one dtype and shape,
few enough and not empty, and a loop is known for them and the keywords, it runs the loop and returns the result.
Otherwise, and wherever a requirement ever failed, it returns None: the general way is to be taken, which finds out
all that there is to say. It never raises what the general way would not raise again.

It reads the type of an object and the head of a NumPy array where CPython and NumPy promise them to be. `_is_readable`
looks whether they are there; where not, every call takes the general way.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
import threading
from array import array
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from lanewise.engines.native import short_way_text as at
from lanewise.engines.native import target
from lanewise.engines.native.kernel import Direct

MOST_LOOPS = 32  # known to one operator; the oldest go first

_USED = (
    "PyCapsule_GetPointer",
    "PyDict_Next",
    "PyDict_Size",
    "PyErr_Clear",
    "PyErr_ExceptionMatches",
    "PyObject_RichCompareBool",
    "PyObject_Vectorcall",
    "PyTuple_GetItem",
    "PyTuple_Size",
    "Py_DecRef",
    "Py_IncRef",
)


METH_FASTCALL = 0x80


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def _constant(address: int) -> str:
    return f"inttoptr (i64 {address} to ptr)"


def _is_readable() -> bool:
    """Whether objects and arrays lie as the text reads them."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    probe = np.zeros((2, 3, 5), np.int16)

    def word(offset: int) -> int:
        return ctypes.c_int64.from_address(id(probe) + offset).value

    if (word(at.TYPE), word(at.DATA), word(at.DTYPE)) != (id(np.ndarray), probe.ctypes.data, id(probe.dtype)):
        return False
    rank = ctypes.c_int32.from_address(id(probe) + at.RANK).value
    if rank != 3 or not ctypes.c_int32.from_address(id(probe) + at.FLAGS).value & at.CONTIGUOUS:
        return False
    return tuple((ctypes.c_int64 * 3).from_address(word(at.SHAPE))) == probe.shape


@cache
def _code() -> target.Compiled | None:
    if sys.implementation.name != "cpython" or not _is_readable():
        return None
    names = {name: _constant(_address(name)) for name in _USED}
    names |= {"NDARRAY": _constant(id(np.ndarray)), "NONE": _constant(id(None)), "EXCEPTION": _constant(id(Exception))}
    numbers = {name: value for name, value in vars(at).items() if isinstance(value, int)}
    # Optimised it takes 35 ms instead of 5, and saves a hundredth of a microsecond a call.
    return target.Compiled(at.TEXT.format(**numbers, **names), "short_way", target.host_features(), optimised=False)


def _address(name: str) -> int:
    found = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    assert found is not None
    return found


_lock = threading.Lock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class ShortWay:
    """The loops that an operator is mostly called for, and the way to them.

    `call(operands, out, keywords)` is None for any other call, and itself None where there can be no such way.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 * (1 + MOST_LOOPS * at.ENTRY)))
        self._places: dict[Any, int] = {}  # the oldest first
        self._kept: list[Any] = [None] * MOST_LOOPS  # what the table points to, a loop last
        self._code = _code()
        self.call: Any = None
        if self._code is not None:
            self._method = _Method(b"short_way", self._code.address, METH_FASTCALL, None)
            self.call = _builtin(self._method, self._table)

    def known(self, key: Any) -> Direct | None:
        """The loop that was added with this key, if it is still known."""
        with _lock:
            place = self._places.get(key)
            return None if place is None else self._kept[place][-1]

    def add(self, key: Any, count: int, dtype: np.dtype[Any], keywords: Mapping[str, Any], direct: Direct) -> None:
        """Makes a loop known for so many operands of a dtype with these keywords, in the place of one with this key.

        The values of the keywords are strings, bools or ints.
        """
        if count > at.MOST_OPERANDS or len(keywords) > at.MOST_KEYWORDS:
            return
        if any(type(name) is not str for name in keywords):  # what is not exactly one cannot be interned
            return
        names, values = [sys.intern(name) for name in keywords], list(keywords.values())
        entry = array("q", bytes(8 * at.ENTRY))
        entry[at.OPERANDS], entry[at.DTYPE_OF], entry[at.LIMIT] = count, id(dtype), direct.limit
        entry[at.LOOP], entry[at.FAILURES] = id(direct.call), direct.shared.buffer_info()[0]
        entry[at.OWNER], entry[at.CHECKS], entry[at.RESULT] = id(direct), direct.checks, id(direct.result)
        entry[at.ITEM], entry[at.RESULT_ITEM], entry[at.KEYWORDS] = dtype.itemsize, direct.result.itemsize, len(names)
        for k, (name, value) in enumerate(zip(names, values, strict=True)):
            entry[at.NAMES + 2 * k], entry[at.NAMES + 2 * k + 1] = id(name), id(value)
        with _lock:
            place = self._places.get(key)
            if place is None:
                place = len(self._places)
                if place == MOST_LOOPS:
                    place = self._places.pop(next(iter(self._places)))
                self._places[key] = place
            before = self._kept[place]
            self._kept[place] = dtype, names, values, direct
            # Assigning a slice runs no Python code, so no call ever sees half of an entry.
            start = 1 + place * at.ENTRY
            self._table[start : start + at.ENTRY] = entry
            self._table[0] = max(self._table[0], place + 1)
            del before  # not sooner: the table pointed to it


def _builtin(method: _Method, table: array[int]) -> Any:
    """The builtin function; method and table must live as long."""
    capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    own = capsule(_address("PyCapsule_New"))(table.buffer_info()[0], None, None)
    return function(_address("PyCFunction_NewEx"))(ctypes.addressof(method), own, None)
