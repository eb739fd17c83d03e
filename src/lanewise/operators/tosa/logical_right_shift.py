"""LOGICAL_RIGHT_SHIFT, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import i8, i16, i32, i64
from lanewise.language.words import Value, reinterpret, reinterpret_unsigned, require, shift_right, within
from lanewise.operators.tosa.rows import BINARY, FP, INT, INT64, any_profile, from_1_0, profiled, tosa


@operator(
    "LOGICAL_RIGHT_SHIFT",
    tosa("0.23.0", BINARY),
    rows=any_profile((i8, i8, i8), (i16, i16, i16), (i32, i32, i32)),
    shape=same_rank,
    examples=[
        ((i8, i8), {}, (20, 2), 5),
        ((i8, i8), {}, (-1, 1), 127),  # the sign is not copied
        ((i8, i8), {}, (-128, 0), -128),
        ((i8, i8), {}, (-1, 8), 0),  # T10: counts up to 31 are allowed at every width
        ((i16, i16), {}, (-1, 15), 1),
        ((i16, i16), {}, (-1, 32), UNPREDICTABLE),
        ((i32, i32), {}, (-123456789, 3), 521438813),
        ((i32, i32), {}, (1, -1), UNPREDICTABLE),
    ],
)
def logical_right_shift(input1: Value, input2: Value) -> Value:
    """The bits of input1 moved input2 places down: zeros come in, whatever the sign."""
    require(within(input2, 0, 31), "0 <= input2 <= 31")
    return reinterpret(shift_right(reinterpret_unsigned(input1), input2), input1.element)


@from_1_0(
    "LOGICAL_RIGHT_SHIFT",
    BINARY,
    rows=profiled((INT, FP), *((t, t, t) for t in (i8, i16, i32))),
    added=profiled(INT64, (i64, i64, i64)),
    shape=same_rank,
    examples=[
        ((i8, i8), {}, (-1, 1), 127),
        ((i8, i8), {}, (-1, 7), 1),
        ((i8, i8), {}, (-1, 8), UNPREDICTABLE),  # counts end below the width
        ((i16, i16), {}, (-1, 15), 1),
        ((i32, i32), {}, (-123456789, 3), 521438813),
    ],
    added_examples=[
        ((i64, i64), {}, (-1, 63), 1),
        ((i64, i64), {}, (-1, 1), 9223372036854775807),  # V8
        ((i64, i64), {}, (1, 64), UNPREDICTABLE),
    ],
)
def logical_right_shift_1(input1: Value, input2: Value) -> Value:
    """The bits of input1 moved input2 places down, for counts below the width: zeros come in, whatever the sign."""
    highest = input1.element.width - 1
    require(within(input2, 0, highest), f"0 <= input2 <= {highest}")
    return reinterpret(shift_right(reinterpret_unsigned(input1), input2), input1.element)
