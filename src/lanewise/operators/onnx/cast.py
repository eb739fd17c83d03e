"""Cast, ONNX opsets 1 to 28."""

import math
from collections.abc import Iterable
from itertools import product

from lanewise.language.attributes import choice, flag
from lanewise.language.operator import Row, operator
from lanewise.language.shapes import numpy_broadcast
from lanewise.language.sorts import Sort, bf16, boolean, f16, f32, f64, i16, i64, u8
from lanewise.language.words import Value, convert
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, Examples, onnx, onnx_type, versions

TO = {"to": onnx_type()}
SATURATE = {**TO, "saturate": flag(default=True)}  # decides for 8-bit floats only
ROUND_MODE = {**SATURATE, "round_mode": choice("up", "down", "nearest", default="up")}  # for float8e8m0 only
EXAMPLES: Examples = [
    ((f32,), {"to": "int8"}, (-2.75,), -2),  # towards zero
    ((f32,), {"to": "int8"}, (300.0,), 127),  # O8: saturates
    ((f32,), {"to": "uint8"}, (-1.5,), 0),
    ((f32,), {"to": "int8"}, (math.nan,), 0),  # O8
    ((f32,), {"to": "float16"}, (65520.0,), math.inf),
    ((f64,), {"to": "float32"}, (1.0 + 2.0**-24,), 1.0),  # a tie: to the even neighbour
    ((i16,), {"to": "int8"}, (200,), -56),  # wraps
    ((i64,), {"to": "float32"}, (16777217,), 16777216.0),
    ((u8,), {"to": "bool"}, (36,), True),
    ((f32,), {"to": "bool"}, (-0.0,), False),
    ((boolean,), {"to": "float64"}, (True,), 1.0),
]
ALL: Examples = [
    *EXAMPLES,
    ((f32,), {"to": "bfloat16"}, (1.0 + 2.0**-8,), 1.0),
    ((bf16,), {"to": "int8"}, (-1.5,), -1),
    ((f16,), {"to": 16}, (0.5,), 0.5),
]


def _rows(types: Iterable[Sort]) -> list[Row]:
    return [Row((source,), target) for source, target in product(types, repeat=2)]


@versions(
    (28, 25, 24), "Cast", rows=_rows(EVERYTHING_13), attributes=ROUND_MODE,
    shape=numpy_broadcast, output_attribute="to", examples=ALL,
)  # fmt: skip
@versions(
    (23, 21, 19), "Cast", rows=_rows(EVERYTHING_13), attributes=SATURATE,
    shape=numpy_broadcast, output_attribute="to", examples=ALL,
)  # fmt: skip
@operator(
    "Cast", onnx(13, "Cast"), rows=_rows(EVERYTHING_13), attributes=TO,
    shape=numpy_broadcast, output_attribute="to", examples=ALL,
)  # fmt: skip
@versions(
    (9, 6, 1), "Cast", rows=_rows(EVERYTHING), attributes=TO,
    shape=numpy_broadcast, output_attribute="to", examples=EXAMPLES,
)  # fmt: skip
def cast(input: Value, *, to: Sort) -> Value:
    """The input as a number of another type.

    To a float: the nearest, ties to even. From a float to an integer: towards zero, saturating, 0
    for NaN. Between integers: wrapped. To a boolean: different from 0.
    """
    return convert(input, to)
