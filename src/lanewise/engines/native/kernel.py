"""Running a compiled function on arrays: one call for small work, slices on several threads for large."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.exact import fold
from lanewise.engines.native import pool, target, threads
from lanewise.engines.native.copies import ALIGN
from lanewise.engines.native.loop import NAME, LoopBuilder
from lanewise.engines.native.ufunc import STREAM_BYTES, Ufunc
from lanewise.engines.simplify import simplify
from lanewise.engines.storage import dtype_of, raw
from lanewise.language.nodes import postorder
from lanewise.language.sorts import ArraySort
from lanewise.language.words import Function

Array = np.ndarray[Any, Any]

# From here on helpers of the pool that are awake save time. To wake one costs some microseconds, which are saved from a
# few megabytes on only; calls that come one after the other pay once.
SPREAD_BYTES = 1 << 20
SPLIT_BYTES = 10 << 20  # the same of Python's threads
HEAVY = {"fpow": 128, "frem": 128}  # nodes that take as long as moving so many bytes
PARTS = 4  # for each thread, so that all end at about the same time
PART = 1 << 12  # parts of contiguous work are a multiple of this many elements
KEPT = 256  # kernels remembered; the oldest go first


class NativeKernel:
    """A compiled function. What proves the simplifier's rules asks for a kernel that does not use them.

    One that is not optimised computes the same, more slowly, and takes a third of the time to be made.
    """

    def __init__(
        self, function: Function, features: str | None = None, simplified: bool = True, optimised: bool = True
    ) -> None:
        features = target.host_features() if features is None else features
        function = simplify(function) if simplified else fold(function)
        roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
        floats = any(_computes_floats(node.kind) for node in postorder(roots))
        own_flags = floats and target.has_mxcsr()
        text = LoopBuilder(function, target.abilities(features), own_flags).build()
        self._compiled = target.Compiled(text, NAME, features, optimised)
        self._arrays = [k for k, sort in enumerate(function.inputs) if isinstance(sort, ArraySort)]
        inputs = [np.dtype(np.int64) if isinstance(s, ArraySort) else _plain(s) for s in function.inputs]
        self._outputs = [dtype_of(sort) for sort in function.outputs]
        self._types = inputs, [_plain(sort) for sort in function.outputs]
        self._ufunc = Ufunc(self._compiled.address, *self._types)
        self._streaming = Ufunc(self._compiled.address, *self._types, stream_from=ALIGN)
        self._spreading: Ufunc | None = None
        self._views = any(dtype.name == "bfloat16" for dtype in map(dtype_of, (*function.inputs, *function.outputs)))
        # What an element takes, in bytes moved.
        self._cost = sum(dtype.itemsize for dtype in (*inputs, *self._outputs))
        self._cost += sum(HEAVY.get(node.kind, 0) for node in postorder(roots))
        # Guarded lanes raise the processor's float flags; NumPy would warn about elements nobody asked for.
        self._quiet = floats and not own_flags
        self.checks = bool(function.requirements)

    def __call__(
        self, operands: Sequence[Array], shape: tuple[int, ...], outs: Sequence[Array] | None = None
    ) -> tuple[list[Array], bool]:
        """The results, and whether some requirement failed for some element.

        `shape` is the result's; the operands broadcast to it. `outs` are written if given.
        """
        results = (
            list(outs)
            if outs is not None
            else [np.empty(shape, dtype, order=_order(operands, shape)) for dtype in self._outputs]
        )
        sources, targets, _tables = self._arguments(operands, results)
        size = prod(shape)
        if size <= self.limit or threads.get_threads() == 1:
            return results, self._once(self._ufunc, (*sources, *targets))
        spread = self._spread() if _in_order(sources, targets, shape) else None
        if spread is None and size * self._cost < SPLIT_BYTES:
            return results, self._once(self._ufunc, (*sources, *targets))
        if outs is not None:
            sources = _untangled(sources, targets)
        if spread is not None:
            return results, self._once(spread, (*sources, *targets))
        ufunc = self._streaming if size * self._outputs[0].itemsize >= STREAM_BYTES else self._ufunc
        before = ufunc.shared[0]
        threads.each(_parts(sources, targets, shape), partial(self._call, ufunc))
        return results, ufunc.shared[0] != before

    def _once(self, ufunc: Ufunc, arrays: Sequence[Array]) -> bool:
        """Runs a loop over everything; whether a requirement failed.

        What counts failures is never cleared, so one in another thread's call can make this true, but none is missed.
        """
        before = ufunc.shared[0]
        self._call(ufunc, arrays)
        return ufunc.shared[0] != before

    def _spread(self) -> Ufunc | None:
        """The loop with helpers, if there can be any."""
        helped = pool.ready()
        if helped is None:
            return None
        with _making:  # never replaced: another thread may be running it
            if self._spreading is None:
                self._spreading = self._with_helpers(helped)
            return self._spreading

    def _with_helpers(self, helped: pool.Pool) -> Ufunc:
        spreads = self._compiled.address, self.limit + 1
        return Ufunc(helped.address, *self._types, spreads=spreads, owner=self._compiled)

    def block(self, operands: Sequence[Array], outs: Sequence[Array], written: int) -> bool:
        """A part of larger work, on this thread: fills `outs`; whether a requirement failed.

        `written`: the bytes of a whole result, 0 if what is computed here is wanted in the cache.
        """
        ufunc = self._streaming if written >= STREAM_BYTES else self._ufunc
        before = ufunc.shared[0]
        sources, targets, _tables = self._arguments(operands, outs)
        self._call(ufunc, (*sources, *targets))
        return ufunc.shared[0] != before

    def _arguments(
        self, operands: Sequence[Array], outs: Sequence[Array]
    ) -> tuple[list[Array], list[Array], list[Array]]:
        """What the ufunc takes, and tables that must live as long as the call."""
        sources, targets = list(operands), list(outs)
        tables = [np.ascontiguousarray(sources[k], sources[k].dtype.newbyteorder("=")) for k in self._arrays]
        # A table is read again and again, so nothing may be written into it meanwhile.
        tables = [table.copy() if any(np.may_share_memory(table, out) for out in outs) else table for table in tables]
        for k, array in zip(self._arrays, tables, strict=True):
            sources[k] = np.array(array.__array_interface__["data"][0], np.int64)
        if self._views:
            sources, targets = [raw(array) for array in sources], [raw(array) for array in targets]
        return sources, targets, tables

    def direct(self) -> Direct:
        """Loops of its own for callers in a hurry."""
        return Direct(self)

    @property
    def limit(self) -> int:
        """Up to how many elements one call of the loop by one thread is the whole work."""
        return (SPREAD_BYTES - 1) // self._cost

    @property
    def plain(self) -> bool:
        """Whether `small` will do: no tables, no bfloat16, no need to turn NumPy's warnings off."""
        return not (self._arrays or self._views or self._quiet)

    def small(self, operands: Sequence[Any], out: Any = None) -> tuple[Any, bool]:
        """The shortest way for up to `limit` elements: NumPy allocates; several results come as a tuple.

        If the function has requirements, `out` may not overlap an operand.
        """
        return _shortly(self._ufunc, operands, out)

    def long(self, operands: Sequence[Any], out: Any = None) -> tuple[Any, bool]:
        """The same for more elements, which are all in one row; raises LookupError where they are not.

        `out` may not overlap an operand, since parts run in no particular order.
        """
        if threads.get_threads() == 1:
            return _shortly(self._ufunc, operands, out)
        if not _are_rows(operands, out) or (spread := self._spread()) is None:
            raise LookupError
        return _shortly(spread, operands, out)

    def _call(self, ufunc: Ufunc, arrays: Sequence[Array]) -> None:
        count = len(self._outputs)
        if self._quiet:
            with np.errstate(all="ignore"):
                ufunc.call(*arrays[:-count], out=tuple(arrays[-count:]))
        else:
            ufunc.call(*arrays[:-count], out=tuple(arrays[-count:]))


class Direct:
    """A kernel's loops for arrays that need nothing else: `call` for few elements, what `wide` gives for many."""

    def __init__(self, kernel: NativeKernel) -> None:
        self._kernel = kernel
        self._plain = Ufunc(kernel._compiled.address, *kernel._types)
        self._wide: Ufunc | None = None
        self.call, self.shared, self.result = self._plain.call, self._plain.shared, self._plain.result
        self.limit, self.checks = kernel.limit, kernel.checks

    @property
    def failed(self) -> bool:
        """Whether a requirement has ever failed in one of the loops, which are then of no use for knowing it again."""
        return bool(self.shared[0] or (self._wide is not None and self._wide.shared[0]))

    def wide(self, *arrays: Array) -> tuple[Any, Any]:
        """The loop for more than `limit` elements, all in one row, and its counter; raises LookupError elsewhere."""
        if threads.get_threads() == 1:
            return self.call, self.shared
        if not _are_rows(arrays) or (helped := pool.ready()) is None:
            raise LookupError
        with _making:  # never replaced: another thread may be running it
            if self._wide is None:
                self._wide = self._kernel._with_helpers(helped)
            wide = self._wide
        return wide.call, wide.shared


def _shortly(ufunc: Ufunc, operands: Sequence[Any], out: Any) -> tuple[Any, bool]:
    shared = ufunc.shared
    before = shared[0]
    # A ufunc of several results refuses out=None.
    result = ufunc.call(*operands) if out is None else ufunc.call(*operands, out=out)
    return result, shared[0] != before


def _are_rows(arrays: Sequence[Array], out: Array | None = None) -> bool:
    given = arrays if out is None else (*arrays, out)
    return all((flags := array.flags).c_contiguous and flags.aligned for array in given)


def _plain(sort: Any) -> np.dtype[Any]:
    dtype = dtype_of(sort)
    return np.dtype(np.uint16) if dtype.name == "bfloat16" else dtype


def _computes_floats(kind: str) -> bool:
    return kind.startswith("f") or kind in ("sdiv", "udiv", "srem", "urem", "stof", "utof")


def _order(operands: Sequence[Array], shape: tuple[int, ...]) -> Any:
    """Column-major results for column-major operands, so that both are walked in order."""
    whole = [array.flags for array in operands if array.shape == shape]
    columns = bool(whole) and all(flags.f_contiguous and not flags.c_contiguous for flags in whole)
    return "F" if columns else "C"


def _untangled(sources: list[Array], targets: Sequence[Array]) -> list[Array]:
    """Operands that overlap a result in another place are copied: parts run in no particular order."""

    def same(a: Array, b: Array) -> bool:
        return (a.__array_interface__["data"], a.shape, a.strides) == (
            b.__array_interface__["data"],
            b.shape,
            b.strides,
        )

    return [
        source.copy() if any(np.may_share_memory(source, t) and not same(source, t) for t in targets) else source
        for source in sources
    ]


def _in_order(sources: Sequence[Array], targets: Sequence[Array], shape: tuple[int, ...]) -> bool:
    """Whether all elements can be walked in one row: single numbers, and arrays that lie alike without gaps."""
    arrays = [*sources, *targets]
    # NumPy takes a few thousand elements at a time of others.
    plain = all(a.flags.aligned and a.dtype.isnative for a in arrays)
    return plain and any(
        all(a.size == 1 or (a.shape == shape and getattr(a.flags, flag)) for a in arrays)
        for flag in ("c_contiguous", "f_contiguous")
    )


def _parts(sources: Sequence[Array], targets: Sequence[Array], shape: tuple[int, ...]) -> list[tuple[Array, ...]]:
    """Slices of all arrays that together are the whole work."""
    arrays = [*sources, *targets]
    count = threads.get_threads()
    for flag, order in (("c_contiguous", "C"), ("f_contiguous", "F")):
        if all(a.size == 1 or (a.shape == shape and getattr(a.flags, flag)) for a in arrays):
            flat = [a.reshape(-1, order=order) if a.shape == shape else a.reshape(()) for a in arrays]  # type: ignore[call-overload]
            size = prod(shape)
            step = -(-size // (PARTS * count) // PART) * PART
            return [
                tuple(a if a.ndim == 0 else a[start : start + step] for a in flat) for start in range(0, size, step)
            ]
    axis = max(range(len(shape)), key=shape.__getitem__) if shape[0] < 4 * count else 0
    step = -(-shape[axis] // (2 * count))
    return [tuple(_slice(a, axis - len(shape), start, step) for a in arrays) for start in range(0, shape[axis], step)]


def _slice(array: Array, axis: int, start: int, step: int) -> Array:
    """A part along an axis counted from the end; arrays that broadcast there stay whole."""
    if array.ndim < -axis or array.shape[axis] == 1:
        return array
    index: list[Any] = [slice(None)] * array.ndim
    index[axis] = slice(start, start + step)
    part: Array = array[tuple(index)]
    return part


_making = threading.RLock()  # a kernel's loop with helpers
_kernels: OrderedDict[tuple[Function, bool, bool], NativeKernel] = OrderedDict()
_lock = threading.RLock()  # the handler of a signal may call what it has interrupted

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def kernel(function: Function, simplified: bool = True, optimised: bool = True) -> NativeKernel:
    """The compiled form of a function; compiled once, remembered for a while.

    Who runs a function a few times on thousands of elements saves time by one that is not optimised.
    """
    key = function, simplified, optimised
    with _lock:
        found = _kernels.pop(key, None)
        if found is not None:
            _kernels[key] = found
            return found
    made = NativeKernel(function, simplified=simplified, optimised=optimised)
    with _lock:
        _kernels[key] = made
        if len(_kernels) > KEPT:
            _kernels.popitem(last=False)
    return made
