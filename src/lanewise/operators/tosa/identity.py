"""IDENTITY, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import boolean, f32, i32
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import DATA_NODES, FLOAT, PLAIN, any_profile, main_profiles, tosa


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
