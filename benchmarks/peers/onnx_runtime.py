"""ONNX Runtime: a model for each piece of work, its input and output bound to the arrays in place."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.work import (
    FACTOR,
    HIGHEST,
    LOWEST,
    MURMUR_FACTORS,
    MURMUR_SHIFTS,
    PLACES,
    ZERO_POINT,
    Contender,
    Work,
    unsigned,
)

OPSET, FORMAT = 28, 13  # of operators, and of the file


class Nodes:
    """A model in the making; `kind` is the type that constants have."""

    def __init__(self, kind: Any) -> None:
        self.kind = np.dtype(kind)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def __call__(self, operator: str, *operands: Any, **attributes: Any) -> str:
        """The name of a new node's result; operands that are no names become constants."""
        names = [operand if isinstance(operand, str) else self.constant(operand) for operand in operands]
        result = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [result], **attributes))
        return result

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        array = value if isinstance(value, np.ndarray) else np.array(value, self.kind)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def right(self, x: str, places: Any) -> str:
        return self("BitShift", x, places, direction="RIGHT")

    def left(self, x: str, places: Any) -> str:
        return self("BitShift", x, places, direction="LEFT")

    def cast(self, x: str, kind: int) -> str:
        return self("Cast", x, to=kind)


Formula = Callable[..., str]

PLAIN = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "maximum": "Max",
    "minimum": "Min",
    "power": "Pow",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
    "logical_and": "And",
    "logical_or": "Or",
    "logical_xor": "Xor",
}


def rounding_shift(g: Nodes, x: str, y: str) -> str:
    """The bit that is shifted out last is the lowest that is left of 2 * x."""
    last = g("BitwiseAnd", g.right(g.left(x, 1), y), 1)
    return g("Add", g.right(x, y), last)


def widening_multiply(g: Nodes, x: str, y: str) -> str:
    return g("Mul", g.cast(x, TensorProto.INT32), g.cast(y, TensorProto.INT32))


def scaled_multiply(g: Nodes, x: str, y: str) -> str:
    g.kind = np.dtype(np.int64)
    product = g("Mul", g.cast(x, TensorProto.INT64), g.cast(y, TensorProto.INT64))
    return g.cast(g.right(g("Add", product, 1 << 14), 15), TensorProto.INT32)


def byte_table(g: Nodes, x: str, table: np.ndarray) -> str:
    """A negative index counts from the end of a list, so no sum is needed."""
    return g("Gather", np.roll(table, 128), g.cast(x, TensorProto.INT32))


def interpolating_table(g: Nodes, x: str, table: np.ndarray) -> str:
    g.kind = np.dtype(np.int32)
    entries = table.astype(np.int32)
    code = g("Add", g.cast(x, TensorProto.INT32), 1 << 15)
    index = g.right(code, 7)
    base = g("Gather", entries, index)
    step = g("Sub", g("Gather", entries, g("Add", index, 1)), base)
    return g("Add", g.left(base, 7), g("Mul", step, g("BitwiseAnd", code, 127)))


def murmur3(g: Nodes, h: str) -> str:
    for k, places in enumerate(MURMUR_SHIFTS):
        h = g("BitwiseXor", h, g.right(h, places))
        if k < len(MURMUR_FACTORS):
            h = g("Mul", h, MURMUR_FACTORS[k])
    return h


def rgb565(g: Nodes, red: str, green: str, blue: str) -> str:
    packed = g("BitwiseOr", g.left(g.right(red, 3), 11), g.left(g.right(green, 2), 5))
    return g("BitwiseOr", packed, g.right(blue, 3))


def requantise(g: Nodes, x: str) -> str:
    scaled = g("Mul", g("Sub", x, ZERO_POINT), FACTOR)
    return g("Clip", g.right(g("Add", scaled, 1 << (PLACES - 1)), PLACES), LOWEST, HIGHEST)


COMPOSED: dict[str, Formula] = {
    "left_shift": Nodes.left,
    "right_shift": Nodes.right,
    "logical_right_shift": Nodes.right,
} | {
    formula.__name__: formula
    for formula in (
        rounding_shift,
        widening_multiply,
        scaled_multiply,
        byte_table,
        interpolating_table,
        murmur3,
        rgb565,
        requantise,
    )
}


class OnnxRuntime:
    name = "ONNX Runtime"

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def contender(self, work: Work) -> Contender | None:
        inputs, out = work.inputs, work.out
        if work.operation == "logical_right_shift":
            inputs, out = tuple(map(unsigned, inputs)), unsigned(out)
        names = [f"x{k}" for k in range(len(inputs))]
        g = Nodes(inputs[0].dtype)
        tables = [] if work.table is None else [work.table]
        if work.operation in PLAIN:
            result = g(PLAIN[work.operation], *names)
        elif work.operation in COMPOSED:
            result = COMPOSED[work.operation](g, *names, *tables)
        else:
            return None
        started = time.perf_counter()
        session = self._session(g, names, inputs, result, out)
        prepared = time.perf_counter() - started
        binding = session.io_binding()
        for name, array in zip(names, inputs, strict=True):
            binding.bind_input(name, "cpu", 0, _kind(array), array.shape, array.ctypes.data)
        binding.bind_output(result, "cpu", 0, _kind(out), out.shape, out.ctypes.data)
        return Contender(lambda: session.run_with_iobinding(binding), lambda: work.out, prepared)

    def _session(self, g: Nodes, names: list[str], inputs: Any, result: str, out: np.ndarray) -> Any:
        graph = helper.make_graph(
            g.nodes,
            "work",
            [helper.make_tensor_value_info(n, _kind(a), a.shape) for n, a in zip(names, inputs, strict=True)],
            [helper.make_tensor_value_info(result, _kind(out), out.shape)],
            g.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=FORMAT)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # that it lacks an operator is told by the error
        options.intra_op_num_threads = self.threads
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _kind(array: np.ndarray) -> int:
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def make(threads: int) -> list[OnnxRuntime]:
    return [OnnxRuntime(threads)]
