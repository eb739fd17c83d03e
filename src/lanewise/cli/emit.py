"""`lanewise emit`: an operator or a graph as C99 or SystemVerilog text."""

from __future__ import annotations

from pathlib import Path

from lanewise.cli.explain import check_given, settings_of
from lanewise.formats import load
from lanewise.formats.files import write_whole
from lanewise.graph.emit import emit
from lanewise.language.errors import InvalidError
from lanewise.operators.catalogue import named

MODELS = (".onnx", ".tosa", ".mlir")


def emit_command(
    subject: str,
    types: str | None,
    attributes: list[str],
    version: str | None,
    lang: str,
    name: str | None,
    output: Path | None,
) -> int:
    """Prints the text, or writes it to a file."""
    if Path(subject).suffix.lower() in MODELS:
        if types is not None or attributes or version is not None:
            raise InvalidError(f"{subject}: types, --attr and --version belong to an operator; a graph has its own")
        text = emit(load(subject), lang=lang, name=name)
    elif types is None:
        raise InvalidError(
            f"{subject}: give the types of its operands, such as int8, or a model file ({', '.join(MODELS)})"
        )
    else:
        settings = _named(subject, attributes)
        check_given(named(subject, version), settings)
        text = emit(subject, types, lang=lang, version=version, name=name, **settings)
    if output is None:
        print(text, end="")
    else:
        write_whole(output, lambda file: file.write(text.encode()))
        print(f"written: {output}")
    return 0


def _named(subject: str, attributes: list[str]) -> dict[str, object]:
    """The attributes by name; those that `emit` takes for itself cannot be among them."""
    settings = settings_of(attributes)
    for key in ("subject", "types", "lang", "version", "name"):
        if key in settings:
            raise InvalidError(f"{subject}: unknown attribute {key!r}; 'lanewise ops {subject}' lists those it has")
    return settings
