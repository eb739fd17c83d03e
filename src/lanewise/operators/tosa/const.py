"""CONST, TOSA."""

from typing import Any

from lanewise.language.attributes import anything
from lanewise.language.operator import operator
from lanewise.language.shapes import unary
from lanewise.language.sorts import i4, i48, i64
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
    "CONST",
    DATA_NODES,
    rows=[*moved(same(0)), *profiled(INT4, (i4,)), *profiled(INT16, (i48,)), *floating(same(0))],
    added=profiled(INT64, (i64,)),
    attributes={"value": anything("an array")},
    shape=unary,
    constant=True,
)
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
