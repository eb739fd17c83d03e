"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file (.onnx, .tosa, .mlir).", show_default=False)]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=FILE", help="A tensor for an input: .npy, .npz or .pb. Repeatable."),
]
TosaTools = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        envvar="LANEWISE_TOSA_TOOLS",
        help="A virtual environment with tosa-tools.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
