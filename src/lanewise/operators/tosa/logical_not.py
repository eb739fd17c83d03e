"""LOGICAL_NOT, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import boolean
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import UNARY, any_profile, tosa


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
