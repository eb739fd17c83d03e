"""TABLE, TOSA."""

from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import ArraySort, i8, i16, i32, u8
from lanewise.language.words import Value, lookup, wrap
from lanewise.operators.tosa.helpers import apply_lookup
from lanewise.operators.tosa.rows import (
    ATTRIBUTE_IN_INFERENCE,
    BINARY,
    INT,
    INT16,
    any_profile,
    from_1_0,
    profiled,
    tosa,
)

IDENTITY_8 = tuple(range(-128, 128))
SQUARES_16 = tuple(min(index * index // 8, 32767) for index in range(513))
EDGES_16 = (*[0] * 256, -32768, 32767, *[0] * 255)


@operator(
    "TABLE",
    tosa("0.23.0", BINARY),
    rows=any_profile((i8, ArraySort(i8, 256), i8), (i16, ArraySort(i16, 513), i32)),
    arguments={"table": Argument("table", attribute_in=ATTRIBUTE_IN_INFERENCE)},
    shape=unary,
    examples=[
        ((i8, ArraySort(i8, 256)), {}, (-128, IDENTITY_8), -128),  # the first entry
        ((i8, ArraySort(i8, 256)), {}, (127, IDENTITY_8), 127),  # the last
        ((i16, ArraySort(i16, 513)), {}, (-32768, SQUARES_16), 0),
        ((i16, ArraySort(i16, 513)), {}, (64, SQUARES_16), (8192 + 8256) * 64),  # halfway from entry 256 to 257
        ((i16, ArraySort(i16, 513)), {}, (32767, SQUARES_16), 32640 * 1 + 32767 * 127),  # entry 512 takes part
        ((i16, ArraySort(i16, 513)), {}, (127, EDGES_16), -32768 * 1 + 32767 * 127),  # T16: no slope is too steep
    ],
)
def table(input: Value, table: Value) -> Value:
    """int8: the entry for input; int16: between two entries, with 7 more fraction bits, as int32."""
    if input.sort == i16:
        return apply_lookup(table, input)
    return lookup(table, wrap(input, u8) ^ 128)  # input + 128


@from_1_0(
    "TABLE",
    BINARY,
    rows=[
        *profiled(INT, (i8, ArraySort(i8, 256), i8)),
        *profiled(INT16, (i16, ArraySort(i16, 513), i32)),
    ],
    arguments={"table": Argument("table", constant_in=(INT,))},
    shape=unary,
    examples=[
        ((i8, ArraySort(i8, 256)), {}, (-128, IDENTITY_8), -128),
        ((i16, ArraySort(i16, 513)), {}, (64, SQUARES_16), (8192 + 8256) * 64),
        ((i16, ArraySort(i16, 513)), {}, (127, EDGES_16), UNPREDICTABLE),  # V7: a step of 65535
        ((i16, ArraySort(i16, 513)), {}, (0, EDGES_16), UNPREDICTABLE),  # ... even if none of it is taken
    ],
)
def table_1(input1: Value, table: Value) -> Value:
    """int8: the entry for input1; int16: between two entries that are no more than an int16 apart, as int32."""
    if input1.sort == i16:
        return apply_lookup(table, input1, limit_slope=True)
    return lookup(table, wrap(input1, u8) ^ 128)  # input1 + 128
