"""CAST, TOSA."""

from typing import Any

from lanewise.language.attributes import element_type, flag
from lanewise.language.operator import UNPREDICTABLE, operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import Sort, bf16, boolean, f16, f32, i8, i16, i32, i64
from lanewise.language.words import Value, convert, is_nan, reinterpret_unsigned, require, round_to_even
from lanewise.operators.tosa.rows import (
    BF16,
    FLOAT,
    FP,
    INT,
    INT64,
    TYPE_CONVERSION,
    any_profile,
    main_profiles,
    profiled,
    tosa,
)

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


ROWS = [
    *profiled(INT, *((boolean, t) for t in INTEGERS), *((t, boolean) for t in INTEGERS)),
    *profiled(INT, *((a, b) for a in INTEGERS for b in INTEGERS if a != b)),
    *profiled(FP, *((t, f) for t in INTEGERS for f in (f16, f32)), *((f, t) for t in INTEGERS for f in (f16, f32))),
    *profiled(FP, (f16, f32), (f32, f16)),
    *profiled(BF16, *((t, bf16) for t in (*INTEGERS, f32)), *((bf16, t) for t in (*INTEGERS, f32))),
]
EXAMPLES: list[tuple[Any, ...]] = [
    ((boolean,), {"output_type": "int8"}, (True,), 1),
    ((i8,), {"output_type": "int32"}, (-7,), -7),
    ((i32,), {"output_type": "int8"}, (200,), -56),
    ((f32,), {"output_type": "int32"}, (2.5,), 2),  # ties to even, now in words
    ((f32,), {"output_type": "int8"}, (-1000.0,), -128),
    ((f32,), {"output_type": "int8"}, (NAN,), UNPREDICTABLE),
    ((f32,), {"output_type": "float16"}, (65520.0,), float("inf")),
    ((bf16,), {"output_type": "float32"}, (NAN,), NAN),
]


@operator(
    "CAST",
    tosa("1.0", TYPE_CONVERSION),
    rows=ROWS,
    attributes={"output_type": element_type()},
    output_attribute="output_type",
    shape=unary,
    examples=EXAMPLES,
)
def cast_1_0(input: Value, *, output_type: Sort) -> Value:
    """input as a number of output_type: rounded to the nearest, cut to the low bits, or different from 0."""
    if input.element.kind == "float" and output_type.kind == "int":
        require(~is_nan(input), "input is not NaN")
        input = round_to_even(input)
    return convert(input, output_type)


@operator(
    "CAST",
    tosa("1.1", TYPE_CONVERSION),
    rows=[
        *ROWS,
        *profiled(FP, (boolean, f32), (f32, boolean)),
        *profiled(INT64, (boolean, i64), (i64, boolean), (i32, i64), (i64, i32)),
    ],
    attributes={"output_type": element_type(), "input_unsigned": flag(default=False)},
    output_attribute="output_type",
    shape=unary,
    examples=[
        *EXAMPLES,
        ((i8,), {"output_type": "int32", "input_unsigned": True}, (-7,), 249),
        ((i32,), {"output_type": "int64", "input_unsigned": True}, (-1,), 4294967295),
        ((i8,), {"output_type": "float32", "input_unsigned": True}, (-1,), 255.0),
        ((f32,), {"output_type": "bool"}, (NAN,), True),  # different from 0
        ((boolean,), {"output_type": "float32"}, (True,), 1.0),
        ((i64,), {"output_type": "int32"}, (4294967295,), -1),
    ],
)
def cast_1_1(input: Value, *, output_type: Sort, input_unsigned: bool) -> Value:
    """As CAST of 1.0, but with input_unsigned the bits of an integer input are read without sign."""
    if input_unsigned and input.element.kind == "int":
        input = reinterpret_unsigned(input)
    return cast_1_0(input, output_type=output_type)
