"""BITWISE_XOR, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import i8, i16, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import BINARY, INT, INT64, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "BITWISE_XOR",
    BINARY,
    rows=profiled(INT, *((t, t, t) for t in (i8, i16, i32))),
    added=profiled(INT64, (i64, i64, i64)),
    shape=same_rank,
    examples=[
        ((i8, i8), {}, (12, 10), 6),
    ],
    added_examples=[
        ((i64, i64), {}, (-1, 1099511627776), -1099511627777),
    ],
)
@operator(
    "BITWISE_XOR",
    tosa("0.23.0", BINARY),
    rows=any_profile((i8, i8, i8), (i16, i16, i16), (i32, i32, i32)),
    shape=same_rank,
    examples=[
        ((i8, i8), {}, (12, 10), 6),
        ((i8, i8), {}, (-1, 100), -101),
        ((i16, i16), {}, (-32768, -1), 32767),
        ((i32, i32), {}, (0x55AA55AA, -1), -0x55AA55AB),
    ],
)
def bitwise_xor(input1: Value, input2: Value) -> Value:
    """input1 XOR input2, bit by bit in two's complement."""
    return input1 ^ input2
