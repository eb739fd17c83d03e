"""Every way in which a loop may be written, forced on this machine: the same elements as the usual one.

What a loop looks like depends on the processor (registers that look tables up, float16 by hardware)
and on the size of the work (streaming stores). The usual loops are compared with the oracle
elsewhere; here the others are compared with the usual ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from lanewise.engines.checks import masked
from lanewise.engines.exact_kernel import patterns
from lanewise.engines.native import kernel as kernels
from lanewise.engines.native import loop, pool, threads
from lanewise.engines.native.kernel import NativeKernel, kernel
from lanewise.engines.native.target import abilities, host_features
from lanewise.graph.requirements import settings
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator
from lanewise.language.sorts import ArraySort, Sort
from lanewise.language.words import Function
from lanewise.operators.catalogue import versions_of
from tests.operators.battery import Case, _distance, random_patterns

HOST = host_features().split(",")


def without(*prefixes: str) -> str:
    """The host's features, those with these names turned off."""
    return ",".join(f"-{f[1:]}" if f[1:].startswith(prefixes) else f for f in HOST)


PROCESSORS = {
    "permutes words, not bytes": without("avx512vbmi", "avx10"),
    "AVX2": without("avx512", "avx10"),
    "AVX2 without float16": without("avx512", "avx10", "f16c"),
    "SSE2": without("avx", "fma", "f16c", "sse3", "ssse3", "sse4", "xop", "bmi", "gfni", "vaes", "vpclmul", "sha"),
}


def records(versions: tuple[int | str, ...]) -> Iterator[Operator]:
    for specification in ("tosa", "onnx"):
        for found in versions_of(specification).values():
            yield from (r for r in found if r.release.since in versions and not r.constant and not r.variadic)


def text(function: Function, features: str) -> str:
    return loop.LoopBuilder(function, abilities(features), False).build()


def variant_cases(record: Operator) -> Iterator[Case]:
    """Every row with every choice of attributes; tables, scalars and lists of numbers have one value."""
    generator = np.random.default_rng(5)
    for row in record.rows:
        fixed = {}
        for k, (name, sort) in enumerate(zip(record.arguments, row.inputs, strict=True)):
            use = record.argument(k).use
            if use == "numbers":
                break
            if isinstance(sort, ArraySort):
                fixed[name] = [
                    int(v) for v in generator.integers(sort.element.lowest, sort.element.highest + 1, sort.length)
                ]
        else:
            for attributes in settings(record, row):
                yield Case(record, row, attributes, fixed)


def layouts(record: Operator) -> Iterator[Case]:
    """One case for each choice of widths: what matters to how elements are fetched and stored."""
    seen = set()
    for case in variant_cases(record):
        widths = tuple(sort.element.width if isinstance(sort, ArraySort) else sort.width for sort in case.row.inputs)
        if (widths, case.row.output.width) not in seen:
            seen.add((widths, case.row.output.width))
            yield case


def elements(case: Case, count: int) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    sorts = [sort for _, _, sort in case.free()]
    if sum(sort.width for sort in sorts) <= 16:
        return case.arrays(case.rows_of_patterns(exhaustive=16))
    return case.arrays([random_patterns(sort, count, generator) for sort in sorts])


def same(found: list[np.ndarray], want: list[np.ndarray], case: Case) -> None:
    value, mask = found
    np.testing.assert_array_equal(mask, want[1], err_msg=f"{case}: unpredictable")
    sort = case.row.output
    left, right = patterns(value, sort), patterns(want[0], sort)
    if case.operator.name == "POW":  # one instruction fewer rounds otherwise
        assert all(_distance(a, b, sort) <= 1 for a, b in zip(left, right, strict=True)), case
    else:
        assert left == right, case


def defined(cases: Iterator[Case], flags: bool = True) -> Iterator[tuple[Case, Function]]:
    """Each case with its function, as a rule with the flags of broken requirements as a result."""
    for case in cases:
        try:
            function = case.function()
        except LanewiseError:
            continue  # attributes that this row forbids
        yield case, masked(function) if flags else function


@pytest.mark.parametrize("processor", list(PROCESSORS))
@pytest.mark.parametrize("record", list(records(("0.23.0",))), ids=lambda r: f"{r.label}-{r.release.since}")
def test_processors(record: Operator, processor: str):
    """Wherever another processor's loop is another text."""
    for case, function in defined(variant_cases(record)):
        if text(function, PROCESSORS[processor]) == text(function, host_features()):
            continue
        operands = elements(case, 600)
        shape = (max(a.size for a, s in zip(operands, function.inputs, strict=True) if isinstance(s, Sort)),)
        want, _ = kernel(function)(operands, shape)
        found, _ = NativeKernel(function, PROCESSORS[processor])(operands, shape)
        same(found, want, case)


@pytest.mark.parametrize("record", list(records(("0.23.0", 11))), ids=lambda r: f"{r.label}-{r.release.since}")
def test_streaming_stores(record: Operator):
    """Forced for small work: whole, from every misaligned start, and where the tail ends anywhere."""
    for case, function in defined(layouts(record), flags=False):
        operands = elements(case, 700)
        varying = [isinstance(sort, Sort) for sort in function.inputs]
        size = max(a.size for a, varies in zip(operands, varying, strict=True) if varies)
        (want,), broken = kernel(function)(operands, (size,))
        forced = NativeKernel(function)
        forced._ufunc = forced._streaming
        for start, stop in ((0, size), (1, size), (0, size - 1), (size // 9, size - 3), (size // 3, size // 3 + 1)):
            if start >= stop:
                continue
            parts = [a[start:stop] if varies else a for a, varies in zip(operands, varying, strict=True)]
            room = np.empty(stop - start + 64, want.dtype)
            for offset in (0, 1, 5):
                out = room[offset : offset + stop - start]
                _, found = forced(parts, out.shape, [out])
                assert patterns(out, case.row.output) == patterns(want[start:stop], case.row.output), case
                assert broken or not found, case


@pytest.mark.parametrize("record", list(records(("0.23.0",))), ids=lambda r: f"{r.label}-{r.release.since}")
def test_several_threads(record: Operator, monkeypatch: pytest.MonkeyPatch):
    """Forced for small work: lying in a row, every other element, in two axes, and repeated along one."""
    before, each, shared = threads.get_threads(), threads.each, []
    threads.set_threads(3)
    try:
        for case, function in defined(layouts(record)):
            varying = [isinstance(sort, Sort) for sort in function.inputs]
            given = zip(elements(case, 600), varying, strict=True)
            operands = [np.resize(a, 600) if varies else a for a, varies in given]
            for view in (
                lambda a: a,
                lambda a: a[::2],
                lambda a: a.reshape(6, -1),
                lambda a: a.reshape(-1, 6).T,
                lambda a: np.broadcast_to(a[:6, None], (6, 5)),
                lambda a: a[:30].reshape(6, 5)[:, ::-1],
            ):
                seen = [view(a) if varies else a for a, varies in zip(operands, varying, strict=True)]
                shape = next(a.shape for a, varies in zip(seen, varying, strict=True) if varies)
                monkeypatch.undo()
                want, _ = kernel(function)(seen, shape)
                monkeypatch.setattr(kernels, "SPREAD_BYTES", 1)
                monkeypatch.setattr(kernels, "SPLIT_BYTES", 1)
                monkeypatch.setattr(kernels, "PART", 16)
                monkeypatch.setattr(pool, "pool", lambda: None)  # Python's threads, as other systems have them
                monkeypatch.setattr(threads, "each", lambda parts, work: (shared.append(1), each(parts, work)))
                found, _ = kernel(function)(seen, shape)
                for a, b, sort in zip(found, want, function.outputs, strict=True):
                    assert patterns(a.ravel(), sort) == patterns(b.ravel(), sort), case
        assert shared
    finally:
        threads.set_threads(before)


@pytest.mark.skipif(pool.pool() is None, reason="helpers wait by a system call of Linux")
@pytest.mark.parametrize("record", list(records(("0.23.0",))), ids=lambda r: f"{r.label}-{r.release.since}")
def test_helpers(record: Operator, monkeypatch: pytest.MonkeyPatch):
    """Parts that helpers do, forced for work that would not be shared; the table of TABLE among what parts read."""
    before = threads.get_threads()
    ran = 0
    try:
        for case, function in defined(layouts(record)):
            operands = [
                np.resize(a, 30_001) if isinstance(sort, Sort) else a
                for a, sort in zip(elements(case, 600), function.inputs, strict=True)
            ]
            threads.set_threads(1)
            want, failed = kernel(function)(operands, (30_001,))
            threads.set_threads(3)
            monkeypatch.setattr(kernels, "SPREAD_BYTES", 1)
            made = NativeKernel(function)
            found, also = made(operands, (30_001,))
            monkeypatch.undo()
            assert made._spreading is not None and failed == also
            for a, b, sort in zip(found, want, function.outputs, strict=True):
                assert patterns(a, sort) == patterns(b, sort), case
            ran += 1
        assert ran
    finally:
        threads.set_threads(before)


@pytest.mark.parametrize("nodes", [0, 10_000])
@pytest.mark.parametrize("record", list(records(("0.23.0",))), ids=lambda r: f"{r.label}-{r.release.since}")
def test_bodies_written_once_and_twice(record: Operator, nodes: int, monkeypatch: pytest.MonkeyPatch):
    """What surrounds the body is written out for small ones only: here for all, and for none."""
    for case, function in defined(layouts(record)):
        operands = elements(case, 600)
        shape = (max(a.size for a, s in zip(operands, function.inputs, strict=True) if isinstance(s, Sort)),)
        want, _ = kernel(function)(operands, shape)
        monkeypatch.setattr(loop, "SMALL_BODY", nodes)
        found, _ = NativeKernel(function)(operands, shape)
        monkeypatch.undo()
        for a, b, sort in zip(found, want, function.outputs, strict=True):
            assert patterns(a, sort) == patterns(b, sort), case
