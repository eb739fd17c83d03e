"""CLZ, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import i32
from lanewise.language.words import Value, count_leading_zeros
from lanewise.operators.tosa.rows import UNARY, any_profile, tosa


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
    """How many zero bits stand above the highest one of input1; 32 for 0."""
    return count_leading_zeros(input1)
