"""How one writes each operator in PyTorch: the natural spelling, without repairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from lanewise.conformance.targets.case import Case
from lanewise.conformance.targets.spelling import OnnxAlike, TosaAlike, spelt


def typed(name: str) -> Any:
    return getattr(torch, name)


def converted(x: Any, name: str) -> Any:
    return x.to(typed(name))


class Onnx(OnnxAlike):
    """Methods are named as lanewise's functions; keywords are attributes."""

    library = torch
    power = staticmethod(torch.pow)
    typed = staticmethod(typed)
    converted = staticmethod(converted)
    abs = staticmethod(torch.abs)
    neg = staticmethod(torch.neg)
    add = staticmethod(torch.add)
    sub = staticmethod(torch.sub)
    mul: Any = staticmethod(torch.mul)
    where = staticmethod(torch.where)
    identity = staticmethod(torch.clone)
    bitwise_and = staticmethod(torch.bitwise_and)
    bitwise_or = staticmethod(torch.bitwise_or)
    bitwise_xor = staticmethod(torch.bitwise_xor)
    bitwise_not = staticmethod(torch.bitwise_not)
    and_ = staticmethod(torch.logical_and)
    or_ = staticmethod(torch.logical_or)
    xor = staticmethod(torch.logical_xor)
    not_ = staticmethod(torch.logical_not)
    equal = staticmethod(torch.eq)
    less = staticmethod(torch.lt)
    less_or_equal = staticmethod(torch.le)
    greater = staticmethod(torch.gt)
    greater_or_equal = staticmethod(torch.ge)

    def bit_shift(self, x: Any, y: Any, *, direction: str) -> Any:
        return torch.bitwise_left_shift(x, y) if direction == "LEFT" else torch.bitwise_right_shift(x, y)

    def div(self, a: Any, b: Any) -> Any:
        return torch.div(a, b) if a.dtype.is_floating_point else torch.div(a, b, rounding_mode="trunc")

    def mod(self, a: Any, b: Any, *, fmod: bool) -> Any:
        return torch.fmod(a, b) if fmod else torch.remainder(a, b)

    def clip(self, x: Any, min: Any = None, max: Any = None) -> Any:
        return x if min is None and max is None else torch.clamp(x, min, max)


class Tosa(TosaAlike, Onnx):
    greater_equal = staticmethod(torch.ge)
    logical_not = staticmethod(torch.logical_not)
    reciprocal = staticmethod(torch.reciprocal)
    select = staticmethod(torch.where)
    logical_and = staticmethod(torch.logical_and)
    logical_or = staticmethod(torch.logical_or)
    logical_xor = staticmethod(torch.logical_xor)
    logical_left_shift = staticmethod(torch.bitwise_left_shift)

    def intdiv(self, a: Any, b: Any) -> Any:
        return torch.div(a, b, rounding_mode="trunc")

    def arithmetic_right_shift(self, a: Any, b: Any, *, round: bool) -> Any:
        return (a >> b) + torch.where(b > 0, (a >> (b - 1)) & 1, torch.zeros_like(b)) if round else a >> b

    def logical_right_shift(self, a: Any, b: Any) -> Any:
        word = getattr(torch, "u" + str(a.dtype).removeprefix("torch."))
        return (a.view(word) >> b.view(word)).view(a.dtype)

    def mul(self, a: Any, b: Any, shift: Any) -> Any:
        places = shift.item()
        if a.dtype == torch.int32 and places:
            return ((a.long() * b.long() + (1 << (places - 1))) >> places).to(torch.int32)
        return converted(a, self.output) * converted(b, self.output)

    def table(self, x: Any, table: Any) -> Any:
        return table[x.long() + 128] if x.dtype == torch.int8 else NotImplemented


def runner(_: str) -> Any:
    torch.set_num_threads(1)

    def run(case: Case, operands: list[Any]) -> Any:
        given = [None if array is None else _to_torch(array) for array in operands]
        return _to_numpy(spelt({"onnx": Onnx, "tosa": Tosa}, case, given))

    run.version = torch.__version__  # type: ignore[attr-defined]
    run.layouts = ("strided",)  # type: ignore[attr-defined]
    return run


def _to_torch(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array.copy() if min(array.strides, default=1) < 0 else array)


def _to_numpy(result: Any) -> Any:
    if result.dtype == torch.bfloat16:
        import ml_dtypes

        return result.contiguous().view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return result.numpy()
