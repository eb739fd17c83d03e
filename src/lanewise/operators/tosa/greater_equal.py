"""GREATER_EQUAL, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import boolean, f32, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import (
    COMPARISON,
    FLOAT,
    INT,
    INT64,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    tosa,
)

NAN = float("nan")


@from_1_0(
    "GREATER_EQUAL",
    COMPARISON,
    rows=[*profiled(INT, (i32, i32, boolean)), *floating(lambda t: (t, t, boolean))],
    added=profiled(INT64, (i64, i64, boolean)),
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (7, 7), True),
        ((f32, f32), {}, (NAN, NAN), False),
    ],
    added_examples=[
        ((i64, i64), {}, (1099511627776, 0), True),
    ],
)
@operator(
    "GREATER_EQUAL",
    tosa("0.23.0", COMPARISON),
    rows=[*any_profile((i32, i32, boolean)), *main_profiles((t, t, boolean) for t in FLOAT)],
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (-1, 1), False),
        ((i32, i32), {}, (7, 7), True),
        ((f32, f32), {}, (0.0, -0.0), True),
        ((f32, f32), {}, (NAN, NAN), False),
    ],
)
def greater_equal(input1: Value, input2: Value) -> Value:
    """Whether input1 is above input2 or equals it; with a NaN it does neither."""
    return input1 >= input2
