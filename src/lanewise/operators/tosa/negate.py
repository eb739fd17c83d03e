"""NEGATE, TOSA."""

from lanewise.language.attributes import whole
from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import f32, i8, i16, i32
from lanewise.language.words import Value, literal, negative, saturate, widen
from lanewise.operators.tosa.helpers import apply_sub, check_zero_point
from lanewise.operators.tosa.rows import FLOAT, UNARY, any_profile, main_profiles, tosa

ZERO_POINT = whole(i8.lowest, i8.highest, default=0)


@operator(
    "NEGATE",
    tosa("0.23.0", UNARY),
    rows=[*any_profile((i8, i8), (i16, i16), (i32, i32)), *main_profiles((t, t) for t in FLOAT)],
    attributes={"input1_zp": ZERO_POINT, "output_zp": ZERO_POINT},
    shape=unary,
    examples=[
        ((i8,), {}, (5,), -5),
        ((i8,), {}, (-128,), 127),  # T20: int8 and int16 saturate
        ((i8,), {"input1_zp": -128, "output_zp": -128}, (-118,), -128),
        ((i16,), {}, (-32768,), 32767),
        ((i32,), {}, (-2147483648,), UNPREDICTABLE),  # int32 has no wider type to do this in
        ((f32,), {}, (0.0,), -0.0),  # T20
    ],
)
def negate(input1: Value, *, input1_zp: int, output_zp: int) -> Value:
    """output_zp - (input1 - input1_zp), saturated; the lowest int32 is unpredictable."""
    sort = input1.element
    check_zero_point("input1_zp", input1_zp, sort, (i8,))
    check_zero_point("output_zp", output_zp, sort, (i8,))
    if sort.kind == "float":
        return negative(input1)
    if sort == i32:
        return apply_sub(literal(0, i32), input1, "0 - input1")
    return saturate(literal(input1_zp, i32) - widen(input1, i32) + output_zp, sort)
