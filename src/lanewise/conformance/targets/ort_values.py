"""Arrays to and from a session of ONNX Runtime; its Python functions know no bfloat16, its values do."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from onnx import TensorProto

Array = np.ndarray[Any, Any]


def run_session(session: Any, given: Mapping[str, Array], outputs: Sequence[str] | None = None) -> list[Array]:
    """The outputs, all of them in the session's order if none are named."""
    found = session.run_with_ort_values(outputs, {name: _value(array) for name, array in given.items()})
    return [_array(one) for one in found]


def _value(array: Array) -> Any:
    from onnxruntime import OrtValue

    if array.dtype == ml_dtypes.bfloat16:
        return OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), TensorProto.BFLOAT16)
    return OrtValue.ortvalue_from_numpy(array)


def _array(value: Any) -> Array:
    if value.data_type() != "tensor(bfloat16)":
        return np.asarray(value.numpy())
    shape = tuple(value.shape())
    words = np.zeros(shape, np.uint16)
    ctypes.memmove(words.ctypes.data, value.data_ptr(), words.nbytes)
    return words.view(ml_dtypes.bfloat16)
