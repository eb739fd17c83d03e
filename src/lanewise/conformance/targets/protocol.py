"""The protocol between `lanewise conform` and a target: one JSON object a line, tensors as base64.

docs/conform.md describes it for authors of programs. Data is little-endian, row-major.
"""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of, sort_of
from lanewise.language.errors import InvalidError, brief
from lanewise.language.sorts import BY_NAME

PROTOCOL = 1
MOST_AXES = 64  # of a NumPy array
MOST_SIZE = (1 << 63) - 1  # of one axis
Array = np.ndarray[Any, Any]
Message = dict[str, Any]


def line(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def tensor(array: Array, sort_name: str | None = None) -> Message:
    """An array as the protocol has it."""
    array = np.asarray(array)
    shape = list(array.shape)
    sort = sort_of(array.dtype)
    if sort is None:
        raise InvalidError(f"the protocol has no element type for {array.dtype}")
    array = np.ascontiguousarray(array)
    if array.dtype.name != "bfloat16":
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"type": sort_name or sort.name, "shape": shape, "data": base64.b64encode(array.tobytes()).decode()}


def array_of(message: Any) -> Array:
    """The array of a message; anything that is no tensor is refused with what is wrong about it."""
    if not isinstance(message, dict) or not {"type", "shape", "data"} <= set(message):
        raise InvalidError("a tensor is an object with type, shape and data")
    sort = BY_NAME.get(message["type"]) if isinstance(message["type"], str) else None
    if sort is None:
        raise InvalidError(f"a tensor's type is {brief(message['type'])}; allowed: {', '.join(BY_NAME)}")
    shape = message["shape"]
    if not isinstance(shape, list) or not all(type(size) is int and 0 <= size <= MOST_SIZE for size in shape):
        raise InvalidError(f"a tensor's shape is {brief(shape)}; it is a list of whole numbers from 0 to {MOST_SIZE}")
    if len(shape) > MOST_AXES:
        raise InvalidError(f"a tensor's shape has {len(shape)} axes; at most {MOST_AXES} are possible")
    dtype = dtype_of(sort)
    try:
        data = base64.b64decode(message["data"], validate=True)
    except (TypeError, ValueError) as error:
        raise InvalidError(f"a tensor's data is no base64: {error}") from None
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise InvalidError(
            f"a tensor {sort.name}{shape} has {len(data)} bytes of data; it takes {math.prod(shape) * dtype.itemsize}"
        )
    try:
        if sort.kind == "bool":
            truths: Array = np.frombuffer(data, np.uint8).reshape(shape) != 0
            return truths
        return np.frombuffer(data, dtype).reshape(shape).copy()
    except (ValueError, OverflowError) as error:  # such as a size of 2**62 beside a size of 0
        raise InvalidError(f"a tensor's shape is {brief(shape)}, which no array can have: {error}") from None
