"""A library's spelling of a case, by the operator's Python name; and what NumPy, PyTorch and JAX spell alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Case, NotThere
from lanewise.engines.storage import dtype_of
from lanewise.graph.signature import python_name
from lanewise.language.sorts import BY_NAME
from lanewise.operators.catalogue import find


def spelt(classes: Mapping[str, type], case: Case, operands: list[Any]) -> Any:
    """The result of the method that is named as the operator; NotThere if the library has no such thing."""
    written = getattr(classes[case.specification](case.output), python_name(case.operator), None)
    attributes = {**_default_bounds(case), **case.attributes}
    result = NotImplemented if written is None else written(*operands, **attributes)
    if result is NotImplemented:
        raise NotThere(f"{case.operator} has no spelling of its own there")
    return result


def _default_bounds(case: Case) -> dict[str, float]:
    """The bounds that Clip has as attributes where none are given, in the type of its input."""
    if python_name(case.operator) != "clip":
        return {}
    kind = dtype_of(BY_NAME[case.output]).type
    attributes = find(case.specification, case.operator, case.version).attributes
    with np.errstate(over="ignore"):
        return {name: float(kind(one.default)) for name, one in attributes.items() if isinstance(one.default, float)}


class OnnxAlike:
    """Methods are named as lanewise's functions, keywords are attributes. A library is its module and a few words."""

    library: Any
    power: Any
    typed: Any  # a name of a type → the library's own
    converted: Any  # an array, and a name → the array as one of that type

    def __init__(self, output: str) -> None:
        self.output = output

    def max(self, first: Any, *others: Any) -> Any:
        return reduce(self.library.maximum, others, first)

    def min(self, first: Any, *others: Any) -> Any:
        return reduce(self.library.minimum, others, first)

    def pow(self, x: Any, y: Any) -> Any:
        return self.converted(self.power(x, y), self.output)

    def cast(self, x: Any, *, to: str = "") -> Any:
        return self.converted(x, self.output)


class TosaAlike(OnnxAlike):
    """The same of TOSA: attributes that are operands at later versions are taken either way."""

    def pow(self, x: Any, y: Any) -> Any:
        return self.power(x, y)

    def maximum(self, a: Any, b: Any, *, nan_mode: str = "PROPAGATE") -> Any:
        return self.library.maximum(a, b) if nan_mode == "PROPAGATE" else self.library.fmax(a, b)

    def minimum(self, a: Any, b: Any, *, nan_mode: str = "PROPAGATE") -> Any:
        return self.library.minimum(a, b) if nan_mode == "PROPAGATE" else self.library.fmin(a, b)

    def clamp(self, x: Any, *, min_val: Any, max_val: Any, nan_mode: str = "PROPAGATE") -> Any:
        if nan_mode == "PROPAGATE":
            return self.library.clip(x, min_val, max_val)
        low, high = (self.library.full_like(x, bound) for bound in (min_val, max_val))
        return self.library.fmin(self.library.fmax(x, low), high)

    def negate(self, x: Any, *zero_points: Any, **zeros: int) -> Any:
        return NotImplemented if quantised(zero_points, zeros) else self.library.negative(x)

    def cast(self, x: Any, *, to: str = "", output_type: str = "", input_unsigned: bool = False) -> Any:
        if input_unsigned:
            x = x.view(self.typed(f"u{_name(x)}"))
        return self.converted(x, self.output)

    def rescale(
        self,
        x: Any,
        multiplier: Any,
        shift: Any,
        *zero_points: Any,
        input_zp: int = 0,
        output_zp: int = 0,
        double_round: bool = False,
        rounding_mode: str = "SINGLE_ROUND",
        input_unsigned: bool = False,
        output_unsigned: bool = False,
        **_: Any,
    ) -> Any:
        """Products in 64 bits, rounded by half of what is shifted out."""
        if double_round or rounding_mode != "SINGLE_ROUND" or input_unsigned or output_unsigned:
            return NotImplemented
        if zero_points:
            input_zp, output_zp = (point.item() for point in zero_points)
        places, sort = shift.item(), BY_NAME[self.output]
        product = (self.converted(x, "int64") - input_zp) * multiplier.item()
        scaled = (product + (1 << (places - 1))) >> places
        return self.converted(self.library.clip(scaled + output_zp, sort.lowest, sort.highest), self.output)


def quantised(zero_points: tuple[Any, ...], zeros: Mapping[str, int]) -> bool:
    """Whether some zero point, an operand or an attribute, is not 0."""
    return any(zeros.values()) or any(point.item() for point in zero_points)


def _name(x: Any) -> str:
    """An array's type by its name."""
    return str(x.dtype).removeprefix("torch.")
