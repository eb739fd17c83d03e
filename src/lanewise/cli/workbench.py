"""The commands of the workbench: test vectors, tables, and where two runs of a graph part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lanewise.cli.options import Inputs, Json, Model, TosaTools

app = typer.Typer()


@app.command()
def vectors(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[OUT]", help="A new folder, or an older corpus to replace.", show_default=False),
    ] = None,
    format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="onnx, tosa, npz, csv, json, c or readmemh.")
    ] = None,
    filter: Annotated[str | None, typer.Option(metavar="REGEX", help="Only sets whose name or row matches.")] = None,
    version: Annotated[
        str | None, typer.Option(help="Only what is in force at an ONNX opset or a TOSA release.", show_default=False)
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Regenerate, and compare with the pinned hashes, or with the files in OUT.")
    ] = False,
    pin: Annotated[
        bool, typer.Option("--pin", hidden=True, help="Keep the hashes of the corpus as it is now.")
    ] = False,
) -> None:
    """Write the frozen test vectors of every operator, type and version; or check them. Exit code 1 on a difference."""
    from lanewise.cli.vectors import vectors_command

    raise typer.Exit(vectors_command(folder, format, filter, version, check, pin))


table = typer.Typer(help="Build and check the tables of quantised functions.", no_args_is_help=True)
app.add_typer(table, name="table")
Function = Annotated[str, typer.Argument(metavar="FUNCTION", help="A name such as tanh, or module:function.")]
InputScale = Annotated[float | None, typer.Option(help="real = (code - zero point) * scale", show_default=False)]
ZeroPoint = Annotated[int, typer.Option(help="The code that stands for 0.")]
CheckedZeroPoint = Annotated[int | None, typer.Option(help="The code that stands for 0.", show_default="0")]


@table.command("build")
def table_build(
    function: Function,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="The .npy file to write.")],
    input_scale: InputScale = None,
    input_zero_point: ZeroPoint = 0,
    output_scale: InputScale = None,
    output_zero_point: ZeroPoint = 0,
    type: Annotated[str, typer.Option(help="int8 (256 entries) or int16 (513 entries).")] = "int8",
) -> None:
    """Write the table of a real function between quantised numbers."""
    from lanewise.cli.table import build_command

    scales = (input_scale, input_zero_point, output_scale, output_zero_point)
    raise typer.Exit(build_command(function, output, scales, type))


@table.command("check")
def table_check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table: .npy, .npz or .pb.", show_default=False)],
    function: Annotated[
        str | None, typer.Option(help="What it is to be: a name such as tanh, or module:function.", show_default=False)
    ] = None,
    input_scale: InputScale = None,
    input_zero_point: CheckedZeroPoint = None,
    output_scale: InputScale = None,
    output_zero_point: CheckedZeroPoint = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the error (needs matplotlib).")] = None,
    errors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every entry with its error to FILE as CSV.")
    ] = None,
    every: Annotated[bool, typer.Option("--list", help="Print every entry, not only those farthest off.")] = False,
    as_json: Json = False,
) -> None:
    """Check a table: length, steps, order of codes, shape, end points, error. Exit code 1 if a check fails.

    With a function, each entry is listed with its code, the real input, what the table has, the exact value and the
    entry that a correct builder gives.
    """
    from lanewise.cli.table import check_command

    scales = (input_scale, input_zero_point, output_scale, output_zero_point)
    raise typer.Exit(check_command(file, function, scales, plot, errors, every, as_json))


@app.command("diff-run")
def diff_run(
    model: Model,
    inputs: Inputs = None,
    engines: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help="Two of native, exact, and the targets of 'lanewise conform': onnxruntime, onnx, tosa and iree run "
            "whole graphs; numpy, torch, jax, litert, module:function and program:COMMAND node by node.",
        ),
    ] = "native,exact",
    tosa_tools: TosaTools = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one answer of a target.")] = 60.0,
    as_json: Json = False,
) -> None:
    """Run a model twice, and show the first node whose results differ, and where.

    Exit code 1 if one does, or if a target dies or hangs: then the node that brings it about is shown. Nodes that a
    target refuses or has not are listed, and what follows them goes on from the specification's values.
    """
    from lanewise.cli.diff_run import diff_run_command

    raise typer.Exit(diff_run_command(model, inputs or [], engines, timeout, tosa_tools, as_json))
