"""Graph → ONNX ModelProto."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.model import Constant, Model, TensorType
from lanewise.language.errors import UnsupportedError
from lanewise.language.sorts import AnySort, Sort
from lanewise.operators.onnx.rows import TYPE_NUMBERS

_NUMBERS = {sort: number for number, sort in TYPE_NUMBERS.items()}


def model_bytes(model: Model) -> bytes:
    """The serialised model; reading it back gives the same graph."""
    if model.specification != "onnx":
        raise UnsupportedError(f"{model.source}: a {model.specification.upper()} graph does not go into an ONNX file")
    import onnx
    from onnx import helper

    # In ONNX an output is its tensor: a computed one takes the output's name, any other gets a node.
    names: dict[str, str] = {}
    computed = {node.output for node in model.nodes}
    renamed = []
    for name, output in model.outputs.items():
        if output.tensor in computed and output.tensor not in names:
            names[output.tensor] = name
        elif name != output.tensor:
            renamed.append(helper.make_node("Identity", [names.get(output.tensor, output.tensor)], [name]))
    nodes = [
        helper.make_node(
            node.operator.name,
            ["" if tensor is None else names.get(tensor, tensor) for tensor in node.inputs],
            [names.get(node.output, node.output)],
            **{name: _attribute(value) for name, value in node.attributes.items() if value is not None},
        )
        for node in model.nodes
    ]
    graph = helper.make_graph(
        [*nodes, *renamed],
        "lanewise",
        [_value(name, kind) for name, kind in model.inputs.items()],
        [_value(name, model.types[output.tensor]) for name, output in model.outputs.items()],
        [_tensor(name, constant) for name, constant in model.constants.items()],
    )
    opset = helper.make_opsetid("", int(model.version))
    proto = helper.make_model(graph, opset_imports=[opset], producer_name="lanewise")
    proto.ir_version = min(onnx.IR_VERSION, helper.find_min_ir_version_for([opset], ignore_unknown=True))
    return bytes(proto.SerializeToString(deterministic=True))


def _number(sort: AnySort) -> int:
    assert isinstance(sort, Sort)
    return _NUMBERS[sort]


def _attribute(value: Any) -> Any:
    if isinstance(value, Sort):
        return _number(value)
    return int(value) if isinstance(value, bool) else value


def _value(name: str, kind: TensorType) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, _number(kind.sort), kind.shape)


def _tensor(name: str, constant: Constant) -> Any:
    import onnx

    little = np.ascontiguousarray(constant.array.astype(dtype_of(constant.sort).newbyteorder("<"), copy=False))
    return onnx.TensorProto(
        name=name, data_type=_number(constant.sort), dims=constant.array.shape, raw_data=little.tobytes()
    )
