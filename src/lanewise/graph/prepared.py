"""A call of one operator whose types and attributes are settled: only arrays are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.checks import checking, masked, selecting
from lanewise.engines.storage import dtype_of, is_odd
from lanewise.graph.arrays import Array
from lanewise.graph.blocks import breaks
from lanewise.graph.engines import kernel_maker
from lanewise.language.operator import Operator, Row
from lanewise.language.shapes import BROADCASTING
from lanewise.language.words import Function

SMALL = 1 << 14  # elements up to which a result is sooner copied than the requirements are looked at first


class Prepared:
    """An operator on operands of certain types, with certain attributes, in a mode, on an engine."""

    def __init__(
        self, operator: Operator, row: Row, attributes: Mapping[str, Any], function: Function, mode: str, engine: str
    ) -> None:
        self.operator = operator
        self.row = row
        self.attributes = attributes
        self.function = function
        self.native = engine == "native"
        self.make_kernel = kernel_maker(engine)
        self.kernel = self.make_kernel(masked(function) if mode == "mask" else function)
        self.mode = mode

    @cached_property
    def on_some(self) -> Function:
        """The function on the elements that a mask selects: see `selecting`."""
        return selecting(self.function)

    @cached_property
    def selecting(self) -> Any:
        return self.make_kernel(selecting(masked(self.function)) if self.mode == "mask" else self.on_some)

    @cached_property
    def checker(self) -> Any:
        return self.make_kernel(checking(self.function))

    @cached_property
    def checker_of_some(self) -> Any:
        return self.make_kernel(checking(self.on_some))

    def with_mask(self, operands: Sequence[Array], where: Array | None, out: Array | None) -> tuple[Array, ...]:
        """The operands of `on_some`: elements that are not selected are as they are in `out`, or 0."""
        if where is None:
            return tuple(operands)
        return (*operands, where, np.zeros((), dtype_of(self.row.output)) if out is None else out)

    def compute(
        self, operands: Sequence[Array], shape: tuple[int, ...], out: Array | None, where: Array | None, wary: bool
    ) -> tuple[Any, bool]:
        """The result (with "mask", and where it is unpredictable), and whether a requirement failed.

        If one did and the call is `wary`, `out` and what lies there are as they were.
        """
        kernel = self.kernel if where is None else self.selecting
        sources = self.with_mask(operands, where, out)
        looked = False
        if out is not None and wary and self._looks_first(out, operands, where):
            function = self.function if where is None else self.on_some
            checker = self.checker if where is None else self.checker_of_some
            if breaks(checking(function), sources, shape, lambda _: checker, self.native):
                return out, True
            looked = True
        outs = None if out is None else [out]
        if outs and self.mode == "mask":
            outs.append(np.empty(shape, np.bool_))
        results, broken = kernel(sources, shape, outs)
        return tuple(results) if self.mode == "mask" else results[0], broken and not looked

    def quick(
        self, operands: tuple[Array, ...], shape: tuple[int, ...], out: Array | None, where: Array | None
    ) -> tuple[Any, bool]:
        """`compute` for arrays that need nothing but the kernel."""
        kernel = self.kernel if where is None else self.selecting
        if not kernel.plain or prod(shape) > kernel.limit:
            return self.compute(operands, shape, out, where, True)
        looks = out is not None and self._looks_first(out, operands, where)
        if where is not None:
            operands = self.with_mask(operands, where, out)
        if not looks:
            return kernel.small(operands, out)  # type: ignore[no-any-return]
        if prod(shape) > SMALL:
            checker = self.checker if where is None else self.checker_of_some
            return (out, True) if checker.small(operands)[1] else (kernel.small(operands, out)[0], False)
        result, broken = kernel.small(operands)
        if not broken:
            out[...] = result  # type: ignore[index]
        return out, broken

    def _looks_first(self, out: Array, operands: Sequence[Array], where: Array | None) -> bool:
        """Whether nothing may be written before all is found well.

        Whoever may have to look again must not have overwritten what there was to see.
        """
        return (
            self.mode == "raise"
            and bool(self.function.requirements)
            and (where is not None or _may_overlap(out, operands))
        )

    def is_direct(self, operands: tuple[Any, ...], where: Any) -> bool:
        """Whether arrays of these dtypes and shapes, found right once, need nothing but the kernel.

        Shape rules that only broadcast see what NumPy sees; others may view an operand in another shape.
        """
        return (
            self.operator.shape in BROADCASTING
            and all(self.operator.argument(k).use in ("elements", "table") for k in range(len(operands)))
            and len(operands) == len(self.function.inputs)
            and all(type(operand) is np.ndarray for operand in operands)
            and not any(is_odd(sort) for sort in self.function.inputs)
            and (where is True or type(where) is np.ndarray)
        )

    def takes(self, out: Any, shape: tuple[int, ...]) -> bool:
        """Whether `out` is the right array for the result, and the only result."""
        return (
            type(out) is np.ndarray
            and self.mode != "mask"
            and out.dtype == dtype_of(self.row.output)
            and out.shape == shape
            and out.flags.writeable
        )


def _may_overlap(out: Array, operands: Sequence[Array]) -> bool:
    """Whether writing `out` may change an operand. Two arrays that own their memory overlap only if they are one."""
    if out.base is None and all(operand.base is None and operand is not out for operand in operands):
        return False
    return any(np.may_share_memory(out, operand) for operand in operands)
