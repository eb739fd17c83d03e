"""What is right and wrong with a table: length, steps, order of the codes, shape, end points, error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanewise.conformance.tables.build import LENGTHS, STEP, Array, Quantised
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import i16

TOLERANCE = 1e-9  # of a step: what a float64 computation of the function may be off by
LIMITED = "TOSA 1.0, 1.1"
UNLIMITED = "TOSA 0.23.0"


@dataclass(frozen=True)
class Finding:
    """One check: whether the table passes (None: the check could not be made), and what was found."""

    check: str
    good: bool | None
    text: str


@dataclass(frozen=True)
class Errors:
    """How far a table's results are from the function, in steps of the output; for every input code in order."""

    codes: Array
    exact: Array
    found: Array
    errors: Array = field(repr=False)

    def report(self) -> dict[str, Any]:
        at = int(np.nanargmax(abs(self.errors)))
        return {
            "max": float(abs(self.errors[at])),
            "mean": float(np.nanmean(abs(self.errors))),
            "at": int(self.codes[at]),
            "exact": float(self.exact[at]),
            "found": float(self.found[at]),
        }


def check_table(table: Array, wanted: Quantised | None = None) -> tuple[list[Finding], Errors | None]:
    """Every check that applies, and the errors if the function is known.

    A table of another type or length fails there, and the other checks are not made.
    """
    type = str(table.dtype.name)
    findings = unfit(table, wanted is not None)
    if findings:
        return findings, None
    if wanted is not None and wanted.type != type:
        raise InvalidError(f"the table is of {type}; the function is asked for as {wanted.type}")
    findings = [Finding("length", True, f"{len(table)} entries of {type}")]
    values = table.astype(np.int64)
    findings += _steps(values, type)
    if wanted is None:
        findings += _order_by_itself(values, type)
        return findings, None
    errors = _errors(values, wanted)
    findings += _order(values, wanted)
    findings += _shape(values, wanted)
    findings += _ends(values, wanted)
    findings += _size_of_errors(values, errors, wanted)
    return findings, errors


def unfit(table: Array, with_function: bool) -> list[Finding]:
    """What makes an array no table at all, with the checks that cannot be made then; nothing if it is one."""
    name = str(table.dtype.name)
    later = ["code order", *(["monotone", "end points", "error"] if with_function else [])]
    if name not in LENGTHS:
        listed = " or ".join(f"{type} ({length} entries)" for type, length in LENGTHS.items())
        found = Finding("type", False, f"{name}; a table is of {listed}")
        later = ["length", *later]
    elif table.shape != (LENGTHS[name],):
        shape = f"{len(table)} entries" if table.ndim == 1 else f"an array of shape {list(table.shape)}"
        found = Finding("length", False, f"{shape} of {name}; a table of {name} is a list of {LENGTHS[name]} entries")
        later = [*(["slopes"] if name == "int16" else []), *later]
    else:
        return []
    return [found, *(Finding(check, None, f"not made, since the {found.check} is wrong") for check in later)]


def _steps(values: Array, type: str) -> Iterator[Finding]:
    if type != "int16":
        return
    steps = np.diff(values)
    wide = np.flatnonzero((steps < i16.lowest) | (steps > i16.highest))
    yield Finding("slopes", True, f"{UNLIMITED}: any step is allowed")
    if len(wide):
        k = int(wide[0])
        text = (
            f"{len(wide)} steps leave int16, first from entry {k} ({values[k]}) to {k + 1} ({values[k + 1]}): "
            f"{steps[k]}; all inputs there are unpredictable"
        )
        yield Finding("slopes", False, f"{LIMITED}: {text}")
    else:
        yield Finding("slopes", True, f"{LIMITED}: every step fits int16 (widest {steps[abs(steps).argmax()]})")


def rolled(values: Array, type: str) -> Array:
    """The table as it would be if its entries started at code 0, as those of unsigned codes do."""
    if type == "int8":
        return np.roll(values, -128)
    return np.concatenate([values[256:512], values[:257]])


def _order_by_itself(values: Array, type: str) -> Iterator[Finding]:
    """Without the function: the order is doubtful if rolled by half the table it would be monotone, and is not."""
    turned = np.roll(values, 128) if type == "int8" else np.concatenate([values[256:512], values[:256]])
    if not _monotone(values) and _monotone(turned):
        yield Finding("code order", False, f"monotone only when rolled by half: {_ROLLED}")
    else:
        yield Finding("code order", True, "no sign of the order of unsigned codes (give the function to be sure)")


_ROLLED = "the entries start at code 0, but entry 0 is for the lowest code"


def _monotone(values: Array) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _order(values: Array, wanted: Quantised) -> Iterator[Finding]:
    exact = np.array([wanted.exact(code) for code in wanted.inputs()])
    as_is, as_rolled = _distance(values, exact), _distance(values, rolled(exact, wanted.type))
    if as_rolled < as_is / 4 and as_is > 1:
        yield Finding(
            "code order", False, f"fits when rolled by half (mean error {as_rolled:.3g}, not {as_is:.3g}): {_ROLLED}"
        )
    else:
        yield Finding("code order", True, "entry 0 is for the lowest code")


def _distance(values: Array, exact: Array) -> float:
    known = ~np.isnan(exact)
    return float(abs(values[known] - exact[known]).mean()) if known.any() else math.inf


def _shape(values: Array, wanted: Quantised) -> Iterator[Finding]:
    """Between neighbours the table may stand still, but not go against the function."""
    exact = np.array([wanted.exact(code) for code in wanted.inputs()])
    real, steps = np.diff(exact), np.diff(values)
    against = np.flatnonzero(((real >= 0) & (steps < 0)) | ((real <= 0) & (steps > 0)))
    if not len(against):
        yield Finding("monotone", True, "rises and falls where the function does")
        return
    k = int(against[0])
    code = wanted.inputs()[k]
    yield Finding(
        "monotone",
        False,
        f"{len(against)} steps go against the function, first from entry {k} (code {code}): "
        f"{values[k]} → {values[k + 1]}, the function {exact[k]:.6g} → {exact[k + 1]:.6g}",
    )


def _ends(values: Array, wanted: Quantised) -> Iterator[Finding]:
    codes = wanted.inputs()
    for k, name in ((0, "first"), (len(values) - 1, "last")):
        exact = wanted.exact(codes[k])
        good = math.isnan(exact) or abs(values[k] - exact) <= 0.5 + TOLERANCE
        yield Finding("end points", bool(good), f"{name} entry, for code {codes[k]}: {values[k]} (exact {exact:.6g})")


def _errors(values: Array, wanted: Quantised) -> Errors:
    """For every input: int16 between two entries, as the operator reads it, in steps of an entry."""
    lowest, count = wanted.sort.lowest, 1 << wanted.sort.width
    codes = np.arange(lowest, lowest + count)
    exact = np.array([wanted.exact(int(code)) for code in codes])
    step = STEP[wanted.type]
    at, rest = (codes - lowest) // step, (codes - lowest) % step
    found = values[at] + (values[np.minimum(at + 1, len(values) - 1)] - values[at]) * rest / step
    return Errors(codes, exact, found, found - exact)


def _size_of_errors(values: Array, errors: Errors, wanted: Quantised) -> Iterator[Finding]:
    entries = np.array([wanted.exact(code) for code in wanted.inputs()])
    if np.isnan(errors.errors).all():
        yield Finding("error", False, "the function has no value at any input")
        return
    report = errors.report()
    # Entries are what rounding decides; between them a straight line stands for the function.
    # The last one of int16 is for no input, but the last interval ends there.
    own = abs(values - entries)
    worst = math.nan if np.isnan(own).all() else float(np.nanmax(own))
    good = worst <= 0.5 + TOLERANCE
    at = int(report["at"])
    text = (
        f"max {report['max']:.4g} steps, at code {at} (x = {wanted.real(at):.6g}: exact {report['exact']:.6g}, "
        f"found {report['found']:.6g}); mean {report['mean']:.4g}; entries themselves up to {worst:.4g}"
    )
    if np.isnan(entries).any():
        text += f"; {int(np.isnan(entries).sum())} entries where the function has no value are not judged"
    yield Finding("error", good, text)
