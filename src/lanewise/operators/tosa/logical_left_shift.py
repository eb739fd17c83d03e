"""LOGICAL_LEFT_SHIFT, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import i8, i16, i32, i64
from lanewise.language.words import Value, require, shift_left, within
from lanewise.operators.tosa.rows import BINARY, FP, INT, INT64, any_profile, from_1_0, profiled, tosa


@operator(
    "LOGICAL_LEFT_SHIFT",
    tosa("0.23.0", BINARY),
    rows=any_profile((i8, i8, i8), (i16, i16, i16), (i32, i32, i32)),
    shape=same_rank,
    examples=[
        ((i8, i8), {}, (5, 2), 20),
        ((i8, i8), {}, (64, 1), -128),  # bits leave the word without complaint
        ((i8, i8), {}, (1, 20), 0),  # T10: counts up to 31 are allowed at every width
        ((i16, i16), {}, (-1, 31), 0),
        ((i8, i8), {}, (1, 32), UNPREDICTABLE),
        ((i32, i32), {}, (1, 31), -2147483648),
        ((i32, i32), {}, (0, 32), UNPREDICTABLE),
        ((i32, i32), {}, (1, -1), UNPREDICTABLE),
    ],
)
def logical_left_shift(input1: Value, input2: Value) -> Value:
    """input1 * 2**input2 in the bits that the type keeps: zeros come in, what leaves is lost."""
    require(within(input2, 0, 31), "0 <= input2 <= 31")
    return shift_left(input1, input2)


@from_1_0(
    "LOGICAL_LEFT_SHIFT",
    BINARY,
    rows=profiled((INT, FP), *((t, t, t) for t in (i8, i16, i32))),
    added=profiled(INT64, (i64, i64, i64)),
    shape=same_rank,
    examples=[
        ((i8, i8), {}, (5, 2), 20),
        ((i8, i8), {}, (64, 1), -128),
        ((i8, i8), {}, (1, 7), -128),
        ((i8, i8), {}, (1, 8), UNPREDICTABLE),  # counts end below the width
        ((i16, i16), {}, (-1, 31), UNPREDICTABLE),
        ((i32, i32), {}, (1, 31), -2147483648),
    ],
    added_examples=[
        ((i64, i64), {}, (1, 63), -9223372036854775808),
        ((i64, i64), {}, (1, 64), UNPREDICTABLE),
    ],
)
def logical_left_shift_1(input1: Value, input2: Value) -> Value:
    """input1 * 2**input2 in the bits that the type keeps, for counts below the width."""
    highest = input1.element.width - 1
    require(within(input2, 0, highest), f"0 <= input2 <= {highest}")
    return shift_left(input1, input2)
