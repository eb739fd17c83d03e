"""Small ONNX models made on the spot."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper


def shift_model(opset: int = 28, dtype: int = TensorProto.UINT8, **changes: Any) -> onnx.ModelProto:
    """z = BitShift(x, y), with x of shape [4] and y an initializer."""
    y = changes.get("y", onnx.numpy_helper.from_array(np.array([1, 1, 2, 2], np.uint8), "y"))
    node = helper.make_node("BitShift", ["x", "y"], ["z"], name="hash", direction=changes.get("direction", "LEFT"))
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", dtype, changes.get("shape", [4]))],
        [helper.make_tensor_value_info("z", dtype, changes.get("out_shape", [4]))],
        [y],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def tensor(data_type: int, dims: list[int], **fields: Any) -> onnx.TensorProto:
    """A TensorProto with exactly these fields, sensible or not."""
    made = onnx.TensorProto(name="y", data_type=data_type, dims=dims)
    for key, value in fields.items():
        if key == "external_data":
            made.data_location = onnx.TensorProto.EXTERNAL
            for entry_key, entry_value in value:
                made.external_data.add(key=entry_key, value=entry_value)
        elif key == "raw_data":
            made.raw_data = value
        else:
            getattr(made, key).extend(value)
    return made
