"""`lanewise table build` and `lanewise table check`."""

from __future__ import annotations

import json
from pathlib import Path

from lanewise.conformance.tables.build import Quantised, build_table
from lanewise.conformance.tables.check import check_table
from lanewise.conformance.tables.functions import function_named
from lanewise.formats.tensors import read_tensors, write_npy
from lanewise.language.errors import InvalidError, brief

Scales = tuple[float | None, int, float | None, int]  # input scale, its zero point, output scale, its zero point


def build_command(function: str, output: Path, scales: Scales, type: str) -> int:
    """Writes a table."""
    input_scale, input_zero_point, output_scale, output_zero_point = scales
    if input_scale is None or output_scale is None:
        raise InvalidError("table build: give --input-scale and --output-scale")
    table = build_table(function, input_scale, input_zero_point, output_scale, output_zero_point, type)
    write_npy(output, table)
    print(f"{output}: {len(table)} entries of {type}, from {table[0]} to {table[-1]}")
    return 0


def check_command(path: Path, function: str | None, scales: Scales, plot: Path | None, as_json: bool) -> int:
    """Prints every check; the exit code is 1 if one fails."""
    tables = list(read_tensors(path).values())
    if len(tables) != 1:
        raise InvalidError(f"{path}: holds {len(tables)} arrays; a table is one")
    input_scale, input_zero_point, output_scale, output_zero_point = scales
    wanted = None
    if function is not None:
        if input_scale is None or output_scale is None:
            raise InvalidError("table check: with a function, give --input-scale and --output-scale")
        type = tables[0].dtype.name
        real = function_named(function)
        wanted = Quantised(real, input_scale, input_zero_point, output_scale, output_zero_point, type)
    try:
        findings, errors = check_table(tables[0], wanted)
    except InvalidError as error:
        raise InvalidError(f"{path}: {error}") from None
    if plot is not None:
        from lanewise.conformance.tables.plot import plot_errors

        if errors is None:
            raise InvalidError(f"--plot {brief(str(plot))}: there is no error without a function; give --function")
        plot_errors(plot, errors, f"{path.name}: {function}")
    failed = sum(not finding.good for finding in findings)
    if as_json:
        listed = [{"check": f.check, "good": f.good, "text": f.text} for f in findings]
        report = {"table": str(path), "checks": listed, "error": None if errors is None else errors.report()}
        print(json.dumps(report, indent=2))
    else:
        for finding in findings:
            print(f"{'ok  ' if finding.good else 'FAIL'} {finding.check}: {finding.text}")
        passed = len(findings) - failed
        print(f"{path}: {passed} {'check' if passed == 1 else 'checks'} passed, {failed} failed")
        if plot is not None:
            print(f"written: {plot}")
    return 1 if failed else 0
