"""ABS, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import f32, i32, i64
from lanewise.language.words import Value, absolute, require
from lanewise.operators.tosa.rows import (
    FLOAT,
    INT,
    INT64,
    UNARY,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    same,
    tosa,
)


@from_1_0(
    "ABS",
    UNARY,
    rows=[*profiled(INT, (i32, i32)), *floating(same(1))],
    added=profiled(INT64, (i64, i64)),
    shape=unary,
    examples=[
        ((i32,), {}, (-7,), 7),
        ((i32,), {}, (-2147483648,), UNPREDICTABLE),
        ((f32,), {}, (-0.5,), 0.5),  # V12
        ((f32,), {}, (-0.0,), 0.0),
    ],
    added_examples=[
        ((i64,), {}, (-9223372036854775807,), 9223372036854775807),
        ((i64,), {}, (-9223372036854775808,), UNPREDICTABLE),
    ],
)
@operator(
    "ABS",
    tosa("0.23.0", UNARY),
    rows=[*any_profile((i32, i32)), *main_profiles((t, t) for t in FLOAT)],
    shape=unary,
    examples=[
        ((i32,), {}, (-7,), 7),
        ((i32,), {}, (-2147483647,), 2147483647),
        ((i32,), {}, (-2147483648,), UNPREDICTABLE),  # int32 lacks 2147483648
        ((f32,), {}, (-0.5,), 0.5),
        ((f32,), {}, (-0.0,), 0.0),  # T19
    ],
)
def abs(input1: Value) -> Value:
    """input1 without its sign; the lowest integer has no such value and is unpredictable."""
    if input1.element.kind == "int":
        require(input1 != input1.element.lowest, f"0 - input1 fits {input1.sort.name}")
    return absolute(input1)
