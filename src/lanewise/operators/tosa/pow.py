"""POW, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import bf16, f16, f32
from lanewise.language.words import Value, absolute, is_nan, literal, nan, power, require, select
from lanewise.operators.tosa.rows import BINARY, FLOAT, floating, from_1_0, main_profiles, same, tosa

NAN, INFINITY = float("nan"), float("inf")


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


@from_1_0(
    "POW",
    BINARY,
    rows=floating(same(2)),
    shape=same_rank,
    examples=[
        ((f32, f32), {}, (2.0, 10.0), 1024.0),
        ((f16, f16), {}, (4.0, -0.5), 0.5),
        ((f32, f32), {}, (0.0, 2.5), 0.0),
        ((bf16, bf16), {}, (3.0, 0.0), 1.0),
        ((f32, f32), {}, (-2.0, 2.0), UNPREDICTABLE),
        ((f32, f32), {}, (0.0, 0.0), UNPREDICTABLE),
        ((f32, f32), {}, (0.0, -1.0), UNPREDICTABLE),
        ((f32, f32), {}, (2.0, INFINITY), UNPREDICTABLE),
        ((f32, f32), {}, (1.0, NAN), UNPREDICTABLE),
    ],
)
def pow_1(input1: Value, input2: Value) -> Value:
    """input1 ** input2 for a finite exponent and a positive finite base, or 0 to a positive power."""
    require(input1 >= 0, "input1 >= 0")
    require((input1 > 0) | (input2 > 0), "input1 > 0 or input2 > 0")
    for name, value in (("input1", input1), ("input2", input2)):
        require(absolute(value) < literal(INFINITY, value.element), f"{name} is finite")
    return power(input1, input2)
