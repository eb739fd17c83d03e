"""POW, TOSA."""

from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import bf16, f16, f32
from lanewise.language.words import Value, is_nan, nan, power, select
from lanewise.operators.tosa.rows import BINARY, FLOAT, main_profiles, tosa

NAN = float("nan")


@operator(
    "POW",
    tosa("0.23.0", BINARY),
    rows=main_profiles((t, t, t) for t in FLOAT),
    arguments={"input1": Argument(ranks=(1, 4))},
    shape=same_rank,
    examples=[
        ((f32, f32), {}, (2.0, 10.0), 1024.0),
        ((f32, f32), {}, (-2.0, 2.0), 4.0),  # T15: no base is forbidden
        ((f16, f16), {}, (4.0, -0.5), 0.5),
        ((bf16, bf16), {}, (0.0, 0.0), 1.0),
        ((f32, f32), {}, (-8.0, 0.5), NAN),
        ((f32, f32), {}, (NAN, 0.0), NAN),  # T15: NaN in gives NaN out, here too
        ((f32, f32), {}, (1.0, NAN), NAN),
    ],
)
def pow(input1: Value, input2: Value) -> Value:
    """input1 ** input2, with the special cases of IEEE 754's pow, but NaN whenever an operand is NaN."""
    return select(is_nan(input1) | is_nan(input2), nan(input1.element), power(input1, input2))
