"""Where subnormal numbers decide: no text but the readings O9 and T5 says whether they count as zeros."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.inputs import stored, words
from lanewise.language import floats
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
Compute = Callable[[list[Array]], tuple[Array, Array]]
Differs = Callable[[Array, Array], Array]
READINGS = {"onnx": "O9", "tosa": "T5"}
ROUNDED_AFTER: dict[str, Callable[..., Fraction] | None] = {  # may be below the smallest normal number and rounded up
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "cast": lambda a: a,
    "reciprocal": lambda a: 1 / a,
    "pow": None,  # no fraction
}
CHOICES = ("max", "min", "maximum", "minimum")


def decided_by_subnormals(
    cell: Cell,
    columns: list[Array],
    specified: tuple[Array, Array],
    compute: Compute,
    differs: Differs,
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
    if output.kind == "float" and cell.operator in CHOICES:  # between zeros, either operand is a right answer
        found |= np.logical_and.reduce([_size(without(column, output), output) == 0 for column in columns])
    if output.kind == "float" and cell.operator == "mod":  # its rest towards zero, from which it is rounded down
        with np.errstate(all="ignore"):
            found |= subnormal(np.fmod(*columns), output)
    return READINGS[cell.specification], found


def come_of_zeros(
    cell: Cell,
    columns: list[Array],
    specified: tuple[Array, Array],
    compute: Compute,
    differs: Differs,
    found: Array,
) -> Array:
    """Which of the results `found` come of taking subnormal operands, results or both for zeros, of either sign.

    Everything else is as above: only elements that subnormal numbers decide are to be asked about.
    """
    sorts = [sort for _, sort in cell.free]
    output = cell.row.output
    result, outside = specified
    allowed = [result, *_zeros(output, result)]
    excused = np.zeros(len(found), np.bool_)
    for signed in (True, False):
        given = [without(column, sort, signed) for column, sort in zip(columns, sorts, strict=True)]
        flushed, lost = compute(given)
        excused |= lost & ~outside  # nothing is promised for zeros
        allowed += _zeros(output, flushed)
    if output.kind == "float":
        either = [stored(np.full(len(found), sign, np.uint64), output) for sign in (0, floats.sign_bit(output))]
        if cell.operator in CHOICES:  # between zeros, either operand is a right answer, as it is or as a zero
            among = np.logical_and.reduce([(without(column, output) == 0) for column in columns])
            excused |= among & ~np.logical_and.reduce([differs(found, one) for one in (*columns, *either)])
        if cell.operator in ROUNDED_AFTER:
            below = _below(ROUNDED_AFTER[cell.operator], columns, result, output)
            excused |= below & ~np.logical_and.reduce([differs(found, one) for one in either])
        if cell.operator == "mod":  # the rest towards zero, and what it is added to
            with np.errstate(all="ignore"):
                rest = np.fmod(*columns)
            parts = (*either, rest, columns[1])
            excused |= subnormal(rest, output) & ~np.logical_and.reduce([differs(found, one) for one in parts])
    excused |= ~np.logical_and.reduce([differs(found, one) for one in allowed])
    return excused


def _zeros(sort: Sort, result: Array) -> list[Array]:
    """The results with zeros of either kind for subnormal numbers."""
    return [without(result, sort, signed) for signed in (True, False)]


def _below(exact: Callable[..., Fraction] | None, columns: list[Array], result: Array, sort: Sort) -> Array:
    """Where the result is the smallest normal number only because it was rounded up to it."""
    found = np.asarray(_size(result, sort) == 1 << sort.fraction_bits)
    if exact is not None:
        limit = Fraction(2) ** (2 - (1 << (sort.exponent_bits - 1)))
        for at in np.flatnonzero(found):
            found[at] = abs(exact(*(Fraction(float(column[at])) for column in columns))) < limit
    return found


def without(array: Array, sort: Sort, signed: bool = True) -> Array:
    """The array with a zero for each subnormal number, which has its sign or none."""
    if sort.kind != "float":
        return array
    sign = words(array, sort) & np.uint64(floats.sign_bit(sort) if signed else 0)
    return np.where(subnormal(array, sort), stored(sign, sort), array)


def subnormal(array: Array, sort: Sort) -> Array:
    size = _size(array, sort)
    return (size > 0) & (size < 1 << sort.fraction_bits)


def _size(array: Array, sort: Sort) -> Array:
    """The patterns without their sign."""
    return words(array, sort) & np.uint64(floats.sign_bit(sort) - 1)
