"""ADD, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import f32, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.helpers import apply_add
from lanewise.operators.tosa.rows import (
    BINARY,
    FLOAT,
    FP,
    INT,
    INT64,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    same,
    tosa,
)


@from_1_0(
    "ADD",
    BINARY,
    rows=[*profiled((INT, FP), (i32, i32, i32)), *floating(same(2))],
    added=profiled(INT64, (i64, i64, i64)),
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (2147483646, 1), 2147483647),
        ((i32, i32), {}, (2147483647, 1), UNPREDICTABLE),
        ((f32, f32), {}, (1.5, 2.25), 3.75),
    ],
    added_examples=[
        ((i64, i64), {}, (9223372036854775806, 1), 9223372036854775807),
        ((i64, i64), {}, (9223372036854775807, 1), UNPREDICTABLE),
    ],
)
@operator(
    "ADD",
    tosa("0.23.0", BINARY),
    rows=[*any_profile((i32, i32, i32)), *main_profiles((t, t, t) for t in FLOAT)],
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (2147483646, 1), 2147483647),
        ((i32, i32), {}, (2147483647, 1), UNPREDICTABLE),  # neither wraps nor saturates
        ((i32, i32), {}, (-2147483648, -1), UNPREDICTABLE),
        ((f32, f32), {}, (1.5, 2.25), 3.75),
    ],
)
def add(input1: Value, input2: Value) -> Value:
    """input1 + input2; an integer sum that the type does not hold is unpredictable."""
    return apply_add(input1, input2)
