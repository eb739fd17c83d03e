"""MINIMUM, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import f16, f32, i32
from lanewise.language.words import Value
from lanewise.operators.tosa.helpers import apply_min
from lanewise.operators.tosa.rows import BINARY, FLOAT, any_profile, main_profiles, tosa

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
