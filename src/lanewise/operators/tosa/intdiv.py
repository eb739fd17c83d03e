"""INTDIV, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import i32, i64
from lanewise.language.words import Value, quotient_towards_zero, require
from lanewise.operators.tosa.rows import BINARY, FP, INT, INT64, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "INTDIV",
    BINARY,
    rows=profiled((INT, FP), (i32, i32, i32)),
    added=profiled(INT64, (i64, i64, i64)),
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (-7, 2), -3),
        ((i32, i32), {}, (20, 0), UNPREDICTABLE),
        ((i32, i32), {}, (-2147483648, -1), UNPREDICTABLE),
    ],
    added_examples=[
        ((i64, i64), {}, (-9223372036854775808, 2), -4611686018427387904),
        ((i64, i64), {}, (-9223372036854775808, -1), UNPREDICTABLE),
    ],
)
@operator(
    "INTDIV",
    tosa("0.23.0", BINARY),
    rows=any_profile((i32, i32, i32)),
    shape=same_rank,
    examples=[
        ((i32, i32), {}, (7, 2), 3),
        ((i32, i32), {}, (-7, 2), -3),  # towards zero, where a shift or a floor gives -4
        ((i32, i32), {}, (7, -2), -3),
        ((i32, i32), {}, (-2147483648, 1), -2147483648),
        ((i32, i32), {}, (20, 0), UNPREDICTABLE),
        ((i32, i32), {}, (-2147483648, -1), UNPREDICTABLE),  # int32 lacks 2147483648
    ],
)
def intdiv(input1: Value, input2: Value) -> Value:
    """input1 / input2 without its fraction: rounded towards zero."""
    highest = input1.element.highest
    require(input2 != 0, "input2 != 0")
    # Only one pair of numbers has a quotient above the type.
    require((input1 != input1.element.lowest) | (input2 != -1), f"input1 / input2 <= {highest}")
    return quotient_towards_zero(input1, input2)
