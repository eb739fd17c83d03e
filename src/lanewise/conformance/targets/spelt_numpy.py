"""How one writes each operator in NumPy: the natural spelling, without repairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Case
from lanewise.conformance.targets.spelling import OnnxAlike, TosaAlike, spelt
from lanewise.engines.storage import dtype_of
from lanewise.language.sorts import BY_NAME


def typed(name: str) -> Any:
    return dtype_of(BY_NAME[name])


def converted(x: Any, name: str) -> Any:
    return x.astype(typed(name))


class Onnx(OnnxAlike):
    """Methods are named as lanewise's functions; keywords are attributes."""

    library = np
    power = staticmethod(np.power)
    typed = staticmethod(typed)
    converted = staticmethod(converted)
    abs = staticmethod(np.abs)
    neg = staticmethod(np.negative)
    add = staticmethod(np.add)
    sub = staticmethod(np.subtract)
    mul = staticmethod(np.multiply)
    where = staticmethod(np.where)
    identity = staticmethod(np.copy)
    bitwise_and = staticmethod(np.bitwise_and)
    bitwise_or = staticmethod(np.bitwise_or)
    bitwise_xor = staticmethod(np.bitwise_xor)
    bitwise_not = staticmethod(np.bitwise_not)
    and_ = staticmethod(np.logical_and)
    or_ = staticmethod(np.logical_or)
    xor = staticmethod(np.logical_xor)
    not_ = staticmethod(np.logical_not)
    equal = staticmethod(np.equal)
    less = staticmethod(np.less)
    less_or_equal = staticmethod(np.less_equal)
    greater = staticmethod(np.greater)
    greater_or_equal = staticmethod(np.greater_equal)

    def bit_shift(self, x: Any, y: Any, *, direction: str) -> Any:
        return np.left_shift(x, y) if direction == "LEFT" else np.right_shift(x, y)

    def div(self, a: Any, b: Any) -> Any:
        return np.floor_divide(a, b) if a.dtype.kind in "iu" else np.divide(a, b)

    def mod(self, a: Any, b: Any, *, fmod: bool) -> Any:
        return np.fmod(a, b) if fmod else np.mod(a, b)

    def clip(self, x: Any, min: Any = None, max: Any = None) -> Any:
        return np.clip(x, min, max)


class Tosa(TosaAlike, Onnx):
    greater_equal = staticmethod(np.greater_equal)
    logical_not = staticmethod(np.logical_not)
    reciprocal = staticmethod(np.reciprocal)
    select = staticmethod(np.where)
    logical_and = staticmethod(np.logical_and)
    logical_or = staticmethod(np.logical_or)
    logical_xor = staticmethod(np.logical_xor)
    logical_left_shift = staticmethod(np.left_shift)
    intdiv = staticmethod(np.floor_divide)

    def arithmetic_right_shift(self, a: Any, b: Any, *, round: bool) -> Any:
        last_out = np.where(b > 0, np.right_shift(a, b - 1) & 1, 0).astype(a.dtype)
        return np.right_shift(a, b) + last_out if round else np.right_shift(a, b)

    def logical_right_shift(self, a: Any, b: Any) -> Any:
        word = a.dtype.str.replace("i", "u")
        return np.right_shift(a.view(word), b.view(word)).view(a.dtype)

    def mul(self, a: Any, b: Any, shift: Any) -> Any:  # type: ignore[override]
        if a.dtype == np.int32 and shift.item():
            wide = a.astype(np.int64) * b
            return ((wide + (1 << (shift.item() - 1))) >> shift.item()).astype(np.int32)
        return converted(a, self.output) * converted(b, self.output)

    def table(self, x: Any, table: Any) -> Any:
        return table[x.astype(np.int64) + 128] if x.dtype == np.int8 else NotImplemented


def runner(_: str) -> Any:
    def run(case: Case, operands: list[Any]) -> Any:
        return spelt({"onnx": Onnx, "tosa": Tosa}, case, operands)

    run.version = np.__version__  # type: ignore[attr-defined]
    run.layouts = ("strided", "reversed")  # type: ignore[attr-defined]
    return run
