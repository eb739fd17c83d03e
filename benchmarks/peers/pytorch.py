"""PyTorch: its eager operators, one after the other, into the result and tensors kept for what comes between.

Fused graphs are also compiled by torch.compile, as a peer of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch

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

PLAIN = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "power": torch.pow,
} | {
    f"{kind}_{word}": getattr(torch, f"{kind}_{word}")
    for kind in ("bitwise", "logical")
    for word in ("and", "or", "xor")
}


def tensor(array: np.ndarray) -> torch.Tensor:
    """The array itself as a tensor."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def signed(array: np.ndarray) -> torch.Tensor:
    """The same bits as integers with a sign."""
    return torch.from_numpy(array.view(f"i{array.dtype.itemsize}"))


def divide(work: Work) -> Run:
    (x, y), out = map(tensor, work.inputs), tensor(work.out)
    return lambda: torch.div(x, y, rounding_mode="trunc", out=out)


def left_shift(work: Work) -> Run:
    """Words without sign have no shifts; moved to the left, the same bits with a sign are the same."""
    (x, y), out = map(signed, work.inputs), signed(work.out)
    return lambda: torch.bitwise_left_shift(x, y, out=out)


def right_shift(work: Work) -> Run | None:
    if work.out.dtype.kind == "u":
        return logical_right_shift(work)
    (x, y), out = map(tensor, work.inputs), tensor(work.out)
    return lambda: torch.bitwise_right_shift(x, y, out=out)


def logical_right_shift(work: Work) -> Run | None:
    """Bytes have a type without sign; wider words go through the next wider type, the widest has none."""
    size = work.out.dtype.itemsize
    if size == 1:
        a, b, result = (torch.from_numpy(unsigned(array)) for array in (*work.inputs, work.out))
        return lambda: torch.bitwise_right_shift(a, b, out=result)
    if size == 8:
        return None
    (x, y), out = map(signed, work.inputs), signed(work.out)
    wide = torch.empty(out.shape, dtype=torch.int32 if size == 2 else torch.int64)
    mask = (1 << size * 8) - 1

    def run() -> None:
        wide.copy_(x)
        wide.bitwise_and_(mask)
        wide.bitwise_right_shift_(y)
        out.copy_(wide)

    return run


def rounding_shift(work: Work) -> Run:
    """The bit that is shifted out last is the lowest that is left of 2 * x."""
    (x, y), out = map(tensor, work.inputs), tensor(work.out)
    last = torch.empty_like(out)

    def run() -> None:
        torch.bitwise_left_shift(x, 1, out=last)
        torch.bitwise_right_shift(last, y, out=last)
        last.bitwise_and_(1)
        torch.bitwise_right_shift(x, y, out=out)
        out.add_(last)

    return run


def widening_multiply(work: Work) -> Run:
    (x, y), out = map(tensor, work.inputs), tensor(work.out)

    def run() -> None:
        out.copy_(x)
        out.mul_(y)

    return run


def scaled_multiply(work: Work) -> Run:
    (x, y), out = map(tensor, work.inputs), tensor(work.out)
    wide = torch.empty(out.shape, dtype=torch.int64)

    def run() -> None:
        wide.copy_(x)
        wide.mul_(y)
        wide.add_(1 << 14)
        wide.bitwise_right_shift_(15)
        out.copy_(wide)

    return run


def byte_table(work: Work) -> Run:
    assert work.table is not None
    entries, places, out = tensor(np.roll(work.table, 128)), tensor(unsigned(work.inputs[0])), tensor(work.out)
    index = torch.empty(out.shape, dtype=torch.int32)

    def run() -> None:
        index.copy_(places)
        torch.index_select(entries, 0, index, out=out)

    return run


def interpolating_table(work: Work) -> Run:
    assert work.table is not None
    x, entries, out = tensor(work.inputs[0]), tensor(work.table.astype(np.int32)), tensor(work.out)
    index, fraction, following = (torch.empty(out.shape, dtype=torch.int32) for _ in range(3))

    def run() -> None:
        index.copy_(x)
        index.add_(1 << 15)
        torch.bitwise_and(index, 127, out=fraction)
        index.bitwise_right_shift_(7)
        torch.index_select(entries, 0, index, out=out)
        index.add_(1)
        torch.index_select(entries, 0, index, out=following)
        following.sub_(out)
        following.mul_(fraction)
        out.bitwise_left_shift_(7)
        out.add_(following)

    return run


def murmur3(work: Work) -> Run:
    """On signed words, as there is no arithmetic on unsigned ones: the sign is masked off what moves right."""
    h, out = map(signed, (*work.inputs, work.out))
    moved = torch.empty_like(out)
    factors = [factor - (1 << 32) for factor in MURMUR_FACTORS]

    def run() -> None:
        source = h
        for k, places in enumerate(MURMUR_SHIFTS):
            torch.bitwise_right_shift(source, places, out=moved)
            moved.bitwise_and_((1 << (32 - places)) - 1)
            torch.bitwise_xor(source, moved, out=out)
            if k < len(factors):
                out.mul_(factors[k])
            source = out

    return run


def rgb565(work: Work) -> Run:
    """On signed words, whose sign the colours do not reach."""
    red, green, blue, out = map(signed, (*work.inputs, work.out))
    part = torch.empty_like(out)

    def run() -> None:
        torch.bitwise_right_shift(red, 3, out=out)
        out.bitwise_left_shift_(11)
        torch.bitwise_right_shift(green, 2, out=part)
        part.bitwise_left_shift_(5)
        out.bitwise_or_(part)
        torch.bitwise_right_shift(blue, 3, out=part)
        out.bitwise_or_(part)

    return run


def requantise(work: Work) -> Run:
    x, out = tensor(work.inputs[0]), tensor(work.out)

    def run() -> None:
        torch.sub(x, ZERO_POINT, out=out)
        out.mul_(FACTOR)
        out.add_(1 << (PLACES - 1))
        out.bitwise_right_shift_(PLACES)
        out.clamp_(LOWEST, HIGHEST)

    return run


COMPOSED: dict[str, Callable[[Work], Run | None]] = {
    made.__name__: made
    for made in (
        divide,
        left_shift,
        right_shift,
        logical_right_shift,
        rounding_shift,
        widening_multiply,
        scaled_multiply,
        byte_table,
        interpolating_table,
        murmur3,
        rgb565,
        requantise,
    )
}


def _murmur3(out: torch.Tensor, h: torch.Tensor) -> None:
    for k, places in enumerate(MURMUR_SHIFTS):
        h = h ^ ((h >> places) & ((1 << (32 - places)) - 1))
        if k < len(MURMUR_FACTORS):
            h = h * (MURMUR_FACTORS[k] - (1 << 32))
    out.copy_(h)


def _rgb565(out: torch.Tensor, red: torch.Tensor, green: torch.Tensor, blue: torch.Tensor) -> None:
    out.copy_(((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3))


def _requantise(out: torch.Tensor, x: torch.Tensor) -> None:
    scaled = (x - ZERO_POINT) * FACTOR + (1 << (PLACES - 1))
    out.copy_((scaled >> PLACES).clamp(LOWEST, HIGHEST))


FUSED = {"murmur3": _murmur3, "rgb565": _rgb565, "requantise": _requantise}


class Compiled:
    """torch.compile on the fused graphs, into the given result; it needs a C++ compiler on the machine."""

    name = "PyTorch (compiled)"

    def contender(self, work: Work) -> Contender | None:
        if work.operation not in FUSED:
            return None
        inputs, out = tuple(map(signed, work.inputs)), signed(work.out)
        torch._dynamo.reset()
        compiled = torch.compile(FUSED[work.operation], fullgraph=True, dynamic=False)
        started = time.perf_counter()
        compiled(out, *inputs)
        prepared = time.perf_counter() - started
        return Contender(lambda: compiled(out, *inputs), lambda: work.out, prepared)


class PyTorch:
    name = "PyTorch"

    def contender(self, work: Work) -> Contender | None:
        if work.operation in PLAIN:
            function, (x, y), out = PLAIN[work.operation], map(tensor, work.inputs), tensor(work.out)
            return Contender(lambda: function(x, y, out=out), lambda: work.out)
        if work.operation in COMPOSED:
            run = COMPOSED[work.operation](work)
            return None if run is None else Contender(run, lambda: work.out)
        return None


def make(threads: int) -> list[PyTorch | Compiled]:
    torch.set_num_threads(threads)
    return [PyTorch(), Compiled()]
