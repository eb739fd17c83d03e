"""The border to the caller's arrays: what is taken, as which element type, without a copy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, is_odd, sort_of
from lanewise.language import floats
from lanewise.language.errors import InvalidError, brief
from lanewise.language.sorts import AnySort, ArraySort, Sort

Array = np.ndarray[Any, Any]


def as_array(value: Any, who: str) -> Array:
    """The value as a NumPy array that shares its memory; `who` names it in messages."""
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ndarray):
        return _plain(value, who)
    if isinstance(value, np.generic):
        return np.asarray(value)
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise InvalidError(f"{who}: cannot be read through DLPack: {error}") from None
    try:
        array = np.asarray(value)
    except Exception as error:  # the operand's own code runs here, and may raise anything
        raise InvalidError(f"{who}: {type(value).__name__} is not an array: {error}") from None
    return array


def _plain(array: Array, who: str) -> Array:
    """An array of a subclass without what the subclass adds; a mask that hides elements is no such addition."""
    if np.ma.is_masked(array):
        raise InvalidError(f"{who}: elements of the array are masked; fill them first, as with filled(0)")
    return np.asarray(array)


def sort_for(array: Array, who: str) -> Sort:
    """The element type of an array; refuses dtypes that no operator has."""
    found = sort_of(array.dtype)
    if found is None:
        swapped = "" if array.dtype.isnative else " in another byte order"
        raise InvalidError(
            f"{who}: dtype {array.dtype.name}{swapped} is no element type of lanewise; allowed: bool, integers of 8 "
            "to 64 bits, float16, bfloat16, float32, float64"
        )
    return found


def is_number(value: Any) -> bool:
    """A Python number: it has no element type of its own and takes the other operand's."""
    return isinstance(value, bool | int | float) and not isinstance(value, np.generic)


def number_as(value: Any, sort: Sort, who: str) -> Array:
    """A Python number as an array of rank 0, if the element type has its value."""
    if sort.kind == "bool":
        fits = isinstance(value, bool)
    elif sort.kind == "int":
        fits = isinstance(value, int) and not isinstance(value, bool) and sort.lowest <= value <= sort.highest
    else:
        fits = not isinstance(value, bool)
    if not fits:
        bounds = f" ({sort.lowest} … {sort.highest})" if sort.kind == "int" else ""
        raise InvalidError(f"{who}: {brief(value)} does not fit {sort.name}{bounds}")
    if sort.kind == "float":
        return np.array(float_pattern(value, sort, who), f"u{sort.width // 8}").view(dtype_of(sort))
    return np.array(value, dtype_of(sort))


def float_pattern(value: int | float, sort: Sort, who: str) -> int:
    """The bits of a number as a float: whole numbers must be kept, others are rounded, none becomes infinite."""
    pattern = floats.encode(value, sort)
    found = floats.decode(pattern, sort)
    if found != value and (isinstance(value, int) or math.isinf(found)):
        raise InvalidError(f"{who}: {brief(value)} does not fit {sort.name}; the nearest is {found}")
    return pattern


def list_as(value: Any, sort: ArraySort | Sort, who: str) -> Array:
    """A list of numbers, or an array, as an array of exactly that element type."""
    element = sort.element if isinstance(sort, ArraySort) else sort
    array = as_array(value, who)
    if isinstance(value, np.ndarray | np.generic) and array.dtype == dtype_of(element):
        return in_range(array, element, who)
    if not array.size and not isinstance(value, np.ndarray):
        return array.astype(dtype_of(element))  # an empty list has no type of its own
    if element.kind == "int" and array.dtype.kind in "iu":
        if array.size and not (element.lowest <= int(array.min()) and int(array.max()) <= element.highest):
            raise InvalidError(f"{who}: holds values outside {element.name} ({element.lowest} … {element.highest})")
        return array.astype(dtype_of(element))
    if element.kind == "bool" and array.dtype.kind in "biu":
        if array.size and not (int(array.min()) >= 0 and int(array.max()) <= 1):
            raise InvalidError(f"{who}: holds values that are no {element.name} (allowed: True, False, 1, 0)")
        return array.astype(dtype_of(element))
    if element.kind == "float" and array.dtype.kind in "iuf":
        return _as_floats(array, element, who)
    raise InvalidError(f"{who}: {array.dtype} values are no {element.name}")


def _as_floats(array: Array, sort: Sort, who: str) -> Array:
    """The array in a float type, by the rule of `float_pattern`."""
    with np.errstate(all="ignore"):
        result: Array = array.astype(dtype_of(sort))
        lost = np.isinf(result) & ~np.isinf(array)
        if array.dtype.kind in "iu":
            wide = result.astype(np.float64)
            beyond = wide >= 2.0 ** np.iinfo(array.dtype).max.bit_length()  # the way back is defined below only
            lost |= beyond | (np.where(beyond, 0, wide).astype(array.dtype) != array)
    if lost.any():
        raise InvalidError(f"{who}: holds {array[lost].flat[0]}, which does not fit {sort.name}")
    return result


def in_range(array: Array, sort: AnySort, who: str) -> Array:
    """The array itself, after a check that an element type narrower than its storage has all values."""
    if is_odd(sort) and array.size:
        assert isinstance(sort, Sort)
        low, high = int(array.min()), int(array.max())
        if low < sort.lowest or high > sort.highest:
            raise InvalidError(
                f"{who}: holds {low if low < sort.lowest else high}, "
                f"which is outside {sort.name} ({sort.lowest} … {sort.highest})"
            )
    return array


def checked_out(out: Any, sort: Sort, shape: tuple[int, ...], who: str) -> Array:
    """The caller's array for a result: right dtype, right shape, writeable."""
    if not isinstance(out, np.ndarray):
        raise InvalidError(f"{who}: out is {type(out).__name__}; it must be a NumPy array")
    if sort_of(out.dtype) != sort_of(dtype_of(sort)):
        raise InvalidError(f"{who}: out has dtype {out.dtype}; the result is {sort.name}")
    if out.shape != shape:
        raise InvalidError(f"{who}: out has shape {out.shape}; the result has {shape}")
    if not out.flags.writeable:
        raise InvalidError(f"{who}: out is read-only")
    return out
