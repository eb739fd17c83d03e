"""RECIPROCAL, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import bf16, f16, f32
from lanewise.language.words import Value, literal
from lanewise.operators.tosa.rows import FLOAT, UNARY, floating, from_1_0, main_profiles, same, tosa

INFINITY = float("inf")


@from_1_0(
    "RECIPROCAL",
    UNARY,
    rows=floating(same(1)),
    shape=unary,
    examples=[
        ((f32,), {}, (4.0,), 0.25),
        ((bf16,), {}, (3.0,), 0.333984375),
    ],
)
@operator(
    "RECIPROCAL",
    tosa("0.23.0", UNARY),
    rows=main_profiles((t, t) for t in FLOAT),
    shape=unary,
    examples=[
        ((f32,), {}, (4.0,), 0.25),
        ((f32,), {}, (-0.0,), -INFINITY),
        ((f16,), {}, (INFINITY,), 0.0),
        ((bf16,), {}, (3.0,), 0.333984375),  # 171 / 512 is the bfloat16 nearest to 1 / 3
    ],
)
def reciprocal(input1: Value) -> Value:
    """1 / input1, correctly rounded."""
    return literal(1, input1.element) / input1
