"""Emitted C and SystemVerilog give what the frozen corpus says, for BitShift and TOSA's binary operators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.folder import Selection
from lanewise.engines.text.unit import Unit
from lanewise.language.sorts import ArraySort
from tests.engines.test_text_c import TOSA_BINARY
from tests.engines.text_benches import Job, needs_gcc, needs_iverilog, run_c, run_sv

FILTER = rf"^tosa (0.23.0|1.0|1.1) ({'|'.join(TOSA_BINARY)}) |^onnx \d+ BitShift"


def _job(number: int, vectors: VectorSet) -> Job:
    sorts = vectors.function.inputs
    table = next((value for value in vectors.choice.fixed.values() if isinstance(value, tuple)), None)
    tables = {k: table for k, sort in enumerate(sorts) if isinstance(sort, ArraySort) and table is not None}
    columns = iter(vectors.columns)
    names = tuple(f"table{number}" if k in tables else next(columns).name for k in range(len(sorts)))
    unit = Unit(f"set{number}", vectors.function, names, (), tables)
    return Job(unit, tuple(column.patterns for column in vectors.columns))


@pytest.mark.parametrize(
    "run",
    [pytest.param(run_c, marks=needs_gcc, id="C"), pytest.param(run_sv, marks=needs_iverilog, id="SystemVerilog")],
)
def test_the_corpus(run: Callable[..., object], tmp_path: Path):
    sets = [
        vectors
        for vectors in Selection(FILTER, None).sets()
        if not any(
            (sort.element if isinstance(sort, ArraySort) else sort).kind == "float"
            for sort in (*vectors.function.inputs, *vectors.function.outputs)
        )
    ]
    jobs = [_job(number, vectors) for number, vectors in enumerate(sets)]
    elements = 0
    for (_, results, flags), vectors in zip(run(jobs, tmp_path), sets, strict=True):  # type: ignore[call-overload]
        for k, (found, flag, want, broken) in enumerate(
            zip(results, flags, vectors.results, vectors.broken, strict=True)
        ):
            assert bool(flag) == bool(broken), (vectors.title, k)
            assert broken or found == want, (vectors.title, k)
            elements += 1
    assert len(sets) > 200
    assert elements > 50_000
