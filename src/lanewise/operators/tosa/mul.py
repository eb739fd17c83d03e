"""MUL, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import f32, i8, i16, i32, i64, u6
from lanewise.language.words import Value, require, select, shift_right, when, widen, within, wrap
from lanewise.operators.tosa.helpers import apply_scale_32
from lanewise.operators.tosa.rows import (
    ATTRIBUTE_IN_INFERENCE,
    BINARY,
    FLOAT,
    FP,
    INT,
    INT64,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    tosa,
)


@operator(
    "MUL",
    tosa("0.23.0", BINARY),
    rows=[
        *any_profile((i8, i8, u6, i32), (i16, i16, u6, i32), (i32, i32, u6, i32)),
        *main_profiles((t, t, u6, t) for t in FLOAT),
    ],
    arguments={"shift": Argument("scalar", attribute_in=ATTRIBUTE_IN_INFERENCE, default=0)},
    shape=same_rank,
    examples=[
        ((i8, i8, u6), {}, (-128, -128, 0), 16384),  # int32 holds every 8-bit product
        ((i8, i8, u6), {}, (22, 21, 5), 462),  # T13: the shift is for int32 only
        ((i32, i32, u6), {}, (1 << 30, 2, 0), -(1 << 31)),  # T14: the low 32 bits
        ((i32, i32, u6), {}, (5, 2, 2), 3),  # 10 / 4 = 2.5, rounded up
        ((i32, i32, u6), {}, (7984, 1583594044, 40), 11),
        ((i32, i32, u6), {}, (5, -2, 2), UNPREDICTABLE),  # T12
        ((i32, i32, u6), {}, (5, 2, 1), UNPREDICTABLE),  # T12
        ((f32, f32, u6), {}, (1.5, -2.0, 0), -3.0),
    ],
)
def mul(input1: Value, input2: Value, shift: Value) -> Value:
    """input1 * input2 as out_t; for int32 with a shift, the product scaled down by 2**shift, halves up."""
    if input1.element.kind == "float":
        return input1 * input2
    if input1.sort != i32:
        return widen(input1, i32) * widen(input2, i32)
    with when(shift > 0):
        scaled = apply_scale_32(input1, input2, wrap(shift, i32), name="input2")
    return select(shift > 0, scaled, input1 * input2)


@from_1_0(
    "MUL",
    BINARY,
    rows=[
        *profiled(INT, (i8, i8, i8, i32), (i16, i16, i8, i32)),
        *profiled((INT, FP), (i32, i32, i8, i32)),
        *floating(lambda t: (t, t, i8, t)),
    ],
    added=profiled(INT64, (i64, i64, i8, i64)),
    arguments={"shift": Argument("scalar", default=0, constant_in=(INT, FP), ranks=(1, 1))},
    shape=same_rank,
    examples=[
        ((i8, i8, i8), {}, (-128, -128, 0), 16384),
        ((i8, i8, i8), {}, (22, 21, 5), UNPREDICTABLE),  # V5: the shift is for int32 only
        ((i32, i32, i8), {}, (1 << 30, 2, 0), -(1 << 31)),  # the low 32 bits
        ((i32, i32, i8), {}, (5, 2, 2), 3),  # 10 / 4 = 2.5, rounded up
        ((i32, i32, i8), {}, (5, -2, 2), -2),  # either sign, halves up
        ((i32, i32, i8), {}, (5, 2, 1), 5),
        ((i32, i32, i8), {}, (-(1 << 31), -(1 << 31), 63), 1),  # V4
        ((i32, i32, i8), {}, (1 << 30, 4, 1), UNPREDICTABLE),  # leaves int32
        ((i32, i32, i8), {}, (5, 2, -1), UNPREDICTABLE),
        ((f32, f32, i8), {}, (1.5, -2.0, 0), -3.0),
        ((f32, f32, i8), {}, (1.5, 2.0, 1), UNPREDICTABLE),
    ],
    added_examples=[
        ((i64, i64, i8), {}, (1 << 40, 1 << 40, 0), 0),  # the low 64 bits
        ((i64, i64, i8), {}, (5, 2, 1), UNPREDICTABLE),
    ],
)
def mul_1(input1: Value, input2: Value, shift: Value) -> Value:
    """input1 * input2 as out_t; for int32 with a shift, the exact product / 2**shift, halves up."""
    if input1.sort != i32:
        require(shift == 0, "shift = 0")
        if input1.element.kind == "float" or input1.sort == i64:
            return input1 * input2
        return widen(input1, i32) * widen(input2, i32)
    require(within(shift, 0, 63), "0 <= shift <= 63")
    product = widen(input1, i64) * widen(input2, i64)
    # V4: one place less, plus 1, and the last place: the same number, and no sum leaves 64 bits.
    scaled = shift_right(shift_right(product, wrap(shift, i64) - 1) + 1, 1)
    with when(shift > 0):
        require(within(scaled, i32.lowest, i32.highest), "the scaled result fits int32")
    return select(shift > 0, wrap(scaled, i32), input1 * input2)
