"""CLAMP, TOSA."""

import math

from lanewise.language import floats
from lanewise.language.attributes import real
from lanewise.language.errors import brief
from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import Sort, f32, i8, i16
from lanewise.language.words import Number, Value, error_if, literal, require
from lanewise.operators.tosa.helpers import apply_max, apply_min
from lanewise.operators.tosa.rows import (
    ACTIVATION,
    FLOAT,
    INT,
    INT16,
    NAN_MODE,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    same,
    tosa,
)

NAN = float("nan")


@operator(
    "CLAMP",
    tosa("0.23.0", ACTIVATION),
    rows=[*any_profile((i8, i8), (i16, i16)), *main_profiles((t, t) for t in FLOAT)],
    attributes={"min_val": real(), "max_val": real()},
    shape=unary,
    examples=[
        ((i8,), {"min_val": -10, "max_val": 20}, (-128,), -10),
        ((i8,), {"min_val": -10, "max_val": 20}, (19,), 19),
        ((i16,), {"min_val": 0, "max_val": 6}, (32767,), 6),
        ((f32,), {"min_val": 0.0, "max_val": 6.0}, (-1.0,), 0.0),
        ((f32,), {"min_val": 0.0, "max_val": 6.0}, (3.5,), 3.5),
        ((f32,), {"min_val": 0.0, "max_val": 6.0}, (NAN,), NAN),  # T18
    ],
)
def clamp(input: Value, *, min_val: Number, max_val: Number) -> Value:
    """input, but not below min_val and not above max_val; NaN stays NaN."""
    low, high = (_bound(name, value, input.element) for name, value in (("min_val", min_val), ("max_val", max_val)))
    error_if(max_val < min_val, f"max_val is {max_val}, which is below min_val, {min_val}")
    if input.element.kind == "float":
        require(min_val <= max_val, "min_val <= max_val")  # T18: no error and yet not so: a bound is NaN
    return apply_min(apply_max(input, low), high)


@from_1_0(
    "CLAMP",
    ACTIVATION,
    rows=[*profiled(INT, (i8, i8)), *profiled(INT16, (i16, i16)), *floating(same(1))],
    attributes={"min_val": real(), "max_val": real(), "nan_mode": NAN_MODE},
    shape=unary,
    examples=[
        ((i8,), {"min_val": -10, "max_val": 20}, (-128,), -10),
        ((i16,), {"min_val": 0, "max_val": 6}, (32767,), 6),
        ((f32,), {"min_val": 1.0, "max_val": 6.0}, (NAN,), NAN),
        ((f32,), {"min_val": 1.0, "max_val": 6.0, "nan_mode": "IGNORE"}, (NAN,), 1.0),
    ],
)
def clamp_1(input: Value, *, min_val: Number, max_val: Number, nan_mode: str) -> Value:
    """input, but not below min_val and not above max_val; NaN stays, or with nan_mode IGNORE becomes min_val."""
    low, high = (_bound(name, value, input.element) for name, value in (("min_val", min_val), ("max_val", max_val)))
    for name, value in (("min_val", min_val), ("max_val", max_val)):
        error_if(math.isnan(value), f"{name} is NaN")
    error_if(max_val < min_val, f"max_val is {max_val}, which is below min_val, {min_val}")
    return apply_min(apply_max(input, low, nan_mode), high, nan_mode)


def _bound(name: str, value: Number, sort: Sort) -> Value:
    """A bound as a number of the input's type."""
    if sort.kind == "float":
        overflows = math.isinf(floats.decode(floats.encode(value, sort), sort)) and abs(value) != math.inf
        error_if(overflows, f"{name} is {brief(value)}, which {sort.name} does not reach")
        return literal(value, sort)
    fits = sort.lowest <= value <= sort.highest and value == int(value)
    error_if(not fits, f"{name} is {brief(value)}; {sort.name} has whole numbers from {sort.lowest} to {sort.highest}")
    return literal(int(value), sort)
