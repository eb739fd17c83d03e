"""ABS, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import f32, i32
from lanewise.language.words import Value, absolute, require
from lanewise.operators.tosa.rows import FLOAT, UNARY, any_profile, main_profiles, tosa


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
    """input1 without its sign; the lowest int32 has no such value and is unpredictable."""
    if input1.element.kind == "int":
        require(input1 != input1.element.lowest, "0 - input1 fits int32")
    return absolute(input1)
