"""What is right and wrong with a table: length, steps, order of the codes, shape, end points, error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanewise.conformance.tables.build import LENGTHS, STEP, TOLERANCE, Array, Quantised
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import i16

LIMITED = "TOSA 1.0, 1.1"
UNLIMITED = "TOSA 0.23.0"


@dataclass(frozen=True)
class Finding:
    """One check: whether the table passes, and what was found.

    None is no verdict: the check could not be made, the text does not ask for it, or nothing bounds what was found.
    """

    check: str
    good: bool | None
    text: str


@dataclass(frozen=True)
class Errors:
    """How far a table's results are from the function, in steps of the output; for every input code in order.

    `compared` entries are where the function has a value, at `without_value` it has none.
    """

    codes: Array
    exact: Array
    found: Array
    errors: Array = field(repr=False)
    compared: int
    without_value: int

    def report(self) -> dict[str, Any]:
        """The largest, where it is, and how many entries were compared; some error must be known."""
        at = int(np.nanargmax(abs(self.errors)))
        return {
            "max": float(abs(self.errors[at])),
            "mean": float(np.nanmean(abs(self.errors))),
            "at": int(self.codes[at]),
            "exact": float(self.exact[at]),
            "found": float(self.found[at]),
            "compared": self.compared,
            "without_value": self.without_value,
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
    exact = wanted.exact_entries()
    errors = _errors(values, exact, wanted)
    findings += _order(values, exact, wanted)
    findings += _shape(values, exact, wanted)
    findings += _ends(values, exact, wanted)
    findings += _size_of_errors(values, exact, wanted)
    if STEP[type] > 1:
        findings.append(_between(exact, errors, wanted))
    return findings, errors


def unfit(table: Array, with_function: bool) -> list[Finding]:
    """What makes an array no table at all, with the checks that cannot be made then; nothing if it is one."""
    name = str(table.dtype.name)
    later = ["code order", *(["monotone", "end points", "error"] if with_function else [])]
    if with_function and STEP.get(name, 1) > 1:
        later.append("between entries")
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
    yield Finding("slopes", None, f"{UNLIMITED}: not asked, any step is allowed")
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
        yield Finding("code order", None, "not known without the function; no sign of the order of unsigned codes")


_ROLLED = "the entries start at code 0, but entry 0 is for the lowest code"


def _monotone(values: Array) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _order(values: Array, exact: Array, wanted: Quantised) -> Iterator[Finding]:
    """Wrong only where rolling explains it.

    A right table has the nearest code everywhere, and rolling only pairs the same values with other codes, so it
    never fits better when rolled, whatever the function is.
    """
    known = int((~np.isnan(exact)).sum())
    if not known:
        yield Finding("code order", None, "not known: 0 entries compared, since the function has no value at any")
        return
    inputs = len(exact) // 2 * 2  # without the last entry of int16, whose code no input has
    turned = rolled(exact, wanted.type)
    as_is, as_rolled = (_distance(values[:inputs], one[:inputs]) for one in (exact, turned))
    counted = _counted(known, len(exact), "entries")
    if as_rolled < as_is / 4:
        good, text = False, f"fits when rolled by half (mean error {as_rolled:.3g}, not {as_is:.3g}): {_ROLLED}"
    elif as_is <= as_rolled + TOLERANCE:
        good, text = True, "entry 0 is for the lowest code"
    else:
        good, text = None, f"not known: mean error {as_is:.3g} as it is, {as_rolled:.3g} when rolled by half"
    yield Finding("code order", good, text + counted)


def _distance(values: Array, exact: Array) -> float:
    known = ~np.isnan(exact)
    return float(abs(values[known] - exact[known]).mean()) if known.any() else math.inf


def _counted(compared: int, all: int, what: str) -> str:
    """How many were compared, where that is not all of them."""
    return "" if compared == all else f"; {compared} of {all} {what} compared"


def _shape(values: Array, exact: Array, wanted: Quantised) -> Iterator[Finding]:
    """Between neighbours the table may stand still, but not go against the function."""
    real, steps = np.diff(exact), np.diff(values)
    known = int((~np.isnan(real)).sum())
    counted = _counted(known, len(real), "steps")
    against = np.flatnonzero(((real >= 0) & (steps < 0)) | ((real <= 0) & (steps > 0)))
    if not known:
        yield Finding(
            "monotone", None, "not known: 0 steps compared, since the function has no value at both ends of any"
        )
    elif not len(against):
        yield Finding("monotone", True, f"rises and falls where the function does{counted}")
    else:
        k = int(against[0])
        text = (
            f"{len(against)} steps go against the function, first from entry {k} (code {wanted.inputs()[k]}): "
            f"{values[k]} → {values[k + 1]}, the function {exact[k]:.6g} → {exact[k + 1]:.6g}"
        )
        yield Finding("monotone", False, text + counted)


def _ends(values: Array, exact: Array, wanted: Quantised) -> Iterator[Finding]:
    codes = wanted.inputs()
    for k, name in ((0, "first"), (len(values) - 1, "last")):
        text = f"{name} entry, for code {codes[k]}: {values[k]}"
        if math.isnan(exact[k]):
            x = wanted.real(codes[k])
            yield Finding("end points", None, f"{text}, not compared: the function has no value at x = {x!r}")
        else:
            good = bool(abs(values[k] - exact[k]) <= 0.5 + TOLERANCE)
            yield Finding("end points", good, f"{text} (exact {exact[k]:.6g})")


def told(errors: Array) -> Array:
    """The errors; 0 where they are so small that a float64 computation cannot tell them from it."""
    return np.where(abs(errors) <= TOLERANCE, 0.0, errors)


def _between_line(entries: Array, wanted: Quantised) -> Array:
    """What the operator reads from the entries at every input code: for int16 a straight line between two."""
    step = STEP[wanted.type]
    places = np.arange(1 << wanted.sort.width)
    at, rest = places // step, places % step
    return entries[at] + (entries[np.minimum(at + 1, len(entries) - 1)] - entries[at]) * rest / step


def _errors(values: Array, entries: Array, wanted: Quantised) -> Errors:
    """For every input, in steps of an entry."""
    lowest, count = wanted.sort.lowest, 1 << wanted.sort.width
    codes = np.arange(lowest, lowest + count)
    exact = entries if STEP[wanted.type] == 1 else np.array([wanted.exact(int(code)) for code in codes])
    found = _between_line(values, wanted)
    without = int(np.isnan(entries).sum())
    return Errors(codes, exact, found, told(found - exact), len(entries) - without, without)


def _size_of_errors(values: Array, exact: Array, wanted: Quantised) -> Iterator[Finding]:
    """Of the entries, which rounding decides: the last of int16 as well, where the last interval ends."""
    codes, missing = wanted.inputs(), np.flatnonzero(np.isnan(exact))
    compared = len(exact) - len(missing)
    gaps = ""
    if len(missing):
        code = codes[missing[0]]
        gaps = (
            f"{compared} of {len(exact)} entries compared: the function has no value at {len(missing)} "
            f"{'entry' if len(missing) == 1 else 'entries'}, the first at x = {wanted.real(code)!r} (code {code})"
        )
    if not compared:
        yield Finding("error", False, gaps)
        return
    errors = told(values - exact)
    at = int(np.nanargmax(abs(errors)))
    worst = float(abs(errors[at]))
    text = "none at any of " + (f"{compared} entries" if compared > 1 else "1 entry")
    if worst:
        place = f"x = {wanted.real(codes[at]):.6g}: exact {exact[at]:.6g}, found {values[at]:.6g}"
        text = f"max {worst:.4g} steps, at code {codes[at]} ({place}); mean {float(np.nanmean(abs(errors))):.4g}"
    yield Finding("error", worst <= 0.5 + TOLERANCE, f"{text}; {gaps}" if gaps else text)


def _between(exact: Array, errors: Errors, wanted: Quantised) -> Finding:
    """No verdict: a straight line stands for the function there, and how far it is off is not the entries' fault."""
    between = np.arange(len(errors.codes)) % STEP[wanted.type] > 0
    off = np.where(between, errors.errors, np.nan)
    if np.isnan(off).all():
        return Finding("between entries", None, "0 inputs compared: the function has no value at any")
    at = int(np.nanargmax(abs(off)))
    x = f"x = {wanted.real(int(errors.codes[at])):.6g}"
    text = (
        f"max {abs(off[at]):.4g} steps, at code {errors.codes[at]} ({x}: exact {errors.exact[at]:.6g}, "
        f"found {errors.found[at]:.6g}); mean {float(np.nanmean(abs(off))):.4g}; lines between entries have no bound"
    )
    least = told(np.where(between, _between_line(np.rint(exact), wanted) - errors.exact, np.nan))
    if not np.isnan(least).all():
        text += f", the table of the nearest codes has up to {float(np.nanmax(abs(least))):.4g}"
    return Finding("between entries", None, text + _counted(int((~np.isnan(off)).sum()), int(between.sum()), "inputs"))
