"""MINIMUM, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import f16, f32, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.helpers import apply_min
from lanewise.operators.tosa.rows import (
    BINARY,
    FLOAT,
    INT,
    INT64,
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
    "MINIMUM",
    tosa("0.23.0", BINARY),
    rows=[*any_profile((i32, i32, i32)), *main_profiles((t, t, t) for t in FLOAT)],
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (-7, 7), -7),
        ((i32, i32), {}, (2147483647, -2147483648), -2147483648),
        ((f32, f32), {}, (1.5, 2.25), 1.5),
        ((f32, f32), {}, (NAN, 1.0), NAN),  # T11: a NaN wins on either side
        ((f16, f16), {}, (1.0, NAN), NAN),
    ],
)
def minimum(input1: Value, input2: Value) -> Value:
    """The smaller of input1 and input2; NaN if one of them is."""
    return apply_min(input1, input2)


@from_1_0(
    "MINIMUM",
    BINARY,
    rows=[*profiled(INT, (i32, i32, i32)), *floating(same(2))],
    added=profiled(INT64, (i64, i64, i64)),
    attributes={"nan_mode": NAN_MODE},
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (-7, 7), -7),
        ((f32, f32), {}, (NAN, 1.0), NAN),
        ((f32, f32), {"nan_mode": "IGNORE"}, (NAN, 1.0), 1.0),
        ((f16, f16), {"nan_mode": "IGNORE"}, (1.0, NAN), 1.0),
        ((f32, f32), {"nan_mode": "IGNORE"}, (NAN, NAN), NAN),
    ],
    added_examples=[((i64, i64), {}, (1099511627776, -1), -1)],
)
def minimum_1(input1: Value, input2: Value, *, nan_mode: str) -> Value:
    """The smaller of input1 and input2; of a NaN and a number the NaN, or with nan_mode IGNORE the number."""
    return apply_min(input1, input2, nan_mode)
