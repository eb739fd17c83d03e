"""CAST, TOSA."""

from lanewise.language.attributes import element_type
from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import Sort, bf16, boolean, f16, f32, i8, i16, i32
from lanewise.language.words import Value, convert, round_to_even
from lanewise.operators.tosa.rows import FLOAT, TYPE_CONVERSION, any_profile, main_profiles, tosa

INTEGERS = (i8, i16, i32)
NAN = float("nan")


@operator(
    "CAST",
    tosa("0.23.0", TYPE_CONVERSION),
    rows=[
        *any_profile(*((boolean, t) for t in INTEGERS), *((t, boolean) for t in INTEGERS)),
        *any_profile(*((a, b) for a in INTEGERS for b in INTEGERS if a != b)),
        *main_profiles((t, f) for t in INTEGERS for f in FLOAT),
        *main_profiles((f, t) for t in INTEGERS for f in FLOAT),
    ],
    attributes={"output_type": element_type()},
    output_attribute="output_type",
    shape=unary,
    examples=[
        ((boolean,), {"output_type": "int8"}, (True,), 1),
        ((i32,), {"output_type": "bool"}, (256,), True),
        ((i8,), {"output_type": "int32"}, (-7,), -7),
        ((i32,), {"output_type": "int8"}, (200,), -56),  # T22: the low bits
        ((i32,), {"output_type": "float32"}, (16777217,), 16777216.0),
        ((i32,), {"output_type": "float16"}, (2147483647,), float("inf")),
        ((f32,), {"output_type": "int32"}, (2.5,), 2),  # T21: ties to even
        ((f32,), {"output_type": "int8"}, (-1000.0,), -128),  # T21: saturates
        ((bf16,), {"output_type": "int16"}, (NAN,), 0),  # T21
        ((f16,), {"output_type": "int8"}, (-0.75,), -1),
    ],
)
def cast(input: Value, *, output_type: Sort) -> Value:
    """input as a number of output_type: rounded to the nearest, cut to the low bits, or different from 0."""
    if input.element.kind == "float":
        input = round_to_even(input)
    return convert(input, output_type)
