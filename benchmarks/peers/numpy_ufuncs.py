"""NumPy: its ufuncs, one after the other, into the result and arrays kept for what comes between."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
    unsigned,
)

Run = Callable[[], object]

# `bitwise_` on booleans is the logical operation, and at times the faster spelling.
PLAIN = {
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "power": np.power,
} | {
    f"{kind}_{word}": getattr(np, f"bitwise_{word}") for kind in ("bitwise", "logical") for word in ("and", "or", "xor")
}


def logical_right_shift(work: Work) -> Run:
    x, y, out = map(unsigned, (*work.inputs, work.out))
    return lambda: np.right_shift(x, y, out=out)


def widening_multiply(work: Work) -> Run:
    x, y = work.inputs
    return lambda: np.multiply(x, y, out=work.out, dtype=work.out.dtype)


def scaled_multiply(work: Work) -> Run:
    (x, y), out = work.inputs, work.out
    wide = np.empty(out.shape, np.int64)

    def run() -> None:
        np.multiply(x, y, out=wide, dtype=np.int64)
        np.add(wide, 1 << 14, out=wide)
        np.right_shift(wide, 15, out=wide)
        np.copyto(out, wide, casting="unsafe")

    return run


def divide(work: Work) -> Run:
    """Through float64, which holds every int32 and whose quotients are exact enough to cut off."""
    (x, y), out = work.inputs, work.out
    quotient = np.empty(out.shape, np.float64)

    def run() -> None:
        np.divide(x, y, out=quotient)
        np.copyto(out, quotient, casting="unsafe")

    return run


def rounding_shift(work: Work) -> Run:
    """The bit that is shifted out last is the lowest that is left of 2 * x."""
    (x, y), out = work.inputs, work.out
    last = np.empty_like(out)

    def run() -> None:
        np.left_shift(x, 1, out=last)
        np.right_shift(last, y, out=last)
        np.bitwise_and(last, 1, out=last)
        np.right_shift(x, y, out=out)
        np.add(out, last, out=out)

    return run


def byte_table(work: Work) -> Run:
    """Entries in the order of the bytes without sign; indices as words, because NumPy makes them so anyway."""
    assert work.table is not None
    entries, places, out = np.roll(work.table, 128), unsigned(work.inputs[0]), work.out
    words = np.empty(out.shape, np.intp)

    def run() -> None:
        np.copyto(words, places)
        np.take(entries, words, out=out, mode="clip")

    return run


def interpolating_table(work: Work) -> Run:
    assert work.table is not None
    (x,), table, out = work.inputs, work.table.astype(np.int32), work.out
    index, fraction, following = np.empty(out.shape, np.intp), np.empty_like(out), np.empty_like(out)

    def run() -> None:
        np.add(x, 1 << 15, out=index, dtype=np.intp)
        np.bitwise_and(index, 127, out=fraction, casting="unsafe")
        np.right_shift(index, 7, out=index)
        np.take(table, index, out=out, mode="clip")
        np.add(index, 1, out=index)
        np.take(table, index, out=following, mode="clip")
        np.subtract(following, out, out=following)
        np.multiply(following, fraction, out=following)
        np.left_shift(out, 7, out=out)
        np.add(out, following, out=out)

    return run


def murmur3(work: Work) -> Run:
    (h,), out = work.inputs, work.out
    moved = np.empty_like(out)

    def run() -> None:
        source = h
        for k, places in enumerate(MURMUR_SHIFTS):
            np.right_shift(source, np.uint32(places), out=moved)
            np.bitwise_xor(source, moved, out=out)
            if k < len(MURMUR_FACTORS):
                np.multiply(out, np.uint32(MURMUR_FACTORS[k]), out=out)
            source = out

    return run


def rgb565(work: Work) -> Run:
    (red, green, blue), out = work.inputs, work.out
    part = np.empty_like(out)

    def run() -> None:
        np.right_shift(red, 3, out=out)
        np.left_shift(out, 11, out=out)
        np.right_shift(green, 2, out=part)
        np.left_shift(part, 5, out=part)
        np.bitwise_or(out, part, out=out)
        np.right_shift(blue, 3, out=part)
        np.bitwise_or(out, part, out=out)

    return run


def requantise(work: Work) -> Run:
    (x,), out = work.inputs, work.out

    def run() -> None:
        np.subtract(x, ZERO_POINT, out=out)
        np.multiply(out, FACTOR, out=out)
        np.add(out, 1 << (PLACES - 1), out=out)
        np.right_shift(out, PLACES, out=out)
        np.clip(out, LOWEST, HIGHEST, out=out)

    return run


COMPOSED = {
    made.__name__: made
    for made in (
        logical_right_shift,
        widening_multiply,
        scaled_multiply,
        divide,
        rounding_shift,
        byte_table,
        interpolating_table,
        murmur3,
        rgb565,
        requantise,
    )
}


class NumPy:
    name = "NumPy"

    def contender(self, work: Work) -> Contender | None:
        if work.operation in PLAIN:
            ufunc, (x, y), out = PLAIN[work.operation], work.inputs, work.out
            return Contender(lambda: ufunc(x, y, out=out), lambda: out)
        if work.operation in COMPOSED:
            return Contender(COMPOSED[work.operation](work), lambda: work.out)
        return None


def make(threads: int) -> list[NumPy]:
    """NumPy computes on the caller's thread alone."""
    return [NumPy()]
