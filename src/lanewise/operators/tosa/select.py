"""SELECT, TOSA."""

from lanewise.language import words
from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import boolean, f32, i8, i32
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import FLOAT, PLAIN, TERNARY, any_profile, main_profiles, tosa


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
