"""How a LiteRT model of one operator is written, and run by LiteRT's interpreter."""

from __future__ import annotations

from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

Array = np.ndarray[Any, Any]
IDENTIFIER, VERSION = b"TFL3", 3
OLD_CODES = 127  # operators up to here are also in the field that older readers know
TYPES = {
    name: getattr(schema.TensorType, name.upper())
    for name in (
        *("bool", "float16", "bfloat16", "float32", "float64"),
        *(f"{u}int{width}" for u in ("", "u") for width in (8, 16, 32, 64)),
    )
}
NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}


def model_of(code: int, inputs: list[tuple[str, tuple[int, ...]]], output: str) -> bytes:
    """A model whose one operator has inputs of these types and shapes; nothing is quantised."""
    shape = np.broadcast_shapes(*(size for _, size in inputs))
    operator = schema.OperatorT()
    operator.inputs, operator.outputs = list(range(len(inputs))), [len(inputs)]
    operator.builtinOptionsType, operator.builtinOptions = _options(code, inputs[0][0], output)
    graph = schema.SubGraphT()
    graph.inputs, graph.outputs = operator.inputs, operator.outputs
    graph.tensors = [_tensor(f"x{k}", *described) for k, described in enumerate(inputs)]
    graph.tensors.append(_tensor("z", output, shape))
    graph.operators = [operator]
    listed = schema.OperatorCodeT()
    listed.builtinCode, listed.deprecatedBuiltinCode, listed.version = code, min(code, OLD_CODES), 1
    model = schema.ModelT()
    model.version = VERSION
    model.operatorCodes, model.subgraphs, model.buffers = [listed], [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=IDENTIFIER)
    return bytes(builder.Output())


def run(model: bytes, arrays: list[Array]) -> Array:
    """The result of a model for its inputs in their order."""
    interpreter = Interpreter(model_content=model, num_threads=1)
    interpreter.allocate_tensors()
    for place, array in zip(interpreter.get_input_details(), arrays, strict=True):
        interpreter.set_tensor(place["index"], array)
    interpreter.invoke()
    result: Array = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    return result


def _tensor(name: str, element: str, shape: tuple[int, ...]) -> Any:
    made = schema.TensorT()
    made.name, made.shape, made.type, made.buffer = name.encode(), list(shape), TYPES[element], 0
    return made


def _options(code: int, source: str, output: str) -> tuple[int, Any]:
    """The operator's table of options with their defaults, where the schema has one under its name."""
    kind = "".join(word.capitalize() for word in NAMES[code].split("_")) + "Options"
    number = getattr(schema.BuiltinOptions, kind, 0)
    if not number:
        return 0, None
    options = getattr(schema, f"{kind}T")()
    if hasattr(options, "inDataType"):
        options.inDataType, options.outDataType = TYPES[source], TYPES[output]
    return number, options
