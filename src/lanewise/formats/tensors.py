"""Tensor files: .npy, .npz and .pb (an ONNX TensorProto)."""

from __future__ import annotations

import io
import os
import zipfile
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np

from lanewise.engines.storage import sort_of
from lanewise.formats.files import read_bytes, write_whole
from lanewise.graph.model import DEFAULT_TENSOR_BYTES
from lanewise.language.errors import InvalidError, UnsupportedError, brief
from lanewise.language.shapes import MAX_RANK

Array = np.ndarray[Any, Any]


def read_tensors(path: str | os.PathLike[str], *, max_tensor_bytes: int = DEFAULT_TENSOR_BYTES) -> dict[str, Array]:
    """The tensors of a file by name; a .npy has one, under the name ''.

    The content must be exactly what its header says. Pickled objects are refused.
    """
    content = read_bytes(path, max_tensor_bytes + (1 << 16))
    name = os.fspath(path)
    if content.startswith(b"\x93NUMPY"):
        return {"": npy_array(content, name)}
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _npz(content, name, max_tensor_bytes)
    if Path(path).suffix == ".pb":
        from lanewise.formats.onnx_tensor import tensor_from_bytes

        found, array = tensor_from_bytes(content, name, max_tensor_bytes)
        return {found: array}
    raise UnsupportedError(f"{name}: not a tensor file that lanewise reads (.npy, .npz, or .pb with an ONNX tensor)")


def npy_array(content: bytes, name: str) -> Array:
    """The array in the bytes of a .npy file."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, columns, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, columns, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise ValueError(f"format version {version} holds structured types only")
    except Exception as error:  # NumPy reads the header with Python's own parser, which raises many kinds
        raise InvalidError(f"{name}: the .npy header cannot be read: {error}") from None
    if dtype.hasobject:
        raise InvalidError(f"{name}: holds Python objects (pickles), which are never loaded")
    if dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None:
        import ml_dtypes  # NumPy's format cannot name bfloat16: it writes two bare bytes

        dtype = np.dtype(ml_dtypes.bfloat16)
    if sort_of(dtype) is None:
        raise InvalidError(f"{name}: dtype {dtype} is no element type of lanewise")
    payload = memoryview(content)[stream.tell() :]
    if any(type(size) is not int or not 0 <= size < 1 << 63 for size in shape):
        raise InvalidError(f"{name}: shape {brief(shape)} has a dimension that is no size")
    if len(shape) > MAX_RANK:
        raise InvalidError(f"{name}: rank {len(shape)} is above {MAX_RANK}")
    needed = prod(shape) * dtype.itemsize
    if needed != len(payload):
        raise InvalidError(f"{name}: shape {shape} of {dtype} needs {needed:,} bytes; the file holds {len(payload):,}")
    if dtype.kind == "b":
        _check_bool(np.frombuffer(payload, np.uint8), name)
    return np.frombuffer(payload, dtype).reshape(shape, order="F" if columns else "C")


def _check_bool(stored: Array, name: str) -> None:
    if stored.size and int(stored.max()) > 1:
        raise InvalidError(f"{name}: holds the byte {int(stored.max())} as a boolean; allowed: 0, 1")


def _npz(content: bytes, name: str, limit: int) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if total > limit:
                raise InvalidError(f"{name}: unpacks to {total:,} bytes; the limit is {limit:,}")
            result: dict[str, Array] = {}
            for member in members:
                key = member.filename.removesuffix(".npy")
                if key in result:
                    raise InvalidError(f"{name}: member {member.filename!r} is there twice")
                with archive.open(member) as file:
                    unpacked = file.read(member.file_size + 1)
                if len(unpacked) != member.file_size:
                    raise InvalidError(f"{name}: member {member.filename!r} is longer than the archive says")
                result[key] = npy_array(unpacked, f"{name}, member {member.filename!r}")
            return result
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, InvalidError):
            raise
        raise InvalidError(f"{name}: the archive cannot be read: {error}") from None
    except Exception as error:  # a broken deflate stream raises zlib.error, which zipfile lets through
        if type(error).__name__ == "error":
            raise InvalidError(f"{name}: the archive cannot be read: {error}") from None
        raise


def write_npy(path: str | os.PathLike[str], array: Array) -> None:
    """Writes one array; the file appears whole or not at all."""

    def write(file: IO[bytes]) -> None:
        np.lib.format.write_array(file, array, allow_pickle=False)

    write_whole(path, write)
