"""LOGICAL_XOR, TOSA."""

from lanewise.language.operator import operator
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import boolean
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import BINARY, FP, INT, any_profile, from_1_0, profiled, tosa


@from_1_0(
    "LOGICAL_XOR",
    BINARY,
    rows=profiled((INT, FP), (boolean, boolean, boolean)),
    shape=same_rank,
    examples=[
        ((boolean, boolean), {}, (True, False), True),
    ],
)
@operator(
    "LOGICAL_XOR",
    tosa("0.23.0", BINARY),
    rows=any_profile((boolean, boolean, boolean)),
    shape=same_rank,
    examples=[
        ((boolean, boolean), {}, (False, False), False),
        ((boolean, boolean), {}, (False, True), True),
        ((boolean, boolean), {}, (True, False), True),
        ((boolean, boolean), {}, (True, True), False),
    ],
)
def logical_xor(input1: Value, input2: Value) -> Value:
    """input1 XOR input2: whether exactly one is true."""
    return input1 ^ input2
