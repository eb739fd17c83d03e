"""Dense literals of MLIR text ↔ arrays: lists, splats, hexadecimal bytes, and the bit patterns of floats."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.language import floats
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort, bf16

Array = np.ndarray[Any, Any]

_NUMBER = re.compile(r"true|false|-?0x[0-9A-Fa-f]++|-?[0-9]++(?:\.[0-9]*+(?:[eE][-+]?[0-9]++)?+)?+")
_WHOLE = re.compile(r"-?(?:0x[0-9A-Fa-f]++|[0-9]++)")
_LONGEST = 1_000  # characters of one number; Python reads no decimal of more than 4,300 digits
_LISTED = 100  # elements that are written as numbers; beyond it as bytes, as MLIR's printer does


def decode(body: str, sort: Sort, shape: tuple[int, ...], limit: int, who: str) -> Array:
    """The array that a literal means for that type; a splat takes the memory of one element."""
    count = prod(shape)
    needed = count * dtype_of(sort).itemsize
    if needed > limit:
        raise InvalidError(f"{who} needs {needed:,} bytes; the limit is {limit:,} (max_tensor_bytes)")
    if body.startswith('"'):
        return _shaped(_from_bytes(body, sort, count, who), shape)
    numbers = _NUMBER.findall(body)
    if len(numbers) not in (1, count):
        raise InvalidError(f"{who}: shape {list(shape)} needs {count} numbers; the text has {len(numbers)}")
    # What is left when each number is one sign must be the brackets and commas of the shape.
    structure = re.sub(r"\s+", "", _NUMBER.sub("n", body))
    if structure != "n" and structure != _structure(shape):
        raise InvalidError(f"{who}: the literal is no number, and no list of numbers with shape {list(shape)}")
    return _shaped(_values(numbers, sort, who), shape)


def _structure(shape: tuple[int, ...]) -> str:
    inner = "n"
    for size in reversed(shape):
        inner = "[" + ",".join([inner] * size) + "]"
    return inner if shape != (0,) else ""


def _shaped(values: Array, shape: tuple[int, ...]) -> Array:
    if values.size == 1 and prod(shape) != 1:
        return np.broadcast_to(values.reshape(()), shape)
    return values.reshape(shape)


def _values(numbers: list[str], sort: Sort, who: str) -> Array:
    wrong = next((text for text in numbers if len(text) > _LONGEST or not _fits_kind(text, sort)), None)
    if wrong is not None:
        raise InvalidError(f"{who}: {wrong[:40]} is no value of {sort.name}")
    if sort.kind == "float":
        return _floats(numbers, sort, who)
    if sort.kind == "bool":
        return np.array([text not in ("false", "0") for text in numbers], np.bool_)
    values = [int(text, 16 if "x" in text else 10) for text in numbers]
    highest = (1 << sort.width) - 1  # MLIR's integers have no sign: 255 and -1 are the same i8
    beyond = next((value for value in values if not sort.lowest <= value <= highest), None)
    if beyond is not None:
        raise InvalidError(f"{who}: {beyond} does not fit {sort.width} bits")
    return np.array([value - (value > sort.highest) * (highest + 1) for value in values], dtype_of(sort))


def _fits_kind(text: str, sort: Sort) -> bool:
    if sort.kind == "bool":
        return text in ("true", "false", "0", "1", "-1")
    if sort.kind == "int":
        return _WHOLE.fullmatch(text) is not None
    return "." in text or text.startswith("0x")  # hexadecimal: the bit pattern; MLIR refuses 1 without a dot


def _floats(numbers: list[str], sort: Sort, who: str) -> Array:
    real = np.array([0.0 if text.startswith("0x") else float(text) for text in numbers], np.float64)
    with np.errstate(over="ignore"):
        result = real.astype(dtype_of(sort))
    patterns: Array = result.view(f"u{sort.width // 8}")
    if sort == bf16:  # NumPy goes there by way of float32, and so rounds twice
        for index in np.flatnonzero(result.astype(np.float64) != real).tolist():
            patterns[index] = floats.encode(float(real[index]), sort)
    for index, text in enumerate(numbers):
        if text.startswith("0x"):
            pattern = int(text, 16)
            if pattern >> sort.width:
                raise InvalidError(f"{who}: {text[:40]} is no bit pattern of {sort.width} bits")
            patterns[index] = pattern
    return result


def _from_bytes(body: str, sort: Sort, count: int, who: str) -> Array:
    """Elements as bytes, little-endian: those of less than a byte take one, int48 takes six."""
    digits = body[3:-1]
    if not body.startswith('"0x') or not body.endswith('"') or len(digits) % 2:
        raise InvalidError(f'{who}: bytes are written "0x…", two digits each')
    try:
        content = bytes.fromhex(digits)
    except ValueError:
        raise InvalidError(f'{who}: bytes are written "0x…", two digits each') from None
    each = (sort.width + 7) // 8
    if sort.kind == "bool" and len(content) == (count + 7) // 8 and count > 1:  # until 2025, eight to a byte
        return np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little")[:count].astype(np.bool_)
    if len(content) not in (each, count * each):
        raise InvalidError(f"{who}: {count} elements of {sort.name} take {count * each} bytes; it has {len(content)}")
    raw = np.frombuffer(content, np.uint8)
    if sort.kind == "bool":
        return raw.astype(np.bool_)
    if sort.width == 4:
        return (((raw & 15) ^ 8).astype(np.int8) - 8).astype(np.int8)
    if sort.width == 48:
        padded = np.zeros((raw.size // 6, 8), np.uint8)
        padded[:, :6] = raw.reshape(-1, 6)
        padded[:, 6:] = np.where(padded[:, 5:6] & 0x80, 0xFF, 0)
        return padded.view("<i8").astype(np.int64).ravel()
    stored = dtype_of(sort)
    return np.frombuffer(content, stored.newbyteorder("<")).astype(stored)


def encode(array: Array, sort: Sort) -> str:
    """The literal that reads back to these bits."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if not flat.size:
        return ""
    if flat.size > 1 and not any(array.strides):
        flat, array = flat[:1], array.reshape(-1)[0]
    if flat.size > _LISTED and sort.width >= 8:
        if sort.width == 48:
            content = flat.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :6].tobytes()
        else:
            content = flat.astype(flat.dtype.newbyteorder("<"), copy=False).tobytes()
        return f'"0x{content.hex().upper()}"'
    if sort.kind == "float":
        patterns = flat.view(f"u{sort.width // 8}").tolist()
        texts = [float_text(floats.decode(pattern, sort), pattern) for pattern in patterns]
    else:
        texts = [str(value).lower() for value in flat.tolist()]
    for size in reversed(np.shape(array)):
        texts = ["[" + ", ".join(texts[k : k + size]) + "]" for k in range(0, len(texts), size)]
    return texts[0]


def float_text(value: float, pattern: int) -> str:
    """A float as MLIR reads it: with a dot, or else by its bit pattern."""
    if value - value != 0:  # infinite or NaN
        return f"0x{pattern:X}"
    mantissa, _, exponent = repr(value).partition("e")
    return (mantissa if "." in mantissa else mantissa + ".0") + (f"e{exponent}" if exponent else "")
