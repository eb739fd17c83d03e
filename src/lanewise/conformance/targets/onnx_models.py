"""ONNX models of one node, for the reference evaluator of the `onnx` package and for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import onnx
from onnx import TensorProto, helper

from lanewise.conformance.targets.case import Case, NotThere

IR_VERSION = 10  # known to every runtime of the last years; newer opsets raise it
NUMBERED_TYPES = 6  # the opset from which on Cast names its target by number
TYPES: dict[str, Any] = {
    "bool": TensorProto.BOOL,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    **{f"{u}int{w}": getattr(TensorProto, f"{u}int{w}".upper()) for u in ("", "u") for w in (8, 16, 32, 64)},
}


def runner(name: str) -> Any:
    load = _evaluator if name == "onnx" else _runtime

    @lru_cache(maxsize=16)
    def loaded(case: str, operands: tuple[Any, ...], model: bytes) -> Callable[..., Any]:
        return load(onnx.load_from_string(model))

    def run(case: Case, operands: list[Any]) -> Any:
        given = {f"x{k}": array for k, array in enumerate(operands) if array is not None}
        signature = tuple(None if a is None else (a.dtype.name, a.ndim) for a in operands)
        return loaded(str(case), signature, model_of(case, operands).SerializeToString())(given)

    package = onnx if name == "onnx" else __import__("onnxruntime")
    run.version = package.__version__  # type: ignore[attr-defined]
    run.layouts = ("strided", "reversed") if name == "onnx" else ()  # type: ignore[attr-defined]
    return run


def model_of(case: Case, operands: list[Any]) -> Any:
    """A model with one node; sizes are open."""
    if case.specification != "onnx":
        raise NotThere("it speaks ONNX only")
    names = ["" if array is None else f"x{k}" for k, array in enumerate(operands)]
    while names and not names[-1]:
        names.pop()
    attributes = dict(case.attributes)
    if "to" in attributes:
        number = TYPES[attributes["to"]]
        attributes["to"] = number if int(case.version) >= NUMBERED_TYPES else TensorProto.DataType.Name(number)
    node = helper.make_node(case.operator, names, ["z"], **attributes)
    inputs = [
        helper.make_tensor_value_info(f"x{k}", TYPES[a.dtype.name], [f"n{k}_{axis}" for axis in range(a.ndim)])
        for k, a in enumerate(operands)
        if a is not None
    ]
    rank = max(a.ndim for a in operands if a is not None)
    output = helper.make_tensor_value_info("z", TYPES[case.output], [f"m{axis}" for axis in range(rank)])
    graph = helper.make_graph([node], "one", inputs, [output])
    version = int(case.version)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=IR_VERSION)


def _evaluator(model: Any) -> Callable[..., Any]:
    from onnx.reference import ReferenceEvaluator

    session: Any = ReferenceEvaluator(model)
    return lambda given: session.run(None, given)[0]


def _runtime(model: Any) -> Callable[..., Any]:
    import onnxruntime

    from lanewise.conformance.targets.ort_values import run_session

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda given: run_session(session, given)[0]
