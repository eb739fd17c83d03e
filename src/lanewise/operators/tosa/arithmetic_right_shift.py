"""ARITHMETIC_RIGHT_SHIFT, TOSA."""

from lanewise.language.attributes import flag
from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import i8, i16, i32, i64
from lanewise.language.words import Value, require, select, shift_right, within
from lanewise.operators.tosa.rows import BINARY, INT, INT64, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "ARITHMETIC_RIGHT_SHIFT",
    BINARY,
    rows=profiled(INT, *((t, t, t) for t in (i8, i16, i32))),
    added=profiled(INT64, (i64, i64, i64)),
    attributes={"round": flag(default=False)},
    shape=same_rank,
    examples=[
        ((i8, i8), {"round": True}, (-7, 1), -3),
        ((i8, i8), {"round": False}, (5, 8), UNPREDICTABLE),
        ((i32, i32), {"round": True}, (-1, 1), 0),
    ],
    added_examples=[
        ((i64, i64), {"round": False}, (-9223372036854775808, 63), -1),
        ((i64, i64), {"round": True}, (-9223372036854775808, 63), -1),
        ((i64, i64), {}, (1, 64), UNPREDICTABLE),
    ],
)
@operator(
    "ARITHMETIC_RIGHT_SHIFT",
    tosa("0.23.0", BINARY),
    rows=any_profile((i8, i8, i8), (i16, i16, i16), (i32, i32, i32)),
    attributes={"round": flag(default=False)},
    shape=same_rank,
    examples=[
        ((i8, i8), {"round": False}, (-7, 1), -4),
        ((i8, i8), {"round": True}, (-7, 1), -3),  # the bit shifted out last was 1
        ((i8, i8), {"round": True}, (5, 0), 5),  # nothing is shifted out
        ((i8, i8), {"round": False}, (5, 8), UNPREDICTABLE),
        ((i16, i16), {"round": True}, (10, 53), UNPREDICTABLE),
        ((i32, i32), {"round": True}, (-1, 1), 0),  # ties go upwards
    ],
)
def arithmetic_right_shift(input1: Value, input2: Value, *, round: bool) -> Value:
    """input1 / 2**input2, rounded down; or to nearest, ties upwards, if round."""
    width = input1.element.width
    require(within(input2, 0, width - 1), f"0 <= input2 <= {width - 1}")
    result = shift_right(input1, input2)
    if round:
        last_bit_out = shift_right(input1, input2 - 1) & 1
        result = result + select(input2 > 0, last_bit_out, 0)
    return result  # T9: the closing clip can change nothing, a count of 1 or more halves the magnitude
