"""Running folders of `desc.json` tests, as the public TOSA tools generate them.

A negative test passes if the graph is refused. A positive test passes if every element that has a
defined result equals the reference (floats: within the bound that the test or version states).
Skipped is only what needs an operator or element type that lanewise does not have, and says which.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import dtype_of, sort_of
from lanewise.formats import load
from lanewise.formats.files import DEFAULT_FILE_BYTES, read_bytes
from lanewise.formats.flatbuffer import BROKEN
from lanewise.formats.tensors import read_tensors
from lanewise.graph.arrays import list_as
from lanewise.graph.model import Model
from lanewise.graph.run import Outcome
from lanewise.language import floats
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError
from lanewise.language.sorts import Sort
from lanewise.operators.catalogue import find

Array = np.ndarray[Any, Any]

DESCRIPTION_BYTES = 1 << 20
SHARE = 16  # tests that a worker takes at a time


@dataclass(frozen=True)
class Verdict:
    """What became of one test. `difference`: output, index, got and expected, with their bits."""

    test: str
    verdict: str  # "passed", "failed", "skipped"
    reason: str
    seconds: float = 0.0
    difference: Mapping[str, Any] | None = None


def find_tests(folder: Path, wanted: str | None = None) -> list[Path]:
    """The folders below that hold a test, in order; `wanted` is a regular expression on their path."""
    if not folder.is_dir():
        raise InvalidError(f"{folder}: no such folder")
    try:
        pattern = re.compile(wanted or "")
    except re.error as error:
        raise InvalidError(f"--filter {wanted!r}: {error}") from None
    found = [path.parent for path in sorted(folder.rglob("desc.json"))]
    return [path for path in found if pattern.search(path.relative_to(folder).as_posix())]


def run_tests(tests: Sequence[Path], root: Path, workers: int, each: Callable[[Verdict], None]) -> list[Verdict]:
    """Runs tests on several processes; `each` hears of every verdict as it comes."""
    if workers < 2 or len(tests) <= SHARE:
        verdicts = []
        for test in tests:
            verdicts.append(run_test(test, root))
            each(verdicts[-1])
        return verdicts
    by_name: dict[str, Verdict] = {}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_alone) as pool:
        shares = [(tests[at : at + SHARE], root) for at in range(0, len(tests), SHARE)]
        for verdicts in pool.map(_run_share, shares):
            for verdict in verdicts:
                by_name[verdict.test] = verdict
                each(verdict)
    return list(by_name.values())


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
    return Verdict(verdict.test, verdict.verdict, verdict.reason, time.perf_counter() - started, verdict.difference)


def _judge(folder: Path, name: str) -> Verdict:
    description = _description(folder)
    must_fail = bool(description.get("expected_failure"))
    # What is missing or no file of its kind is the test's own fault: no graph has been refused then.
    path = _inside(folder, description.get("tosa_file"))
    read_bytes(path, DEFAULT_FILE_BYTES)
    try:
        model: Model | InvalidError = load(path)
    except UnsupportedError as error:  # its inputs may be of types without an array
        return Verdict(name, "skipped", str(error))
    except InvalidError as error:
        model = error
    given = {key: next(iter(read_tensors(file).values())) for key, file in _pairs(folder, description, "ifm")}
    try:
        if isinstance(model, InvalidError):
            raise model
        inputs = _inputs(folder, given, model.inputs)
        outcome = model.run(inputs, on_unpredictable="mask")
    except UnsupportedError as error:
        return Verdict(name, "skipped", str(error))
    except InvalidError as error:
        refused = must_fail and BROKEN not in str(error)
        return Verdict(name, "passed" if refused else "failed", f"refused: {error}")
    if must_fail:
        why = description.get("expected_failure_desc", "the graph breaks a rule")
        return Verdict(name, "failed", f"was not refused, and must be: {why}")
    power = any(node.operator.name in _BOUNDED for node in model.nodes) and str(model.version)
    for output, reference in _references(folder, description):
        if output not in outcome.outputs:
            return Verdict(name, "failed", f"the graph has no output {output!r}")
        difference = _difference(output, outcome, reference, _allowed(description, output, power))
        if difference is not None:
            defect = _known_defect(model, outcome, inputs, output, reference)
            if defect is not None:
                return Verdict(name, "passed", f"{WRONG_REFERENCE}: {defect}", difference=difference)
            return Verdict(name, "failed", f"output {output!r} differs from the reference", difference=difference)
    if outcome.violations:
        return Verdict(name, "passed", f"unpredictable ({outcome.violations[0]}); every other element is equal")
    return Verdict(name, "passed", "valid")


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


_BOUNDED = ("POW",)  # near the exact result, not equal to it


def _description(folder: Path) -> dict[str, Any]:
    path = folder / "desc.json"
    try:
        found = json.loads(read_bytes(path, DESCRIPTION_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidError(f"{path}: holds no description of a test")
    return found


def _inside(folder: Path, file: Any) -> Path:
    """A file of the test; a description names nothing outside its folder."""
    if not isinstance(file, str) or not file or Path(file).is_absolute() or ".." in Path(file).parts:
        raise InvalidError(f"{folder / 'desc.json'}: names the file {file!r}, which is not in its folder")
    return folder / file


def _pairs(folder: Path, description: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Path]]:
    names, files = description.get(f"{kind}_name"), description.get(f"{kind}_file")
    if not isinstance(names, list) or not isinstance(files, list) or len(names) != len(files):
        raise InvalidError(f"{folder / 'desc.json'}: {kind}_name and {kind}_file are not two lists of one length")
    for name, file in zip(names, files, strict=True):
        yield str(name), _inside(folder, file)


def _inputs(folder: Path, given: Mapping[str, Array], kinds: Mapping[str, Any]) -> dict[str, Array]:
    """Arrays of the declared types: the tools keep narrow integers in wider ones."""
    result = {}
    for name, array in given.items():
        kind = kinds.get(name)
        fits = kind is None or array.dtype == dtype_of(kind.sort)
        result[name] = array if fits else list_as(array, kind.sort, f"{folder}, input {name!r}")  # type: ignore[union-attr]
    return result


def _references(folder: Path, description: Mapping[str, Any]) -> Iterator[tuple[str, Array]]:
    for name, path in _pairs(folder, description, "ofm"):
        if path.exists():
            (array,) = read_tensors(path).values()
            yield name, array


def _allowed(description: Mapping[str, Any], output: str, power: str | bool) -> Callable[[float, Sort], int]:
    """How far a result may be from its reference: what the test says, or the version. Floats count in floats.

    `power` is the version if the graph has a POW. Before 1.0 no bound is stated, and POW is held to
    one unit in the last place. TOSA 1.0.0 bounds its relative error by k + 7.5 |y ln x| units, with k
    3 for float32 and 1 for the others; y ln x is the logarithm of the result: see `power_bound`.
    """
    try:
        compliance = description["meta"]["compliance"]["tensors"][output]
        if compliance["mode"] == "ULP":
            units = math.ceil(float(compliance["ulp_info"]["ulp"]))
            return lambda reference, sort: units
        if compliance["mode"] == "RESCALE_INEXACT":
            return inexact_bound
    except (KeyError, TypeError, ValueError):
        pass
    if not power:
        return lambda reference, sort: 0
    return (lambda reference, sort: 1) if str(power).startswith("0.") else power_bound


def inexact_bound(reference: float, sort: Sort) -> int:
    """What separates integer arithmetic from float32's, with which the reference model does INEXACT_ROUND (V6)."""
    return 1 + math.floor(abs(reference) * 2.0**-23)


def power_bound(reference: float, sort: Sort) -> int:
    """Units in the last place by which a POW may miss the exact result at 1.0.0."""
    logarithm = abs(math.log(reference)) if reference > 0 and math.isfinite(reference) else 0.0
    return math.floor((3 if sort.width == 32 else 1) + 7.5 * logarithm)


def _difference(
    output: str, outcome: Outcome, reference: Array, allowed: Callable[[float, Sort], int]
) -> dict[str, Any] | None:
    """The first predictable element that differs."""
    found = outcome.outputs[output]
    if reference.shape != found.shape:
        return {"output": output, "got": f"shape {list(found.shape)}", "expected": f"shape {list(reference.shape)}"}
    sort = sort_of(found.dtype)
    assert sort is not None
    if sort.kind == "float":
        reference = list_as(reference, sort, f"reference of {output}")
        differs = _raw(found) != _raw(reference)
    elif sort.kind == "bool":
        differs = found != (reference != 0)
    else:  # the tools keep narrow integers in wider ones, and there may be anything where nothing is defined
        differs = found.astype(np.int64) != reference
    for flat in np.flatnonzero(differs & ~outcome.unpredictable[output]):
        index = tuple(int(i) for i in np.unravel_index(flat, found.shape)) if found.shape else ()
        (got,) = patterns(found[index].reshape(1), sort)
        want = _pattern(reference[index], sort)
        apart = distance(got, want, sort) if sort.kind == "float" else abs(int(found[index]) - int(reference[index]))
        if apart > allowed(float(reference[index]), sort):
            return {
                "output": output,
                "index": list(index),
                "got": str(found[index]),
                "expected": str(reference[index]),
                "got_bits": f"{got:0{sort.width}b}",
                "expected_bits": f"{want:0{sort.width}b}",
            }
    return None


def _pattern(value: Any, sort: Sort) -> int:
    """The bits of one reference element, as many as the type has."""
    if sort.kind == "float":
        return patterns(np.asarray(value).reshape(1), sort)[0]
    return int(value) & ((1 << sort.width) - 1)


def _raw(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def distance(a: int, b: int, sort: Sort) -> int:
    """Floats between two patterns; all NaNs are one, and the two zeros as well."""
    if floats.is_nan(a, sort) or floats.is_nan(b, sort):
        return 0 if floats.is_nan(a, sort) and floats.is_nan(b, sort) else 1 << sort.width
    sign = floats.sign_bit(sort)
    x, y = (-(p & (sign - 1)) if p & sign else p for p in (a, b))
    return abs(x - y)


def report(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A run as JSON: the counts, then every test."""
    counts = {kind: sum(v.verdict == kind for v in verdicts) for kind in ("passed", "failed", "skipped")}
    return {**counts, "tests": [asdict(verdict) for verdict in verdicts]}
