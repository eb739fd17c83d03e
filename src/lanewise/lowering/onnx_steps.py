"""Steps that rules with an ONNX target share: casts, shapes, and lists of numbers as constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lanewise.language.sorts import Sort, i64
from lanewise.lowering.rule import Refused
from lanewise.lowering.steps import GraphSteps, Steps, Term, Wire

ALLOWZERO = 14  # the first opset whose Reshape can ask for a size of 0


def cast(t: Steps, value: Term, sort: Sort) -> Term:
    """The value as a number of that type; no node if it has it already."""
    return value if value.sort == sort else t("Cast", value, to=sort)


def numbers(t: GraphSteps, values: Sequence[int]) -> Wire:
    """A shape or axes, as an operand."""
    return Wire(t.builder.constant(np.array(values, np.int64), i64), i64, 1)


def reshaped(t: GraphSteps, wire: Wire, shape: Sequence[int], allowzero: bool = True) -> Wire:
    """The elements in another shape, whose sizes of 0 are meant unless `allowzero` is False."""
    zero = allowzero and 0 in shape
    if zero and int(t.version) < ALLOWZERO:
        raise Refused(
            f"a tensor takes shape {list(shape)}, and Reshape reads 0 as the size it had before opset {ALLOWZERO}; "
            f"lower to opset {ALLOWZERO} or later"
        )
    keywords = {"allowzero": True} if zero else {}
    made: Wire = t("Reshape", wire, numbers(t, shape), **keywords)
    return replace(made, rank=len(shape))


def expanded(t: GraphSteps, wire: Wire, shape: Sequence[int]) -> Wire:
    """A tensor repeated into a shape."""
    made: Wire = t("Expand", wire, numbers(t, shape))
    return replace(made, rank=len(shape))
