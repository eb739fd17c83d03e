"""ONNX tensors (TensorProto): decoded strictly, external data only from inside the model's folder."""

from __future__ import annotations

import os
import stat
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, storage_width
from lanewise.formats.files import opened
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.sorts import Sort
from lanewise.operators.onnx.rows import TYPE_NUMBERS

Array = np.ndarray[Any, Any]

_FIELDS = ("float_data", "int32_data", "string_data", "int64_data", "double_data", "uint64_data")
_EXTERNAL_KEYS = ("location", "offset", "length", "checksum")


def sort_from_number(number: int, who: str) -> Sort:
    """The element type with that number in the file format."""
    sort = TYPE_NUMBERS.get(number)
    if sort is None:
        import onnx

        try:
            name = onnx.TensorProto.DataType.Name(number).lower()
        except ValueError:
            raise InvalidError(f"{who}: element type number {number} does not exist") from None
        raise UnsupportedError(f"{who}: element type {name} is not one of lanewise's")
    return sort


def tensor_from_bytes(content: bytes, name: str, limit: int) -> tuple[str, Array]:
    """Name and value of a serialised TensorProto (a .pb file)."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        tensor = onnx.TensorProto.FromString(content)
    except DecodeError as error:
        raise InvalidError(f"{name}: not an ONNX tensor: {error}") from None
    return tensor.name, tensor_array(tensor, name, None, limit)


def tensor_array(tensor: Any, who: str, folder: Path | None, limit: int) -> Array:
    """The value of a TensorProto; every count and value must be what shape and type demand."""
    sort = sort_from_number(tensor.data_type, who)
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape):
        raise InvalidError(f"{who}: shape {list(shape)} has a negative dimension")
    if len(shape) > 64:
        raise InvalidError(f"{who}: rank {len(shape)} is above 64")
    size = prod(shape)
    needed = size * storage_width(sort) // 8
    if needed > limit:
        raise InvalidError(f"{who}: needs {needed:,} bytes; the limit is {limit:,} (max_tensor_bytes)")
    if tensor.HasField("segment"):
        raise UnsupportedError(f"{who}: tensor segments are not read")
    filled = [field for field in _FIELDS if len(getattr(tensor, field))]
    external = tensor.data_location == tensor.EXTERNAL
    sources = filled + (["raw_data"] if tensor.HasField("raw_data") else []) + (["external data"] if external else [])
    if len(sources) > 1:
        raise InvalidError(f"{who}: the value is stored twice, in {' and '.join(sources)}")
    if external:
        payload = _external_bytes(tensor, who, folder, needed)
    elif tensor.HasField("raw_data"):
        payload = tensor.raw_data
    else:
        return _typed_values(tensor, sort, filled, who, size).reshape(shape)
    if len(payload) != needed:
        raise InvalidError(
            f"{who}: shape {list(shape)} of {sort.name} needs {needed} bytes; {sources[0]} has {len(payload)}"
        )
    if sort.kind == "bool" and payload and max(payload) > 1:
        raise InvalidError(f"{who}: holds the byte {max(payload)} as a boolean; allowed: 0, 1")
    # The format is little-endian on every machine.
    stored = np.frombuffer(payload, dtype_of(sort).newbyteorder("<"))
    return stored.astype(dtype_of(sort), copy=False).reshape(shape)


def _field_of(sort: Sort) -> str:
    if sort.kind == "float":
        return {32: "float_data", 64: "double_data"}.get(sort.width, "int32_data")
    if sort.kind == "bool" or sort.width < 32 or (sort.width == 32 and sort.signed):
        return "int32_data"
    return "int64_data" if sort.signed else "uint64_data"


def _typed_values(tensor: Any, sort: Sort, filled: list[str], who: str, size: int) -> Array:
    """The value from the field that belongs to the type."""
    field = _field_of(sort)
    if filled and filled[0] != field:
        raise InvalidError(f"{who}: a {sort.name} tensor keeps its values in {field}, not in {filled[0]}")
    values = getattr(tensor, field)
    if len(values) != size:
        raise InvalidError(f"{who}: shape {list(tensor.dims)} needs {size} values; {field} has {len(values)}")
    if sort.kind == "float" and sort.width >= 32:
        return np.array(values, dtype_of(sort))
    low, high = (0, 0xFFFF) if sort.kind == "float" else (sort.lowest, sort.highest)
    wide = np.array(values, np.uint64 if field == "uint64_data" else np.int64)
    if size and not (low <= int(wide.min()) and int(wide.max()) <= high):
        bad = int(wide.min()) if int(wide.min()) < low else int(wide.max())
        raise InvalidError(f"{who}: {field} holds {bad}, which is outside {sort.name} ({low} … {high})")
    if sort.kind == "float":
        return wide.astype(np.uint16).view(dtype_of(sort))
    return wide.astype(dtype_of(sort))


def _external_bytes(tensor: Any, who: str, folder: Path | None, needed: int) -> bytes:
    """The part of a file beside the model that holds the value."""
    settings: dict[str, str] = {}
    for entry in tensor.external_data:
        if entry.key not in _EXTERNAL_KEYS:
            raise InvalidError(
                f"{who}: external data has the unknown key {entry.key!r}; known: {', '.join(_EXTERNAL_KEYS)}"
            )
        if entry.key in settings:
            raise InvalidError(f"{who}: external data has the key {entry.key!r} twice")
        settings[entry.key] = entry.value
    if folder is None:
        raise InvalidError(f"{who}: the value is external data, but a model given as bytes has no folder")
    offset = _number(settings.get("offset", "0"), "offset", who)
    length = _number(settings.get("length", str(needed)), "length", who)
    if length != needed:
        raise InvalidError(f"{who}: shape and type need {needed} bytes; external data has length {length}")
    path = inside(folder, settings.get("location", ""), who)
    location = settings["location"]
    try:
        handle, info = opened(path, "O_NOFOLLOW")
    except OSError as error:
        raise InvalidError(f"{who}: external data {location!r}: {error.strerror}") from None
    try:
        if not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
            raise InvalidError(f"{who}: external data {location!r} is a link or no regular file")
        if offset + length > info.st_size:
            raise InvalidError(
                f"{who}: external data {location!r} has {info.st_size} bytes; "
                f"offset {offset} and length {length} reach past its end"
            )
        with os.fdopen(handle, "rb", closefd=False) as file:
            file.seek(offset)
            return file.read(length)
    finally:
        os.close(handle)


def inside(folder: Path, location: str, who: str) -> Path:
    """A path below the model's folder; refuses absolute paths, '..', and links on the way."""
    parts = Path(location.replace("\\", "/")).parts
    if (
        not location
        or "\0" in location
        or Path(location).is_absolute()
        or ".." in parts
        or location.startswith(("/", "\\"))
    ):
        raise InvalidError(f"{who}: external data location {location!r} leaves the model's folder")
    base = folder.resolve()
    path = base.joinpath(*parts)
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidError(f"{who}: external data location {location!r}: {error}") from None
    if resolved != path:
        raise InvalidError(f"{who}: external data location {location!r} goes through a link")
    return path


def _number(text: str, key: str, who: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise InvalidError(f"{who}: external data has {key} {text[:40]!r}; allowed: a whole number from 0 on")
    return int(text)
