"""Running folders of `desc.json` tests, as the public TOSA tools generate them.

A negative test passes if the graph is refused. A positive test passes if every element that has a
defined result equals the reference (floats: within the bound that the test or version states).
Skipped is only what needs an operator or element type that lanewise does not have, and says which.
What is wrong with the test itself (its description, its files, its inputs) fails it, whatever it is
a test of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.comparison import bound_of, difference, distance, power_bound
from lanewise.conformance.description import (
    as_declared,
    inside,
    read_description,
    read_inputs,
    read_references,
    stated_bound,
)
from lanewise.conformance.finding import find_tests
from lanewise.conformance.tosa_file import missing
from lanewise.engines.storage import sort_of
from lanewise.formats import load
from lanewise.formats.files import DEFAULT_FILE_BYTES, read_bytes
from lanewise.graph.inputs import take_inputs
from lanewise.graph.model import Model
from lanewise.graph.run import Outcome, upstream
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError, printable
from lanewise.operators.catalogue import find

__all__ = ["Verdict", "distance", "find_tests", "power_bound", "report", "run_test", "run_tests"]

Array = np.ndarray[Any, Any]

SHARE = 16  # tests that a worker takes at a time


@dataclass(frozen=True)
class Verdict:
    """What became of one test. `difference`: output, index, got and expected, with their bits."""

    test: str
    verdict: str  # "passed", "failed", "skipped"
    reason: str
    seconds: float = 0.0
    difference: Mapping[str, Any] | None = None


def run_tests(tests: Sequence[Path], root: Path, workers: int, each: Callable[[Verdict], None]) -> list[Verdict]:
    """Runs tests on several processes; `each` hears of every verdict as it comes."""
    verdicts: list[Verdict] = []
    if workers < 2 or len(tests) <= SHARE:
        for test in tests:
            verdicts.append(run_test(test, root))
            each(verdicts[-1])
        return verdicts
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_alone) as pool:
        shares = [(tests[at : at + SHARE], root) for at in range(0, len(tests), SHARE)]
        for share in pool.map(_run_share, shares):
            for verdict in share:
                verdicts.append(verdict)
                each(verdict)
    return verdicts


def _alone() -> None:
    """A worker is one of several: it uses one thread."""
    from lanewise.engines.native.threads import set_threads

    set_threads(1)


def _run_share(share: tuple[Sequence[Path], Path]) -> list[Verdict]:
    tests, root = share
    return [run_test(test, root) for test in tests]


def run_test(folder: Path, root: Path) -> Verdict:
    """One test; whatever goes wrong in it is its verdict."""
    name = folder.relative_to(root).as_posix() if folder != root else folder.name
    started = time.perf_counter()
    try:
        verdict = _judge(folder, name)
    except LanewiseError as error:
        verdict = Verdict(name, "failed", f"the test cannot be read: {error}")
    except Exception as error:  # what nobody thought of in one test leaves the others their verdicts
        verdict = Verdict(name, "failed", printable(f"unexpected {type(error).__name__}: {error}"))
    return replace(verdict, seconds=time.perf_counter() - started)


def _judge(folder: Path, name: str) -> Verdict:
    description = read_description(folder)
    must_fail = bool(description.get("expected_failure"))
    # What is missing or no file of its kind is the test's own fault: no graph has been refused then.
    path = inside(folder, description.get("tosa_file"))
    content = read_bytes(path, DEFAULT_FILE_BYTES)
    refusal: InvalidError | None = None
    try:
        model = load(path, format="tosa")
    except UnsupportedError as error:  # its inputs may be of types without an array
        return Verdict(name, "skipped" if missing(content, str(path)) else "failed", str(error))
    except InvalidError as error:
        missing(content, str(path))  # raises, if it is no TOSA file that has been refused
        refusal = error
    given = read_inputs(folder, description)
    if refusal is None:
        try:
            inputs = take_inputs(model, as_declared(folder, given, model.inputs), ())
        except InvalidError as error:
            return Verdict(name, "failed", f"the test's inputs are not the graph's: {error}")
        try:
            outcome = model.run(inputs, on_unpredictable="mask")
        except InvalidError as error:
            refusal = error
    if refusal is not None:
        return Verdict(name, "passed" if must_fail else "failed", f"refused: {refusal}")
    if must_fail:
        why = description.get("expected_failure_desc", "the graph breaks a rule")
        return Verdict(name, "failed", printable(f"was not refused, and must be: {why}"))
    return _compare(folder, name, description, model, inputs, outcome)


def _compare(
    folder: Path,
    name: str,
    description: Mapping[str, Any],
    model: Model,
    inputs: Mapping[str, Array],
    outcome: Outcome,
) -> Verdict:
    """The verdict on a run: every output that has a reference beside it."""
    for output, reference in read_references(folder, description):
        if reference is None:
            continue
        if output not in outcome.outputs:
            return Verdict(name, "failed", f"the graph has no output {output!r}")
        found = outcome.outputs[output]
        sort = sort_of(found.dtype)
        assert sort is not None
        power = str(model.version) if _depends_on(model, output, _BOUNDED) else None
        bound = bound_of(stated_bound(description, output), sort, power, f"{folder}, output {output!r}")
        differs = difference(output, found, outcome.unpredictable[output], reference, bound)
        if differs is not None:
            defect = _known_defect(model, outcome, inputs, output, reference)
            if defect is not None:
                return Verdict(name, "passed", f"{WRONG_REFERENCE}: {defect}", difference=differs)
            return Verdict(name, "failed", f"output {output!r} differs from the reference", difference=differs)
    if outcome.violations:
        return Verdict(name, "passed", f"unpredictable ({outcome.violations[0]}); every other element is equal")
    return Verdict(name, "passed", "valid")


_BOUNDED = ("POW",)  # near the exact result, not equal to it


def _depends_on(model: Model, output: str, operators: Sequence[str]) -> bool:
    """Whether one of these operators feeds an output, directly or through other nodes."""
    producers = {node.output: (position, node) for position, node in enumerate(model.nodes)}
    part = upstream(model, model.outputs[output].tensor, {}, producers)
    return any(node.operator.name in operators for node in part.nodes)


WRONG_REFERENCE = "the reference is wrong"

# Operators that a version's public reference model computes as another one, against the specification's text
# (reading T6). A reference is excused only if it is what that other operator gives, element by element.
_COMPUTED_AS = {("0.23.0", "LOGICAL_XOR"): "LOGICAL_OR"}


def _known_defect(
    model: Model, outcome: Outcome, inputs: Mapping[str, Array], output: str, reference: Array
) -> str | None:
    """Why a reference differs, if the model that made it is known to compute another operator."""
    if len(model.nodes) != 1 or outcome.violations:
        return None
    (node,) = model.nodes
    other = _COMPUTED_AS.get((str(model.version), node.operator.name))
    if other is None:
        return None
    record = find(model.specification, other, model.version)
    mistaken = replace(model, nodes=(replace(node, operator=record),)).check().run(inputs)
    if not np.array_equal(mistaken.outputs[output], reference):
        return None
    return f"the {model.version} model computes {node.operator.name} as {other}; the result is the specification's"


def report(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A run as JSON: the counts, then every test."""
    counts = {kind: sum(v.verdict == kind for v in verdicts) for kind in ("passed", "failed", "skipped")}
    return {**counts, "tests": [asdict(verdict) for verdict in verdicts]}
