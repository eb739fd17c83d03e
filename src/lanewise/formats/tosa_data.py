"""Constant data in TOSA files: little-endian, int48 in six bytes, int4 two to a byte."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]


def stored_bytes(sort: Sort, count: int) -> int:
    """How many bytes that many elements take in a file."""
    if sort.kind == "bool":
        return count
    return (count * sort.width + 7) // 8


def decode(data: bytes | None, sort: Sort, shape: tuple[int, ...], limit: int, who: str) -> Array:
    """The array in the bytes; their number must be what type and shape demand.

    The public writer fills data up to a multiple of 8 bytes with zeros, and an empty list to 8; that is allowed.
    """
    count = prod(shape)
    needed = stored_bytes(sort, count)
    content = data or b""
    if len(content) == max(-(-needed // 8), 1) * 8 and not any(content[needed:]):
        content = content[:needed]
    if needed > limit:
        raise InvalidError(f"{who} needs {needed:,} bytes; the limit is {limit:,} (max_tensor_bytes)")
    if len(content) != needed:
        raise InvalidError(
            f"{who}: shape {list(shape)} of {sort.name} needs {needed} bytes; the file has {len(content)}"
        )
    if sort.kind == "bool":
        raw = np.frombuffer(content, np.uint8)
        if count and int(raw.max()) > 1:
            raise InvalidError(f"{who} holds the byte {int(raw.max())} as a boolean; allowed: 0, 1")
        return raw.astype(np.bool_).reshape(shape)
    if sort.width == 48:
        padded = np.zeros((count, 8), np.uint8)
        padded[:, :6] = np.frombuffer(content, np.uint8).reshape(count, 6)
        padded[:, 6:] = np.where(padded[:, 5:6] & 0x80, 0xFF, 0)
        return padded.view("<i8").astype(np.int64).reshape(shape)
    if sort.width == 4:
        raw = np.frombuffer(content, np.uint8)
        nibbles = np.stack([raw & 15, raw >> 4], axis=1).ravel()[:count].astype(np.int8)
        return ((nibbles ^ 8) - 8).astype(np.int8).reshape(shape)
    stored = dtype_of(sort)
    return np.frombuffer(content, stored.newbyteorder("<")).astype(stored).reshape(shape)


def encode(array: Array, sort: Sort) -> bytes:
    """The bytes of an array as a file keeps them."""
    if sort.kind == "bool":
        return array.astype(np.uint8).tobytes()
    if sort.width == 48:
        whole = np.ascontiguousarray(array.ravel().astype("<i8")).view(np.uint8).reshape(-1, 8)
        return whole[:, :6].tobytes()
    if sort.width == 4:
        nibbles = array.ravel().view(np.uint8) & 15
        if nibbles.size % 2:
            nibbles = np.append(nibbles, np.uint8(0))
        return bytes((nibbles[::2] | nibbles[1::2] << 4).astype(np.uint8).tobytes())
    return np.ascontiguousarray(array.astype(dtype_of(sort).newbyteorder("<"), copy=False)).tobytes()
