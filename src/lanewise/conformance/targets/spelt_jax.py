"""How one writes each operator in JAX (with 64-bit types on): the natural spelling, without repairs."""

from __future__ import annotations

from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lanewise.conformance.targets.case import Case
from lanewise.conformance.targets.spelling import OnnxAlike, TosaAlike, spelt
from lanewise.engines.storage import dtype_of
from lanewise.language.operator import Argument
from lanewise.language.sorts import BY_NAME
from lanewise.operators.catalogue import find


def typed(name: str) -> Any:
    return dtype_of(BY_NAME[name])


def converted(x: Any, name: str) -> Any:
    return x.astype(typed(name))


class Onnx(OnnxAlike):
    """Methods are named as lanewise's functions; keywords are attributes."""

    library = jnp
    power = staticmethod(jnp.power)
    typed = staticmethod(typed)
    converted = staticmethod(converted)
    abs = staticmethod(jnp.abs)
    neg = staticmethod(jnp.negative)
    add = staticmethod(jnp.add)
    sub = staticmethod(jnp.subtract)
    mul: Any = staticmethod(jnp.multiply)
    where = staticmethod(jnp.where)
    identity = staticmethod(jnp.copy)
    bitwise_and = staticmethod(jnp.bitwise_and)
    bitwise_or = staticmethod(jnp.bitwise_or)
    bitwise_xor = staticmethod(jnp.bitwise_xor)
    bitwise_not = staticmethod(jnp.bitwise_not)
    and_ = staticmethod(jnp.logical_and)
    or_ = staticmethod(jnp.logical_or)
    xor = staticmethod(jnp.logical_xor)
    not_ = staticmethod(jnp.logical_not)
    equal = staticmethod(jnp.equal)
    less = staticmethod(jnp.less)
    less_or_equal = staticmethod(jnp.less_equal)
    greater = staticmethod(jnp.greater)
    greater_or_equal = staticmethod(jnp.greater_equal)

    def bit_shift(self, x: Any, y: Any, *, direction: str) -> Any:
        return jnp.left_shift(x, y) if direction == "LEFT" else jnp.right_shift(x, y)

    def div(self, a: Any, b: Any) -> Any:
        return jax.lax.div(*jnp.broadcast_arrays(a, b))

    def mod(self, a: Any, b: Any, *, fmod: bool) -> Any:
        return jnp.fmod(a, b) if fmod else jnp.mod(a, b)

    def clip(self, x: Any, min: Any = None, max: Any = None) -> Any:
        return jnp.clip(x, min, max)


class Tosa(TosaAlike, Onnx):
    greater_equal = staticmethod(jnp.greater_equal)
    logical_not = staticmethod(jnp.logical_not)
    reciprocal = staticmethod(jnp.reciprocal)
    select = staticmethod(jnp.where)
    clz = staticmethod(jax.lax.clz)
    logical_and = staticmethod(jnp.logical_and)
    logical_or = staticmethod(jnp.logical_or)
    logical_xor = staticmethod(jnp.logical_xor)
    logical_left_shift = staticmethod(jnp.left_shift)

    def intdiv(self, a: Any, b: Any) -> Any:
        return jax.lax.div(*jnp.broadcast_arrays(a, b))

    def arithmetic_right_shift(self, a: Any, b: Any, *, round: bool) -> Any:
        return (a >> b) + jnp.where(b > 0, (a >> (b - 1)) & 1, jnp.zeros_like(b)) if round else a >> b

    def logical_right_shift(self, a: Any, b: Any) -> Any:
        return jax.lax.shift_right_logical(*jnp.broadcast_arrays(a, b))

    def mul(self, a: Any, b: Any, shift: Any) -> Any:
        places = shift.item()
        if a.dtype == np.int32 and places:
            return ((a.astype(np.int64) * b + (1 << (places - 1))) >> places).astype(np.int32)
        return converted(a, self.output) * converted(b, self.output)

    def table(self, x: Any, table: Any) -> Any:
        return table[x.astype(np.int32) + 128] if x.dtype == np.int8 else NotImplemented


KEPT = 200  # requests after which what was compiled is let go
FEW_SHAPES = 8192  # JAX compiles for each shape, so that batches are filled up to a multiple


def _padded(case: Case, operands: list[Any]) -> list[Any]:
    """A batch with its elements repeated at the end; numbers, tables and grids as they are."""
    record = find(case.specification, case.operator, case.version)
    size = operands[0].size
    return [
        np.resize(array, -(-size // FEW_SHAPES) * FEW_SHAPES)
        if array is not None and array.shape == (size,) and _varies(record.argument(k))
        else array
        for k, array in enumerate(operands)
    ]


def _varies(argument: Argument) -> bool:
    return argument.use == "elements" and argument.ranks != (0, 0)


def runner(_: str) -> Any:
    jax.config.update("jax_enable_x64", True)

    asked = count(1)

    def run(case: Case, operands: list[Any]) -> Any:
        if next(asked) % KEPT == 0:
            jax.clear_caches()  # every question compiles, and nothing is asked twice
        given = [None if array is None else jnp.asarray(array) for array in _padded(case, operands)]
        result = np.asarray(spelt({"onnx": Onnx, "tosa": Tosa}, case, given))
        return result[: operands[0].size] if result.ndim == 1 else result

    run.version = jax.__version__  # type: ignore[attr-defined]
    return run
