"""LOGICAL_RIGHT_SHIFT, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import i8, i16, i32
from lanewise.language.words import Value, reinterpret, reinterpret_unsigned, require, shift_right, within
from lanewise.operators.tosa.rows import BINARY, any_profile, tosa


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
