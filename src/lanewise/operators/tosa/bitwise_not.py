"""BITWISE_NOT, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import i8, i16, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import INT, INT64, UNARY, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "BITWISE_NOT",
    UNARY,
    rows=profiled(INT, (i8, i8), (i16, i16), (i32, i32)),
    added=profiled(INT64, (i64, i64)),
    shape=unary,
    examples=[
        ((i8,), {}, (-128,), 127),
    ],
    added_examples=[
        ((i64,), {}, (1099511627776,), -1099511627777),
    ],
)
@operator(
    "BITWISE_NOT",
    tosa("0.23.0", UNARY),
    rows=any_profile((i8, i8), (i16, i16), (i32, i32)),
    shape=unary,
    examples=[
        ((i8,), {}, (0,), -1),
        ((i8,), {}, (-128,), 127),
        ((i32,), {}, (0x55AA55AA,), -0x55AA55AB),
    ],
)
def bitwise_not(input1: Value) -> Value:
    """NOT input1, bit by bit in two's complement: -1 - input1."""
    return ~input1
