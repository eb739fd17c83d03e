"""Results beside references: how far apart they are, and how far they may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import sort_of
from lanewise.graph.arrays import list_as, sort_for
from lanewise.language import floats
from lanewise.language.errors import InvalidError, brief
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
Number = int | float
Bound = Callable[[Number, Sort], int]  # by the reference: how far a result may be from it

INEXACT = 23  # bits of float32's fraction


def exact_bound(reference: Number, sort: Sort) -> int:
    """Equal, or different."""
    return 0


def last_place_bound(reference: Number, sort: Sort) -> int:
    """One unit in the last place."""
    return 1


def inexact_bound(reference: Number, sort: Sort) -> int:
    """What separates integer arithmetic from float32's, with which the reference model does INEXACT_ROUND (V6)."""
    return 1 + (int(abs(reference)) >> INEXACT)


def power_bound(reference: Number, sort: Sort) -> int:
    """Units in the last place by which a POW may miss the exact result at 1.0.0.

    Its relative error is at most k + 7.5 |y ln x| units, with k 3 for float32 and 1 for the others;
    y ln x is the logarithm of the result.
    """
    logarithm = abs(math.log(reference)) if reference > 0 and math.isfinite(reference) else 0.0
    return math.floor((3 if sort.width == 32 else 1) + 7.5 * logarithm)


def bound_of(stated: Mapping[str, Any] | None, sort: Sort, power: str | None, who: str) -> Bound:
    """How far an output's elements may be from their references: what the test states, or the version.

    Integers and booleans are equal, except where RESCALE's rounding is free. Floats count in floats,
    and only whole units count: within half a unit of the exact value there is one float, but for ties, which
    have a rule of their own, so that result and reference are the same.

    `power` is the version if the output depends on a POW. Before 1.0 no bound is stated, and POW is held
    to one unit in the last place; from then on see `power_bound`.
    """
    mode = (stated or {}).get("mode")
    units = _units(stated or {}, who) if mode == "ULP" else None
    if sort.kind != "float":
        return inexact_bound if mode == "RESCALE_INEXACT" and sort.kind == "int" else exact_bound
    if units is not None:
        return lambda reference, sort: units
    if power is None or mode == "EXACT":
        return exact_bound
    return last_place_bound if power.startswith("0.") else power_bound


def _units(stated: Mapping[str, Any], who: str) -> int:
    """The stated number of units, the whole ones."""
    info = stated.get("ulp_info")
    given = info.get("ulp") if isinstance(info, Mapping) else None
    try:
        units = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        units = math.nan
    if not 0 <= units < math.inf:
        raise InvalidError(f"{who}: mode ULP with ulp {brief(given)}; it is a finite number from 0 on")
    return math.floor(units)


def difference(
    output: str, found: Array, unpredictable: Array, reference: Array, allowed: Bound
) -> dict[str, Any] | None:
    """The first predictable element that differs."""
    if reference.shape != found.shape:
        return {"output": output, "got": f"shape {list(found.shape)}", "expected": f"shape {list(reference.shape)}"}
    who = f"reference of {output!r}"
    sort = sort_of(found.dtype)
    assert sort is not None
    if sort.kind == "float":
        reference = list_as(reference, sort, who)
        differs = _raw(found) != _raw(reference)
    else:
        differs = _unequal(found, reference, sort_for(reference, who))
    for flat in np.flatnonzero(differs & ~unpredictable):
        index = tuple(int(i) for i in np.unravel_index(flat, found.shape)) if found.shape else ()
        (got,) = patterns(found[index].reshape(1), sort)
        want = _pattern(reference[index], sort)
        if sort.kind == "float":
            assert want is not None
            value: Number = float(reference[index])
            apart: Fraction | float = distance(got, want, sort)
        else:
            value = reference[index].item()
            apart = _apart(int(found[index]), value)
        if apart == math.inf or apart > allowed(value, sort):
            return {
                "output": output,
                "index": list(index),
                "got": str(found[index]),
                "expected": str(reference[index]),
                "got_bits": f"{got:0{sort.width}b}",
                "expected_bits": None if want is None else f"{want:0{sort.width}b}",
            }
    return None


def _unequal(found: Array, reference: Array, stored: Sort) -> Array:
    """Where integers or booleans are not the reference's values, whatever type these are stored in.

    Narrow integers are kept in wider ones, and there may be anything where nothing is defined.
    """
    if stored.kind != "float":
        return np.asarray(found != (reference != 0) if found.dtype.kind == "b" else found != reference)
    whole = found.astype(np.uint8) if found.dtype.kind == "b" else found
    limits = np.iinfo(whole.dtype)
    with np.errstate(all="ignore"):
        wide = reference.astype(np.float64)
        # The bound above the highest is a power of two, so a float64 as it stands.
        fits = (wide >= float(limits.min)) & (wide < float(limits.max + 1)) & (np.floor(wide) == wide)
        return np.asarray(~fits | (np.where(fits, wide, 0.0).astype(whole.dtype) != whole))


def _apart(found: int, reference: Number) -> Fraction | float:
    """How far an integer is from any number."""
    return abs(Fraction(reference) - found) if math.isfinite(reference) else math.inf


def _pattern(value: Any, sort: Sort) -> int | None:
    """The bits of one reference element, as many as the type has; None if the type has no such value."""
    if sort.kind == "float":
        return patterns(np.asarray(value).reshape(1), sort)[0]
    number = value.item()
    if not math.isfinite(number) or number != int(number):
        return None
    return int(number) & ((1 << sort.width) - 1) if sort.lowest <= number <= sort.highest else None


def _raw(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def distance(a: int, b: int, sort: Sort) -> float:
    """Floats between two patterns; all NaNs are one, and the two zeros as well.

    Endless between what is finite, each infinity and NaN: no bound reaches from one to another.
    """
    sign = floats.sign_bit(sort)
    kinds = [_kind(pattern, sort) for pattern in (a, b)]
    if kinds != ["finite", "finite"]:
        return 0 if kinds[0] == kinds[1] else math.inf
    x, y = (-(p & (sign - 1)) if p & sign else p for p in (a, b))
    return abs(x - y)


def _kind(pattern: int, sort: Sort) -> str:
    if floats.is_nan(pattern, sort):
        return "NaN"
    if pattern & ~floats.sign_bit(sort) < floats.infinity(sort):
        return "finite"
    return "negative" if pattern & floats.sign_bit(sort) else "positive"
