"""From the arrays of a call to the loop in machine code, for the calls that are mostly overhead.

`ShortWay.call(operands, out, keywords)` is a builtin function: if the operands are NumPy arrays of one dtype and shape,
not empty, and a loop is known for them and the keywords, it runs the loop and returns the result; where they have more
elements than one call of the loop is for, it returns the loop's `Direct`. Otherwise, and wherever a requirement ever
failed, it returns None: the general way is to be taken, which finds out all that there is to say. It never raises what
the general way would not raise again.

It reads the type of an object and the heads of an array and of a dtype where CPython and NumPy promise them to be.
`_is_readable` looks whether they are there; where not, every call takes the general way.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from array import array
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from lanewise.engines.native import short_way_text as at
from lanewise.engines.native import target
from lanewise.engines.native.kernel import Direct

MOST_LOOPS = 32  # known to one operator
PATIENCE = 64  # so many new ones must have come before the oldest of these goes: they may be in rotation

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
    """Whether objects, arrays and dtypes lie as the text reads them."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    probe = np.zeros((2, 3, 5), np.int16)

    def word(offset: int) -> int:
        return ctypes.c_int64.from_address(id(probe) + offset).value

    if (word(at.TYPE), word(at.DATA), word(at.DTYPE)) != (id(np.ndarray), probe.ctypes.data, id(probe.dtype)):
        return False
    if ctypes.c_int32.from_address(id(probe) + at.RANK).value != probe.ndim:
        return False
    if 0 in (word(at.SHAPE), word(at.STRIDES)):
        return False
    lists = [tuple((ctypes.c_int64 * 3).from_address(word(place))) for place in (at.SHAPE, at.STRIDES)]
    return lists == [probe.shape, probe.strides] and all(
        chr(ctypes.c_uint8.from_address(id(dtype) + at.ORDER).value) == dtype.byteorder
        and ctypes.c_int32.from_address(id(dtype) + at.NUMBER).value == dtype.num
        for dtype in map(np.dtype, ("?", "i1", "u8", "f4", ">i4", "<i4"))
    )


@cache
def _method() -> _Method | None:
    """The builtin's definition, or None. It and its code stay for good: a builtin looks at them when it ends, too."""
    if sys.implementation.name != "cpython" or not _is_readable():
        return None
    names = {name: _constant(_address(name)) for name in _USED}
    names |= {"NDARRAY": _constant(id(np.ndarray)), "NONE": _constant(id(None)), "EXCEPTION": _constant(id(Exception))}
    numbers = {name: value for name, value in vars(at).items() if isinstance(value, int)}
    # Optimised it takes 35 ms instead of 5 to 10, and saves a hundredth of a microsecond a call.
    text = at.TEXT.format(**numbers, **names)
    code = target.Compiled(text, "short_way", target.host_features(), optimised=False)
    method = _Method(b"short_way", code.address, METH_FASTCALL, None)
    for kept in (code, method):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    return method


def _address(name: str) -> int:
    found = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    assert found is not None
    return found


class ShortWay:
    """The loops that an operator is mostly called for, and the way to them.

    `call(operands, out, keywords)` is None for any other call, and itself None where there can be no such way.
    """

    def __init__(self) -> None:
        self._table = array("q", bytes(8 * (1 + MOST_LOOPS * at.ENTRY)))
        self._kept: list[Any] = [None] * MOST_LOOPS  # what the table points to: a key first, a loop last
        self._places: dict[Any, int] = {}  # where to look for a key; only what is there counts
        self._added = self._refused = 0
        self._adding: dict[int, object] = {}
        method = _method()
        self.call: Any = None if method is None else _builtin(method, self._table, self._kept)

    def known(self, key: Any) -> Direct | None:
        """The loop that was added with this key, if it is still known."""
        kept = self._kept[self._places.get(key, 0)]
        return None if kept is None or kept[0] != key else kept[-1]

    def add(
        self, key: Any, count: int, dtype: np.dtype[Any], keywords: Mapping[str, Any], make: Callable[[], Direct]
    ) -> None:
        """Makes a loop known for so many operands of a dtype with these keywords, in the place of one with this key.

        The values of the keywords are strings, bools or ints. It may be refused; a later call will ask again.
        """
        if count > at.MOST_OPERANDS or len(keywords) > at.MOST_KEYWORDS:
            return
        if any(type(name) is not str for name in keywords):  # what is not exactly one cannot be interned
            return
        # One at a time, and nobody waits: not the handler of a signal for what it has interrupted, not a forked child
        # for a thread of its parent. A dict takes one token of a process.
        token = object()
        try:
            if self._adding.setdefault(os.getpid(), token) is not token:
                return
            place = self._place(key)
            if place is not None:
                self._put(place, key, count, dtype, keywords, make())
        finally:
            if self._adding.get(os.getpid()) is token:
                del self._adding[os.getpid()]

    def _place(self, key: Any) -> int | None:
        place = self._places.get(key, 0)
        if (kept := self._kept[place]) is not None and kept[0] == key:
            return place
        if self._added >= MOST_LOOPS:
            self._refused += 1
            if self._refused % PATIENCE:
                return None
        place = self._added % MOST_LOOPS
        self._added += 1
        if (kept := self._kept[place]) is not None:
            self._places.pop(kept[0], None)
        self._places[key] = place
        return place

    def _put(
        self, place: int, key: Any, count: int, dtype: np.dtype[Any], keywords: Mapping[str, Any], direct: Direct
    ) -> None:
        names, values = [sys.intern(name) for name in keywords], list(keywords.values())
        entry = array("q", bytes(8 * at.ENTRY))
        entry[at.OPERANDS], entry[at.NUMBER_OF], entry[at.LIMIT] = count, dtype.num, direct.limit
        entry[at.LOOP], entry[at.FAILURES] = id(direct.call), direct.shared.buffer_info()[0]
        entry[at.OWNER], entry[at.CHECKS], entry[at.RESULT] = id(direct), direct.checks, direct.result.num
        entry[at.ITEM], entry[at.RESULT_ITEM], entry[at.KEYWORDS] = dtype.itemsize, direct.result.itemsize, len(names)
        for k, (name, value) in enumerate(zip(names, values, strict=True)):
            entry[at.NAMES + 2 * k], entry[at.NAMES + 2 * k + 1] = id(name), id(value)
        # A signal may end this after any step, and another thread may call between them. Each step changes the table
        # or what it points to as a whole: the old entry is for no calls, then nobody needs what it points to.
        start = 1 + place * at.ENTRY
        self._table[start + at.OPERANDS] = 0
        self._kept[place] = key, names, values, direct
        self._table[start : start + at.ENTRY] = entry
        self._table[0] = max(self._table[0], place + 1)


def _builtin(method: _Method, table: array[int], kept: list[Any]) -> Any:
    """The builtin function, which owns table and what it points to."""
    capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    own = capsule(_address("PyCapsule_New"))(table.buffer_info()[0], None, None)
    # The last argument is the name of its module to others; it is kept as long as the function.
    return function(_address("PyCFunction_NewEx"))(ctypes.addressof(method), own, (table, kept))
