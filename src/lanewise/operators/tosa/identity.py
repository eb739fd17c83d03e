"""IDENTITY, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import boolean, f32, i4, i32, i48, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import (
    DATA_NODES,
    FLOAT,
    INT4,
    INT16,
    INT64,
    PLAIN,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    moved,
    profiled,
    same,
    tosa,
)


@from_1_0(
    "IDENTITY",
    DATA_NODES,
    rows=[*moved(same(1)), *profiled(INT4, (i4, i4)), *profiled(INT16, (i48, i48)), *floating(same(1))],
    added=profiled(INT64, (i64, i64)),
    shape=unary,
    examples=[
        ((i4,), {}, (-7,), -7),
        ((i48,), {}, (-(1 << 47),), -(1 << 47)),
        ((f32,), {}, (-0.0,), -0.0),
    ],
    added_examples=[
        ((i64,), {}, (-(1 << 63),), -(1 << 63)),
    ],
)
@operator(
    "IDENTITY",
    tosa("0.23.0", DATA_NODES),
    rows=[*any_profile(*((t, t) for t in PLAIN)), *main_profiles((t, t) for t in FLOAT)],
    shape=unary,
    examples=[
        ((i32,), {}, (-7,), -7),
        ((boolean,), {}, (True,), True),
        ((f32,), {}, (-0.0,), -0.0),
    ],
)
def identity(input1: Value) -> Value:
    """input1, unchanged."""
    return input1
