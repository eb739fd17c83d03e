"""NEGATE, TOSA."""

from lanewise.language.attributes import whole
from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import f32, i8, i16, i32, i64
from lanewise.language.words import Value, literal, negative, saturate, widen
from lanewise.operators.tosa.helpers import apply_sub, check_zero_point, require_zero_point
from lanewise.operators.tosa.rows import (
    FLOAT,
    FP,
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


ZERO_POINT_INPUT = Argument("scalar", default=0, constant_in=(INT, FP), ranks=(1, 1))


@from_1_0(
    "NEGATE",
    UNARY,
    rows=[*profiled(INT, *((t, t, t, t) for t in (i8, i16, i32))), *floating(same(3))],
    added=profiled(INT64, (i64, i64, i64, i64)),
    arguments={"input1_zp": ZERO_POINT_INPUT, "output_zp": ZERO_POINT_INPUT},
    shape=unary,
    examples=[
        ((i8, i8, i8), {}, (5, 0, 0), -5),
        ((i8, i8, i8), {}, (-128, 0, 0), 127),
        ((i8, i8, i8), {}, (-118, -128, -128), -128),
        ((i16, i16, i16), {}, (-32768, 0, 0), 32767),
        ((i16, i16, i16), {}, (1, 1, 0), UNPREDICTABLE),  # V3: an error where the graph fixes the zero point
        ((i32, i32, i32), {}, (-2147483648, 0, 0), UNPREDICTABLE),
        ((f32, f32, f32), {}, (0.0, 0.0, 0.0), -0.0),
    ],
    added_examples=[
        ((i64, i64, i64), {}, (9223372036854775807, 0, 0), -9223372036854775807),
        ((i64, i64, i64), {}, (-9223372036854775808, 0, 0), UNPREDICTABLE),
    ],
)
def negate_1(input1: Value, input1_zp: Value, output_zp: Value) -> Value:
    """output_zp - (input1 - input1_zp), saturated; the lowest int32 or int64 is unpredictable."""
    sort = input1.element
    if sort != i8:
        for name, value in (("input1_zp", input1_zp), ("output_zp", output_zp)):
            require_zero_point(name, value, (0,), "others are for int8")
    if sort.kind == "float":
        return negative(input1)
    if sort.width >= 32:
        return apply_sub(literal(0, sort), input1, "0 - input1")
    return saturate(widen(input1_zp, i32) - widen(input1, i32) + widen(output_zp, i32), sort)
