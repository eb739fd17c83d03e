"""MUL, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import f32, i8, i16, i32, u6
from lanewise.language.words import Value, select, when, widen, wrap
from lanewise.operators.tosa.helpers import apply_scale_32
from lanewise.operators.tosa.rows import ATTRIBUTE_IN_INFERENCE, BINARY, FLOAT, any_profile, main_profiles, tosa


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
