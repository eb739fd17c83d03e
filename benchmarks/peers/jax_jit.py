"""JAX: a jitted function compiled for the arrays' shapes, which reads them in place.

It may write over the result of the run before (a donated buffer): without that, fresh memory for
every result would be most of its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.work import (
    FACTOR,
    HIGHEST,
    LOWEST,
    MURMUR_FACTORS,
    MURMUR_SHIFTS,
    PLACES,
    ZERO_POINT,
    Contender,
    Work,
)

PLAIN = {
    "left_shift": lax.shift_left,
    "logical_right_shift": lax.shift_right_logical,
    "add": lax.add,
    "subtract": lax.sub,
    "multiply": lax.mul,
    "divide": lax.div,  # of integers: towards zero
    "maximum": lax.max,
    "minimum": lax.min,
    "power": lax.pow,
    "bitwise_and": lax.bitwise_and,
    "bitwise_or": lax.bitwise_or,
    "bitwise_xor": lax.bitwise_xor,
    "logical_and": lax.bitwise_and,
    "logical_or": lax.bitwise_or,
    "logical_xor": lax.bitwise_xor,
}


def right_shift(x: Any, y: Any) -> Any:
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    return (lax.shift_right_arithmetic if signed else lax.shift_right_logical)(x, y)


def rounding_shift(x: Any, y: Any) -> Any:
    """The bit that is shifted out last is the lowest that is left of 2 * x."""
    return lax.shift_right_arithmetic(x, y) + (lax.shift_right_arithmetic(x << 1, y) & 1)


def widening_multiply(x: Any, y: Any) -> Any:
    return x.astype(jnp.int32) * y.astype(jnp.int32)


def scaled_multiply(x: Any, y: Any) -> Any:
    return ((x.astype(jnp.int64) * y.astype(jnp.int64) + (1 << 14)) >> 15).astype(jnp.int32)


def byte_table(x: Any, table: Any) -> Any:
    """Entries in the order of the bytes without sign."""
    places = lax.bitcast_convert_type(x, jnp.uint8).astype(jnp.int32)
    return table.at[places].get(mode="promise_in_bounds")


def interpolating_table(x: Any, table: Any) -> Any:
    code = x.astype(jnp.int32) + (1 << 15)
    index = code >> 7
    base = table.at[index].get(mode="promise_in_bounds")
    following = table.at[index + 1].get(mode="promise_in_bounds")
    return base * 128 + (following - base) * (code & 127)


def murmur3(h: Any) -> Any:
    for k, places in enumerate(MURMUR_SHIFTS):
        h ^= h >> places
        if k < len(MURMUR_FACTORS):
            h *= np.uint32(MURMUR_FACTORS[k])
    return h


def rgb565(red: Any, green: Any, blue: Any) -> Any:
    return ((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3)


def requantise(x: Any) -> Any:
    return jnp.clip(((x - ZERO_POINT) * FACTOR + (1 << (PLACES - 1))) >> PLACES, LOWEST, HIGHEST)


FUSED = {formula.__name__: formula for formula in (murmur3, rgb565, requantise)}
COMPOSED = {
    formula.__name__: formula
    for formula in (
        right_shift,
        rounding_shift,
        widening_multiply,
        scaled_multiply,
        byte_table,
        interpolating_table,
    )
}
TABLES = {
    "byte_table": lambda table: np.roll(table, 128),
    "interpolating_table": lambda table: table.astype(np.int32),
}
FORMULAS: dict[str, Callable[..., Any]] = {**PLAIN, **COMPOSED, **FUSED}


class Jax:
    name = "JAX"

    def contender(self, work: Work) -> Contender | None:
        formula = FORMULAS.get(work.operation)
        return None if formula is None else _contender(formula, work, over_the_last=True)


class JaxNewMemory:
    """Fused graphs once more, with fresh memory for every result: what a call that donates nothing costs."""

    name = "JAX (new memory)"

    def contender(self, work: Work) -> Contender | None:
        formula = FUSED.get(work.operation)
        return None if formula is None else _contender(formula, work, over_the_last=False)


def _contender(formula: Callable[..., Any], work: Work, over_the_last: bool) -> Contender:
    tables = () if work.table is None else (jnp.asarray(TABLES[work.operation](work.table)),)
    operands = (*(jax.device_put(array, may_alias=True) for array in work.inputs), *tables)
    latest = [jnp.zeros(work.out.shape if over_the_last else 1, work.out.dtype)]
    function = jax.jit(
        lambda last, *given: formula(*given), donate_argnums=0 if over_the_last else None, keep_unused=True
    )
    started = time.perf_counter()
    compiled = function.lower(latest[0], *operands).compile()
    prepared = time.perf_counter() - started
    if over_the_last:

        def run() -> None:
            latest[0] = compiled(latest[0], *operands).block_until_ready()

    else:
        unused = latest[0]

        def run() -> None:
            latest[0] = compiled(unused, *operands).block_until_ready()

    return Contender(run, lambda: np.asarray(latest[0]).copy(), prepared)


def make(threads: int) -> list[Jax | JaxNewMemory]:
    """JAX takes all cores; how many is no setting of its own."""
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    return [Jax(), JaxNewMemory()]
