"""Where subnormal numbers decide: no text but the readings O9 and T5 says whether they count as zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import stored, words
from lanewise.language import floats
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
READINGS = {"onnx": "O9", "tosa": "T5"}
ROUNDED_AFTER = ("mul", "div", "pow", "cast")  # may be below the smallest normal number and be rounded up to it


def decided_by_subnormals(
    cell: Cell,
    columns: list[Array],
    specified: tuple[Array, Array],
    compute: Callable[[list[Array]], tuple[Array, Array]],
    differs: Callable[[Array, Array], Array],
) -> tuple[str, Array]:
    """The reading's number, and the elements that come out otherwise where subnormal numbers are zeros.

    `specified` are the results and where they are unpredictable, as `compute` gives them for operands;
    `differs` says of two arrays of results where they are not the same.
    """
    sorts = [sort for _, sort in cell.free]
    output = cell.row.output
    result, outside = specified
    if all(sort.kind != "float" for sort in (*sorts, output)):
        return "", np.zeros(len(result), np.bool_)
    flushed, lost = compute([without(column, sort) for column, sort in zip(columns, sorts, strict=True)])
    found = lost & ~outside
    found |= differs(without(flushed, output), result)
    if output.kind == "float" and cell.operator in ROUNDED_AFTER:
        found |= _size(result, output) == 1 << output.fraction_bits
    if output.kind == "float" and cell.operator == "mod":  # its rest towards zero, from which it is rounded down
        with np.errstate(all="ignore"):
            found |= subnormal(np.fmod(*columns), output)
    return READINGS[cell.specification], found


def without(array: Array, sort: Sort) -> Array:
    """The array with a zero of the same sign for each subnormal number."""
    if sort.kind != "float":
        return array
    sign = words(array, sort) & np.uint64(floats.sign_bit(sort))
    return np.where(subnormal(array, sort), stored(sign, sort), array)


def subnormal(array: Array, sort: Sort) -> Array:
    size = _size(array, sort)
    return (size > 0) & (size < 1 << sort.fraction_bits)


def _size(array: Array, sort: Sort) -> Array:
    """The patterns without their sign."""
    return words(array, sort) & np.uint64(floats.sign_bit(sort) - 1)
