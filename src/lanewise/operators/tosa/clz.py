"""CLZ, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import i32, i64
from lanewise.language.words import Value, count_leading_zeros
from lanewise.operators.tosa.rows import INT, INT64, UNARY, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "CLZ",
    UNARY,
    rows=profiled(INT, (i32, i32)),
    added=profiled(INT64, (i64, i64)),
    shape=unary,
    examples=[
        ((i32,), {}, (0,), 32),
    ],
    added_examples=[
        ((i64,), {}, (0,), 64),
        ((i64,), {}, (1,), 63),
        ((i64,), {}, (-1,), 0),
    ],
)
@operator(
    "CLZ",
    tosa("0.23.0", UNARY),
    rows=any_profile((i32, i32)),
    shape=unary,
    examples=[
        ((i32,), {}, (0,), 32),
        ((i32,), {}, (1,), 31),
        ((i32,), {}, (2147483647,), 1),
        ((i32,), {}, (-1,), 0),  # the sign bit counts as a one
    ],
)
def clz(input1: Value) -> Value:
    """How many zero bits stand above the highest one of input1; the width for 0."""
    return count_leading_zeros(input1)
