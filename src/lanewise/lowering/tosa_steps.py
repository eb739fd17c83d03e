"""Steps that rules with a TOSA target share: shapes, which are an attribute at 0.23.0 and an operand later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from lanewise.language.sorts import boolean
from lanewise.lowering.rule import Refused
from lanewise.lowering.steps import GraphSteps, Wire

LARGEST_REPEAT = 1 << 24  # elements of a constant that spells a repetition out


def reshaped(t: GraphSteps, wire: Wire, shape: Sequence[int]) -> Wire:
    """The elements in another shape."""
    name = "new_shape" if t.version == "0.23.0" else "shape"
    made: Wire = t("RESHAPE", wire, **{name: list(shape)})
    return replace(made, rank=len(shape))


def repeated(t: GraphSteps, wire: Wire, shape: Sequence[int], instead: str) -> Wire:
    """A tensor repeated into a shape: a choice between it and itself, by a condition of the full shape."""
    if prod(shape) > LARGEST_REPEAT:
        raise Refused(
            f"a tensor is repeated into a result of shape {list(shape)}, which TOSA's elementwise operators do by a "
            f"constant of that shape; allowed are {LARGEST_REPEAT:,} elements. {instead}"
        )
    condition = Wire(t.builder.constant(np.ones(shape, np.bool_), boolean), boolean, len(shape))
    made: Wire = t("SELECT", condition, wire, wire)
    return made
