"""How element types lie in NumPy arrays."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lanewise.language.sorts import BY_NAME, AnySort, ArraySort, Sort, bf16, integer

_BY_DTYPE: dict[Any, Sort] = {}


@cache
def dtype_of(sort: AnySort) -> np.dtype[Any]:
    """The dtype that stores a sort: odd widths lie in the next wider integer."""
    if isinstance(sort, ArraySort):
        sort = sort.element
    if sort == bf16:
        import ml_dtypes

        half: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return half
    if sort.kind == "int":
        return np.dtype(f"{'i' if sort.signed else 'u'}{storage_width(sort) // 8}")
    return np.dtype(sort.name)


def storage_width(sort: Sort) -> int:
    """Bits that one element takes in an array: 8, 16, 32 or 64."""
    return next(width for width in (8, 16, 32, 64) if sort.width <= width)


def stored_sort(sort: Sort) -> Sort:
    """The element type of all values that the dtype of a sort has: int64 for int48."""
    return integer(storage_width(sort), sort.signed) if is_odd(sort) else sort


def is_odd(sort: AnySort) -> bool:
    """True for integers narrower than their storage, whose stored values need a range check."""
    return isinstance(sort, Sort) and sort.kind == "int" and sort.width != storage_width(sort)


def sort_of(dtype: np.dtype[Any]) -> Sort | None:
    """The element type that a dtype stores, whatever the byte order of NumPy's own; None if there is none."""
    found = _BY_DTYPE.get(dtype)
    if found is not None:
        return found
    if dtype.kind in "iu" and dtype.itemsize <= 8:
        found = integer(dtype.itemsize * 8, dtype.kind == "i")
    elif dtype.kind == "b" or (dtype.kind == "f" and dtype.itemsize in (2, 4, 8)):
        found = BY_NAME[dtype.name]
    elif dtype == dtype_of(bf16):  # in this machine's byte order: NumPy cannot turn the bytes of a type it has not
        found = bf16
    else:
        return None
    _BY_DTYPE[dtype] = found
    return found


def raw(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array as NumPy's own dtype of the same size: bfloat16 as uint16."""
    return array.view(np.uint16) if array.dtype.kind == "V" or array.dtype.name == "bfloat16" else array
