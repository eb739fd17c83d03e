"""LOGICAL_NOT, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import boolean
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import FP, INT, UNARY, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "LOGICAL_NOT",
    UNARY,
    rows=profiled((INT, FP), (boolean, boolean)),
    shape=unary,
    examples=[
        ((boolean,), {}, (False,), True),
    ],
)
@operator(
    "LOGICAL_NOT",
    tosa("0.23.0", UNARY),
    rows=any_profile((boolean, boolean)),
    shape=unary,
    examples=[((boolean,), {}, (False,), True), ((boolean,), {}, (True,), False)],
)
def logical_not(input1: Value) -> Value:
    """NOT input1: whether it is false."""
    return ~input1
