"""`lanewise`: the commands, their exit codes, and how errors reach a person.

Exit codes: 0 valid, 1 a check failed, 2 usage, 3 unpredictable, 4 error in graph or file, 5 unsupported.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lanewise import __version__
from lanewise.cli import workbench
from lanewise.cli.options import Inputs, Json, Model, TosaTools
from lanewise.cli.terminated import Terminated, cleaning_up
from lanewise.language.errors import InvalidError, LanewiseError, UnpredictableError, UnsupportedError, printable

VALID, FAILED, USAGE, UNPREDICTABLE, ERROR, UNSUPPORTED = range(6)
INTERRUPTED = 130  # as shells have it
# The base of click's errors; Typer has click inside or beside it, depending on its version.
USAGE_ERROR: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(
    name="lanewise",
    help="Run, check, prove and rewrite graphs of elementwise tensor operators, exactly.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 valid, 1 a check failed, 2 usage, 3 unpredictable, 4 error in graph or file, 5 unsupported.",
)

Profile = Annotated[str | None, typer.Option(help="Hold a TOSA graph to a profile, such as BI, or PRO-INT,EXT-INT64.")]
Level = Annotated[str | None, typer.Option(help="Hold a TOSA graph to this level (8K, none).")]
TosaVersion = Annotated[
    str | None, typer.Option(metavar="VERSION", help="The TOSA that an MLIR text means which does not state one.")
]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lanewise {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def run(
    model: Model,
    inputs: Inputs = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write every output to DIR as NAME.npy.")
    ] = None,
    mask: Annotated[bool, typer.Option(help="Also give, for every output, which elements are unpredictable.")] = False,
    engine: Annotated[str, typer.Option(help="native (fast) or exact (the oracle).")] = "native",
    profile: Profile = None,
    level: Level = None,
    tosa_version: TosaVersion = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads for large work (default: all cores).")] = None,
    max_tensor_bytes: Annotated[int | None, typer.Option(min=1, help="Limit for all tensors together.")] = None,
    as_json: Json = False,
) -> None:
    """Run a model file on tensors; prints status, outputs and violations."""
    from lanewise.cli.run import run_command

    raise typer.Exit(
        run_command(
            model,
            inputs or [],
            output,
            mask,
            engine,
            (profile, level, tosa_version),
            threads,
            max_tensor_bytes,
            as_json,
        )
    )


@app.command()
def check(
    model: Model,
    profile: Profile = None,
    level: Level = None,
    tosa_version: TosaVersion = None,
    as_json: Json = False,
) -> None:
    """Say whether a model file is valid, or which rule is broken where."""
    from lanewise.formats import load

    try:
        graph = load(model, profile=profile, level=level, version=tosa_version)
    except (InvalidError, UnsupportedError) as error:
        if as_json:
            kind = "error" if isinstance(error, InvalidError) else "unsupported"
            print(json.dumps({"model": str(model), "status": kind, "error": str(error)}, indent=2))
            raise typer.Exit(exit_code(error)) from None
        raise
    if as_json:
        print(json.dumps({"model": str(model), "status": "valid", "nodes": len(graph.nodes)}, indent=2))
    else:
        print(f"{model}: valid ({len(graph.nodes)} nodes, {len(graph.inputs)} inputs, {len(graph.outputs)} outputs)")


@app.command()
def show(model: Model, profile: Profile = None, level: Level = None, tosa_version: TosaVersion = None) -> None:
    """Print the graph as text."""
    from lanewise.formats import load

    print(load(model, profile=profile, level=level, version=tosa_version))


@app.command()
def suite(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder with desc.json tests below it.", show_default=False)
    ],
    filter: Annotated[str | None, typer.Option(metavar="REGEX", help="Only tests whose path matches.")] = None,
    output: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write every verdict to FILE.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (default: all cores).")] = None,
) -> None:
    """Run a folder of conformance tests; ends 'N passed, N failed, N skipped'."""
    from lanewise.cli.suite import suite_command

    raise typer.Exit(suite_command(folder, filter, output, workers))


@app.command()
def ops(
    operator: Annotated[str | None, typer.Argument(metavar="[OPERATOR]", show_default=False)] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="OLD NEW", help="What changes between two versions, in words and in values."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the operators, or print one's rows, requirements, versions and examples."""
    if diff is not None:
        if operator is None:
            raise typer.BadParameter("--diff needs an operator")
        from lanewise.cli.diff import diff_command

        diff_command(operator, *diff)
        return
    from lanewise.cli.ops import ops_command

    ops_command(operator, as_json)


@app.command()
def prove(
    models: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[A B]", help="Two model files; without them, the list.", show_default=False),
    ] = None,
    filter: Annotated[
        str | None, typer.Option(metavar="REGEX", help="Only theorems whose group and name match.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Print every theorem, not only slow ones and failures.")] = False,
    output: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write every verdict to FILE.")] = None,
    record: Annotated[
        bool, typer.Option(help="Keep what is proven in the record that reports of lowerings quote.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (default: all cores).")] = None,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="For one question to the solver, as work of an idle processor.")
    ] = 60.0,
) -> None:
    """Prove every rewrite that lanewise relies on, or that two models agree.

    Ends 'N proven, N refuted, N unknown'; exit code 1 if anything is not proven.
    """
    from lanewise.cli.prove import prove_list, prove_pair

    if models:
        if len(models) != 2:
            raise typer.BadParameter("give two models, or none for the list")
        for_list = {"--filter": filter is not None, "--all": every, "--record": record, "--workers": bool(workers)}
        unread = [option for option, given in for_list.items() if given]
        if unread:
            raise typer.BadParameter(
                f"only the list of theorems takes {' and '.join(unread)}; leave it out for two models"
            )
        raise typer.Exit(prove_pair(models[0], models[1], output, seconds))
    if record and filter is not None:
        raise typer.BadParameter("--record writes the record of all theorems; it goes without --filter")
    raise typer.Exit(prove_list(filter, every, output, record, workers, seconds))


@app.command()
def lower(
    model: Model,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write: .tosa, .mlir or .onnx.")
    ],
    to: Annotated[
        str | None, typer.Option(help="tosa or onnx (default: what the output's ending says).", show_default=False)
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(help="TOSA version, or ONNX opset (default: 0.23.0, 1.0 for .mlir, 28).", show_default=False),
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Carry 64-bit integers as two int32 tensors each (TOSA before 1.1).")
    ] = False,
    shape: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SIZES", help="The shape of an input with open sizes, as x=2,3. Repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Rewrite a model in another specification's operators, and report what became of every node."""
    from lanewise.cli.lower import lower_command

    raise typer.Exit(lower_command(model, output, to, version, pairs, shape or [], as_json))


@app.command()
def shifts(
    model: Model,
    repair: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the model with real shifts to FILE (.onnx).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find shifts that an exporter wrote as divisions or products, each with an element that shows the difference.

    Exit code 1 if some are found and not repaired.
    """
    from lanewise.cli.lower import shifts_command

    raise typer.Exit(shifts_command(model, repair, as_json))


@app.command()
def conform(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="numpy, onnxruntime, onnx, torch, jax, litert, iree, tosa, module:function, or a program "
            "(docs/conform.md).",
            show_default=False,
        ),
    ],
    operator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGEX",
            help="Only operators (as BitShift-28, or Add) that match, in capitals or not. Repeatable.",
            show_default=False,
        ),
    ] = None,
    type: Annotated[
        list[str] | None,
        typer.Option(metavar="REGEX", help="Only types (as int8) that match. Repeatable.", show_default=False),
    ] = None,
    version: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERSION",
            help="Only operators in force at an ONNX opset (as 13) or a TOSA release (as 1.0). Repeatable.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write everything to FILE as JSON.", show_default=False),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one page for a browser to FILE.", show_default=False)
    ] = None,
    tosa_tools: TosaTools = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one answer.")] = 20.0,
    workers: Annotated[int, typer.Option(min=1, help="Targets side by side.")] = 2,
) -> None:
    """Judge other implementations: every operator and type, where they differ, refuse or crash, and by which rule.

    Exit code 1 if a target differs, crashes, hangs, accepts what it must refuse, or is not there.
    """
    from lanewise.cli.conform import conform_command

    raise typer.Exit(
        conform_command(targets, operator or [], type or [], version or [], output, html, tosa_tools, timeout, workers)
    )


@app.command(context_settings={"ignore_unknown_options": True})
def explain(
    operator: Annotated[str, typer.Argument(show_default=False)],
    type: Annotated[
        str, typer.Argument(help="Element type of the inputs, such as int8; several: bool,int8", show_default=False)
    ],
    values: Annotated[
        list[str], typer.Argument(metavar="VALUES...", help="One element: a value for each input.", show_default=False)
    ],
    attr: Annotated[
        list[str] | None, typer.Option("--attr", "-a", metavar="K=V", help="An attribute. Repeatable.")
    ] = None,
    version: Annotated[str | None, typer.Option(help="ONNX opset or TOSA version (default: 28, 0.23.0).")] = None,
    runtimes: Annotated[
        bool, typer.Option("--runtimes", help="Ask every installed runtime as well, each in a process of its own.")
    ] = False,
    tosa_tools: TosaTools = None,
    as_json: Json = False,
) -> None:
    """Show one element bit by bit, with the rule that decides and what every version says of it."""
    from lanewise.cli.explain import explain_command

    raise typer.Exit(explain_command(operator, type, values, attr or [], version, as_json, runtimes, tosa_tools))


@app.command()
def emit(
    subject: Annotated[
        str, typer.Argument(metavar="OPERATOR|MODEL", help="An operator, or a model file.", show_default=False)
    ],
    types: Annotated[
        str | None,
        typer.Argument(help="Element types of an operator's inputs: int8, or bool,int8,int8", show_default=False),
    ] = None,
    attr: Annotated[
        list[str] | None,
        typer.Option("--attr", "-a", metavar="K=V", help="An attribute, or an operand to be fixed. Repeatable."),
    ] = None,
    version: Annotated[str | None, typer.Option(help="ONNX opset or TOSA version (default: 28, 0.23.0).")] = None,
    lang: Annotated[str, typer.Option(help="c (C99) or sv (SystemVerilog).")] = "c",
    name: Annotated[str | None, typer.Option(help="Name of the function or module (default: says what it is).")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE.")] = None,
) -> None:
    """Write one element of an operator or a graph as a C99 function or a SystemVerilog module."""
    from lanewise.cli.emit import emit_command

    raise typer.Exit(emit_command(subject, types, attr or [], version, lang, name, output))


app.add_typer(workbench.app)


def exit_code(error: LanewiseError) -> int:
    if isinstance(error, UnpredictableError):
        return UNPREDICTABLE
    return UNSUPPORTED if isinstance(error, UnsupportedError) else ERROR


def main() -> None:
    """Runs a command; an error of the user's becomes one line and an exit code, never a traceback."""
    try:
        with cleaning_up():
            code = _guarded(sys.argv[1:])
    except Terminated as end:  # after the command's own end
        code = end.code
    sys.exit(code)


def _guarded(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        print(end="", flush=True)  # what cannot be written shows here, not when Python shuts down
    except LanewiseError as error:
        return _failed(str(error), exit_code(error))
    except BrokenPipeError:  # the reader of a pipe has gone: nobody wants the rest
        _settle_output()
        return VALID
    except OSError as error:
        _settle_output()
        return _failed(f"{error.filename or 'output'}: {error.strerror or error}", ERROR)
    except MemoryError:
        return _failed("not enough memory for these tensors", ERROR)
    except Terminated as end:
        return _failed("terminated", end.code)
    except KeyboardInterrupt:
        return _failed("interrupted", INTERRUPTED)
    return code


def _run(arguments: list[str]) -> int:
    """One command. Typer's own entry answers a closed pipe with code 1, so this is the part of it without that."""
    try:
        with typer.main.get_command(app).make_context("lanewise", arguments) as context:
            context.command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except USAGE_ERROR as error:
        error.show()
        return USAGE
    return VALID


def _failed(message: str, code: int) -> int:
    print(f"lanewise: {printable(message)}", file=sys.stderr)
    return code


def _settle_output() -> None:
    """Where output cannot be written, it goes nowhere, so that Python's last flush has nothing to complain about."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
