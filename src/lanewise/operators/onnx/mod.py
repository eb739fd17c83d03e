"""Mod, ONNX opsets 10, 13 and 28."""

from lanewise.language.attributes import flag
from lanewise.language.operator import operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import f32, i8, i32, u8
from lanewise.language.words import Value, error_if, literal, remainder_towards_zero, select
from lanewise.operators.onnx.rows import NUMBERS, NUMBERS_13, Examples, onnx, same

FMOD = {"fmod": flag(default=False)}
EXAMPLES: Examples = [
    ((i32, i32), {}, (-7, 3), 2),  # the divisor's sign
    ((i32, i32), {}, (7, -3), -2),
    ((i32, i32), {"fmod": 1}, (-7, 3), -1),  # O4: the dividend's
    ((i8, i8), {}, (-128, -1), 0),
    ((u8, u8), {}, (255, 0), 0),  # O4
    ((f32, f32), {"fmod": 1}, (-7.5, 2.0), -1.5),
    ((f32, f32), {"fmod": 1}, (-4.0, 2.0), -0.0),
]


@operator(
    "Mod",
    onnx(28, "Mod"),
    rows=same(NUMBERS_13, 2),
    attributes=FMOD,
    shape=numpy_broadcast,
    output="C",
    examples=[
        *EXAMPLES,
        ((f32, f32), {}, (-7.5, 2.0), 0.5),
        ((f32, f32), {}, (4.0, -2.0), -0.0),  # a zero has the divisor's sign as well
        ((f32, f32), {}, (-(2.0**-100), 1.0), 1.0),  # O5: rounded up to the divisor
    ],
)
def mod(A: Value, B: Value, *, fmod: bool) -> Value:
    """What the quotient A / B leaves: rounded down (the sign is B's), or towards zero if fmod (A's).

    0 where an integer B is 0.
    """
    rest = remainder_towards_zero(A, B)
    real = A.element.kind == "float"
    if not fmod and A.element.signed:
        rest = select((rest != 0) & ((rest < 0) != (B < 0)), rest + B, rest)
        if real:
            zero = select(B < 0, literal(-0.0, B.element), literal(0.0, B.element))
            rest = select(rest == 0, zero, rest)
    return rest if real else select(B == 0, 0, rest)


@operator(
    "Mod", onnx(13, "Mod"), rows=same(NUMBERS_13, 2),
    attributes=FMOD, shape=numpy_broadcast, output="C", examples=EXAMPLES,
)  # fmt: skip
@operator(
    "Mod", onnx(10, "Mod"), rows=same(NUMBERS, 2),
    attributes=FMOD, shape=numpy_broadcast, output="C", examples=EXAMPLES,
)  # fmt: skip
def mod_before_28(A: Value, B: Value, *, fmod: bool) -> Value:
    """As Mod-28, but floats have the remainder towards zero (fmod) only."""
    error_if(
        A.element.kind == "float" and not fmod,
        f"fmod is 0 for {A.element.name}; floats need fmod=1 before opset 28",
    )
    return mod(A, B, fmod=fmod)
