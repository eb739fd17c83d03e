"""CONST, TOSA."""

from typing import Any

from lanewise.language.attributes import anything
from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.operators.tosa.rows import DATA_NODES, FLOAT, PLAIN, any_profile, main_profiles, tosa


@operator(
    "CONST",
    tosa("0.23.0", DATA_NODES),
    rows=[*any_profile(*((t,) for t in PLAIN)), *main_profiles((t,) for t in FLOAT)],
    attributes={"value": anything("an array")},
    shape=unary,
    constant=True,
)
def const(*, value: Any) -> tuple[Any, None]:
    """value, a tensor that the graph fixes; its own element type is the result's."""
    return value, None
