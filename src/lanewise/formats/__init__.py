"""Files ↔ graph. A model's format is found by its content; a tensor's as well."""

from __future__ import annotations

import os
from pathlib import Path

from lanewise.formats.files import DEFAULT_FILE_BYTES, path_of, read_bytes, write_whole
from lanewise.graph.model import DEFAULT_NODES, DEFAULT_TENSOR_BYTES, Model
from lanewise.language.errors import InvalidError, UnsupportedError

READ = ("onnx", "tosa", "mlir")


def load(
    source: str | os.PathLike[str] | bytes,
    *,
    format: str | None = None,
    profile: str | None = None,
    level: str | None = None,
    version: str | None = None,
    max_file_bytes: int = DEFAULT_FILE_BYTES,
    max_tensor_bytes: int = DEFAULT_TENSOR_BYTES,
    max_nodes: int = DEFAULT_NODES,
) -> Model:
    """The checked graph of a model file, or of its bytes (then `format` says what they
    are: "onnx", "tosa" or "mlir").

    Raises InvalidError where the file or graph breaks a rule and UnsupportedError for an operator,
    version, element type or format that lanewise does not have; both name file, place and rule.
    `profile` asks for a TOSA profile (several joined by commas), `level` for a level ("8K").
    `version` says which TOSA an MLIR text means that does not state one (1.1 if left out); files of
    other formats state theirs. The limits guard against hostile files: size of the file, bytes of
    all tensors together, number of nodes.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        content, name, folder = bytes(source), "model", None
        if format is None:
            raise InvalidError(f"load: bytes do not say what they are; give format=, one of {', '.join(READ)}")
    else:
        path = path_of(source, "load")
        content, name, folder = read_bytes(path, max_file_bytes), str(source), path.parent
        format = format or _format_of(content, path)
    if version is not None and format != "mlir":
        raise InvalidError(f"{name}: version {version} is asked for; only an MLIR text may leave its version open")
    if format == "tosa":
        from lanewise.formats import tosa_flatbuffer

        model = tosa_flatbuffer.model_from_bytes(content, name, max_tensor_bytes=max_tensor_bytes, max_nodes=max_nodes)
    elif format == "onnx":
        from lanewise.formats import onnx_protobuf

        model = onnx_protobuf.model_from_bytes(
            content, name, folder, max_tensor_bytes=max_tensor_bytes, max_nodes=max_nodes
        )
    elif format == "mlir":
        from lanewise.formats import mlir_text

        model = mlir_text.model_from_bytes(
            content, name, version=version, max_tensor_bytes=max_tensor_bytes, max_nodes=max_nodes
        )
    else:
        raise UnsupportedError(f"{name}: format {format!r}; lanewise reads {', '.join(READ)}")
    return model.check(profile, level)


def _format_of(content: bytes, path: Path) -> str:
    """What a file is: by its content where that tells, else by its name's ending."""
    from lanewise.formats.tosa_flatbuffer import is_tosa

    suffix = path.suffix.removeprefix(".").lower()
    return "tosa" if suffix == "tosa" or is_tosa(content) else suffix


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes a model; the name's ending chooses the format."""
    suffix = path_of(path, "save").suffix.lower()
    if suffix == ".onnx":
        from lanewise.formats import onnx_writer

        content = onnx_writer.model_bytes(model)
    elif suffix == ".tosa":
        from lanewise.formats import tosa_writer

        content = tosa_writer.model_bytes(model)
    elif suffix == ".mlir":
        from lanewise.formats import mlir_writer

        content = mlir_writer.model_bytes(model)
    else:
        raise UnsupportedError(
            f"{path}: lanewise writes .onnx, .tosa and .mlir files, not {suffix or 'files without an ending'}"
        )
    write_whole(path, lambda file: file.write(content))
