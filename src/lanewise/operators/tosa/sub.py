"""SUB, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import f32, i32
from lanewise.language.words import Value
from lanewise.operators.tosa.helpers import apply_sub
from lanewise.operators.tosa.rows import BINARY, FLOAT, any_profile, main_profiles, tosa


@operator(
    "SUB",
    tosa("0.23.0", BINARY),
    rows=[*any_profile((i32, i32, i32)), *main_profiles((t, t, t) for t in FLOAT)],
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (3, 5), -2),
        ((i32, i32), {}, (-1, 2147483647), -2147483648),
        ((i32, i32), {}, (-2147483648, 1), UNPREDICTABLE),  # neither wraps nor saturates
        ((i32, i32), {}, (0, -2147483648), UNPREDICTABLE),
        ((f32, f32), {}, (1.5, 2.25), -0.75),
    ],
)
def sub(input1: Value, input2: Value) -> Value:
    """input1 - input2; an integer difference that int32 does not hold is unpredictable."""
    return apply_sub(input1, input2)
