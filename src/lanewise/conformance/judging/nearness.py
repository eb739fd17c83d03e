"""Results that need not be the nearest number: how far a specification lets them be from it."""

from __future__ import annotations

from lanewise.conformance.comparison import Bound, bound_of, last_place_bound
from lanewise.conformance.judging.cells import Cell
from lanewise.language.sorts import bf16


def allowed_distance(cell: Cell) -> Bound | None:
    """The bound, in units of the last place; None where a result is right to the bit.

    Powers have their own. From TOSA 1.0 on a reciprocal, and in 1.1 sums, differences and products of
    bfloat16, may be one unit away from the nearest number.
    """
    sort, version = cell.row.output, cell.record.release.since
    if sort.kind != "float":
        return None
    if cell.operator == "pow":
        return bound_of(None, sort, str(version), "")
    if cell.specification != "tosa" or version == "0.23.0":
        return None
    if cell.operator == "reciprocal":
        return last_place_bound
    if sort == bf16 and version == "1.1" and cell.operator in ("add", "sub", "mul"):
        return last_place_bound
    return None
