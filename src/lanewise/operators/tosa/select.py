"""SELECT, TOSA."""

from lanewise.language import words
from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import boolean, f32, i8, i16, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import (
    FLOAT,
    FP,
    INT,
    INT64,
    PLAIN,
    TERNARY,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    tosa,
)


@from_1_0(
    "SELECT",
    TERNARY,
    rows=[
        *profiled((INT, FP), (boolean, boolean, boolean, boolean)),
        *profiled(INT, *((boolean, t, t, t) for t in (i8, i16, i32))),
        *floating(lambda t: (boolean, t, t, t)),
    ],
    added=profiled(INT64, (boolean, i64, i64, i64)),
    shape=same_rank,
    examples=[
        ((boolean, i8, i8), {}, (True, 1, 2), 1),
        ((boolean, f32, f32), {}, (True, -0.0, 2.0), -0.0),
    ],
    added_examples=[
        ((boolean, i64, i64), {}, (False, 1, 1099511627776), 1099511627776),
    ],
)
@operator(
    "SELECT",
    tosa("0.23.0", TERNARY),
    rows=[
        *any_profile(*((boolean, t, t, t) for t in PLAIN)),
        *main_profiles((boolean, t, t, t) for t in FLOAT),
    ],
    shape=same_rank,
    examples=[
        ((boolean, i8, i8), {}, (True, 1, 2), 1),
        ((boolean, i32, i32), {}, (False, 1, 2), 2),
        ((boolean, boolean, boolean), {}, (False, True, False), False),
        ((boolean, f32, f32), {}, (True, -0.0, 2.0), -0.0),
    ],
)
def select(input1: Value, input2: Value, input3: Value) -> Value:
    """input2 where input1 is true, else input3; what made either unpredictable still counts."""
    return words.select(input1, input2, input3)
