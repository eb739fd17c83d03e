"""Which operator of LiteRT one takes for each operator: models of that one alone, without repairs."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from ai_edge_litert.schema_py_generated import BuiltinOperator as Codes

from lanewise.conformance.targets import litert_models
from lanewise.conformance.targets.case import Case
from lanewise.conformance.targets.copies import in_a_copy
from lanewise.conformance.targets.spelling import quantised, spelt

Array = np.ndarray[Any, Any]


def one(code: int) -> Callable[..., Array]:
    """The method that runs an operator on all operands."""

    def method(self: Any, *operands: Array, **_: Any) -> Array:
        return run(code, operands, self.output)

    return method


def run(code: int, operands: tuple[Array, ...], output: str) -> Array:
    described = [(array.dtype.name, array.shape) for array in operands]
    model = litert_models.model_of(code, described, output)
    return in_a_copy(lambda: litert_models.run(model, list(operands)))


BOUNDED = {(-1.0, 1.0): Codes.RELU_N1_TO_1, (0.0, 6.0): Codes.RELU6}


class Onnx:
    """Methods are named as lanewise's functions; keywords are attributes."""

    def __init__(self, output: str) -> None:
        self.output = output

    abs = one(Codes.ABS)
    neg = one(Codes.NEG)
    add = one(Codes.ADD)
    sub = one(Codes.SUB)
    mul: Any = one(Codes.MUL)
    div = one(Codes.DIV)
    max = one(Codes.MAXIMUM)
    min = one(Codes.MINIMUM)
    pow = one(Codes.POW)
    bitwise_and = one(Codes.STABLEHLO_AND)
    bitwise_xor = one(Codes.BITWISE_XOR)
    and_ = one(Codes.LOGICAL_AND)
    or_ = one(Codes.LOGICAL_OR)
    xor = one(Codes.NOT_EQUAL)
    not_ = one(Codes.LOGICAL_NOT)
    equal = one(Codes.EQUAL)
    less = one(Codes.LESS)
    less_or_equal = one(Codes.LESS_EQUAL)
    greater = one(Codes.GREATER)
    greater_or_equal = one(Codes.GREATER_EQUAL)
    cast: Any = one(Codes.CAST)
    where = one(Codes.SELECT_V2)

    def bit_shift(self, x: Array, y: Array, *, direction: str) -> Any:
        return run(Codes.STABLEHLO_SHIFT_LEFT if direction == "LEFT" else Codes.RIGHT_SHIFT, (x, y), self.output)

    def mod(self, a: Array, b: Array, *, fmod: bool) -> Any:
        return NotImplemented if fmod else run(Codes.FLOOR_MOD, (a, b), self.output)


class Tosa(Onnx):
    intdiv = one(Codes.DIV)
    logical_and = one(Codes.LOGICAL_AND)
    logical_or = one(Codes.LOGICAL_OR)
    logical_xor = one(Codes.NOT_EQUAL)
    logical_not = one(Codes.LOGICAL_NOT)
    logical_left_shift = one(Codes.STABLEHLO_SHIFT_LEFT)
    greater_equal = one(Codes.GREATER_EQUAL)
    select = one(Codes.SELECT_V2)

    def maximum(self, a: Array, b: Array, *, nan_mode: str = "PROPAGATE") -> Any:
        return NotImplemented if nan_mode != "PROPAGATE" else run(Codes.MAXIMUM, (a, b), self.output)

    def minimum(self, a: Array, b: Array, *, nan_mode: str = "PROPAGATE") -> Any:
        return NotImplemented if nan_mode != "PROPAGATE" else run(Codes.MINIMUM, (a, b), self.output)

    def cast(self, x: Array, *, input_unsigned: bool = False, **_: Any) -> Any:
        return NotImplemented if input_unsigned else run(Codes.CAST, (x,), self.output)

    def negate(self, x: Array, *zero_points: Array, **zeros: int) -> Any:
        return NotImplemented if quantised(zero_points, zeros) else run(Codes.NEG, (x,), self.output)

    def clamp(self, x: Array, *, min_val: Any, max_val: Any, nan_mode: str = "PROPAGATE") -> Any:
        real = x.dtype.name in ("float16", "bfloat16", "float32") and nan_mode == "PROPAGATE"
        code = BOUNDED.get((min_val, max_val)) if real else None
        return NotImplemented if code is None else run(code, (x,), self.output)

    def arithmetic_right_shift(self, a: Array, b: Array, *, round: bool) -> Any:
        return NotImplemented if round else run(Codes.RIGHT_SHIFT, (a, b), self.output)

    def logical_right_shift(self, a: Array, b: Array) -> Any:
        word = f"u{self.output}"
        return run(Codes.RIGHT_SHIFT, (a.view(word), b.view(word)), word).view(self.output)

    def mul(self, a: Array, b: Array, shift: Array) -> Any:
        narrow = a.dtype.name != self.output
        return NotImplemented if narrow or shift.item() else run(Codes.MUL, (a, b), self.output)


def runner(_: str) -> Any:
    one_element = np.ones(1, np.float32)
    model = litert_models.model_of(Codes.ADD, [("float32", (1,))] * 2, "float32")
    litert_models.run(model, [one_element] * 2)  # prepares what all copies of this process then have

    def run_case(case: Case, operands: list[Any]) -> Any:
        return spelt({"onnx": Onnx, "tosa": Tosa}, case, operands)

    run_case.version = version("ai-edge-litert")  # type: ignore[attr-defined]
    return run_case
