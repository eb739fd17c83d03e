"""`lanewise table build` and `lanewise table check`."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.cli.suite import check_place
from lanewise.conformance.tables.build import LENGTHS, Quantised, build_table
from lanewise.conformance.tables.check import Errors, check_table, unfit
from lanewise.conformance.tables.entries import Entry, csv_text, entries_of, lines, worst
from lanewise.conformance.tables.functions import function_named
from lanewise.formats.files import write_whole
from lanewise.formats.tensors import read_tensors, write_npy
from lanewise.language.errors import InvalidError, brief

MARKS = {True: "ok  ", False: "FAIL", None: "-   "}
SHOWN = 5  # entries
Scales = tuple[
    float | None, int | None, float | None, int | None
]  # None: not given. Input scale, its zero point, output scale, its zero point

SCALES = ("--input-scale", "--input-zero-point", "--output-scale", "--output-zero-point")


def build_command(function: str, output: Path, scales: Scales, type: str) -> int:
    """Writes a table."""
    input_scale, input_zero_point, output_scale, output_zero_point = scales
    if input_scale is None or output_scale is None:
        raise InvalidError("table build: give --input-scale and --output-scale")
    with redirect_stdout(sys.stderr):  # what a function of the user's prints is no part of the output
        table = build_table(function, input_scale, input_zero_point or 0, output_scale, output_zero_point or 0, type)
    write_npy(output, table)
    print(f"{output}: {len(table)} entries of {type}, from {table[0]} to {table[-1]}")
    return 0


def check_command(
    path: Path,
    function: str | None,
    scales: Scales,
    plot: Path | None,
    errors_file: Path | None,
    every: bool,
    as_json: bool,
) -> int:
    """Prints every check; the exit code is 1 if one fails. What the function prints goes to standard error."""
    tables = list(read_tensors(path).values())
    if len(tables) != 1:
        raise InvalidError(f"{path}: holds {len(tables)} arrays; a table is one")
    table = tables[0]
    of_errors: dict[str, Any] = {"--plot": plot, "--errors": errors_file, "--list": every or None} | dict(
        zip(SCALES, scales, strict=True)
    )
    if function is None:
        for option, given in of_errors.items():
            if given is not None:
                what = f"{option} {brief(str(given))}" if isinstance(given, Path) else option
                raise InvalidError(f"{what}: there is no error without a function; give --function")
    for option, file in (("--plot", plot), ("--errors", errors_file)):
        if file is not None:
            check_place(file, option)
            if file.exists() and file.samefile(path):
                raise InvalidError(f"{option} {file}: that is the table itself; give another file")
    if plot is not None and errors_file is not None and plot.resolve() == errors_file.resolve():
        raise InvalidError(f"--plot {plot}: --errors writes that file, too; give two")
    with redirect_stdout(sys.stderr):
        wanted = _wanted(table.dtype.name, function, scales)
        try:
            findings, errors = check_table(table, wanted) if wanted else (unfit(table, function is not None), None)
            if not findings:
                findings, errors = check_table(table)
        except InvalidError as error:
            raise InvalidError(f"{path}: {error}") from None
        entries = [] if wanted is None or errors is None else entries_of(table, errors.errors, wanted)
    written = _write(path, function, plot, errors_file, errors, entries, wanted)
    failed = sum(finding.good is False for finding in findings)
    if as_json:
        report = {
            "table": str(path),
            "checks": [{"check": f.check, "good": f.good, "text": f.text} for f in findings],
            "error": None if errors is None or np.isnan(errors.errors).all() else errors.report(),
            "entries": [entry.report(wanted) for entry in entries] if wanted and entries else None,
        }
        print(json.dumps(report, indent=2))
        return 1 if failed else 0
    for finding in findings:
        print(f"{MARKS[finding.good]} {finding.check}: {finding.text}")
    if wanted is not None and entries:
        shown = entries if every else worst(entries, SHOWN)
        if every:
            print("every entry, exact values and errors in steps of the output:")
        elif shown:
            print(f"the {len(shown)} entries farthest off, exact values and errors in steps of the output:")
        for line in lines(shown, wanted) if shown else ():
            print(f"  {line}")
    passed = sum(finding.good is True for finding in findings)
    without = len(findings) - passed - failed
    print(
        f"{path}: {passed} {'check' if passed == 1 else 'checks'} passed, {failed} failed"
        + (f", {without} without a verdict" if without else "")
    )
    for line in written:
        print(line)
    return 1 if failed else 0


def _wanted(type: str, function: str | None, scales: Scales) -> Quantised | None:
    """What the table is to be; None without a function, and for an array of a type that no table has."""
    input_scale, input_zero_point, output_scale, output_zero_point = scales
    if function is None:
        return None
    if input_scale is None or output_scale is None:
        raise InvalidError("table check: with a function, give --input-scale and --output-scale")
    real = function_named(function)
    if type not in LENGTHS:
        return None
    return Quantised(real, input_scale, input_zero_point or 0, output_scale, output_zero_point or 0, type)


def _write(
    path: Path,
    function: str | None,
    plot: Path | None,
    errors_file: Path | None,
    errors: Errors | None,
    entries: list[Entry],
    wanted: Quantised | None,
) -> list[str]:
    """Writes what is asked for; a line for each file."""
    files = [file for file in (plot, errors_file) if file is not None]
    if errors is None or wanted is None:
        return [f"not written, as there are no errors to show: {file}" for file in files]
    if plot is not None:
        from lanewise.conformance.tables.plot import plot_errors

        plot_errors(plot, errors, f"{path.name}: {function}")
    if errors_file is not None:
        content = csv_text(entries, wanted).encode()
        write_whole(errors_file, lambda file: file.write(content))
    return [f"written: {file}" for file in files]
