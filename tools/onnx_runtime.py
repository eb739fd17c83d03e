"""ONNX graphs in ONNX Runtime: whole, and node by node, where ONNX says what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import onnxruntime

import lanewise as lw
from lanewise.formats.onnx_writer import model_bytes
from lanewise.graph.model import Node, Output
from lanewise.language.sorts import Sort, f16

onnxruntime.set_default_logger_severity(4)  # that it lacks an operator is told by the error
NO_KERNEL = onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.intra_op_num_threads = OPTIONS.inter_op_num_threads = 1

DIVIDES = ("Div", "Mod")
ROUNDS = ("Add", "Sub", "Mul", "Div", "Mod", "Cast")

Arrays = Mapping[str, np.ndarray]


class NoKernel(Exception):
    """ONNX Runtime does not have some operator for some type."""


class Session:
    """A graph loaded by ONNX Runtime; NoKernel if it cannot."""

    def __init__(self, model: lw.Model) -> None:
        self.names = list(model.outputs)
        try:
            self.session = onnxruntime.InferenceSession(model_bytes(model), OPTIONS, providers=["CPUExecutionProvider"])
        except NO_KERNEL as error:
            raise NoKernel(str(error)) from None

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        found = self.session.run(self.names, {name: np.array(array, order="C") for name, array in inputs.items()})
        return dict(zip(self.names, found, strict=True))


def defined(node: Node, operands: list[np.ndarray | None], output: Sort) -> np.ndarray:
    """For each element whether ONNX says what comes out, and ONNX Runtime lives to tell.

    It refuses integers divided by 0, and dies of the lowest number divided by -1. It overlooks a bound of Clip
    that is no number.
    """
    first, *others = (operand for operand in operands if operand is not None)
    name = node.operator.name
    if name in DIVIDES and first.dtype.kind in "iu":
        (divisor,) = others
        good = divisor != 0
        return (
            good & ~((first == output.lowest) & (divisor == -1)) if output.signed else good & np.ones_like(first, bool)
        )
    if name == "Clip" and output.kind == "float":
        return np.full(first.shape, not any(np.isnan(bound).any() for bound in others))
    if name == "Cast" and first.dtype.kind == "f" and output.kind == "int":
        with np.errstate(invalid="ignore"):
            whole = np.trunc(first.astype(np.float64))
        return (whole >= output.lowest) & (whole < float(output.highest + 1))
    return np.ones((), np.bool_)


def all_defined(model: lw.Model, tensors: Arrays) -> bool:
    """Whether every element of every node is defined; `tensors` has all of them."""
    return all(
        defined(node, [None if name is None else tensors[name] for name in node.inputs], _sort(model, node)).all()
        for node in model.nodes
    )


def difference(ours: np.ndarray, theirs: np.ndarray, where: np.ndarray | None = None) -> str | None:
    """How two results differ. Any NaN equals any other; so do zeros, whose sign some kernels lose."""
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        return f"{ours.dtype}{list(ours.shape)}, ONNX Runtime {theirs.dtype}{list(theirs.shape)}"
    same = ours == theirs
    if ours.dtype.kind == "f":
        same |= np.isnan(ours) & np.isnan(theirs)
    if where is not None:
        same |= ~np.broadcast_to(where, same.shape)
    return None if same.all() else f"{ours[~same][0]!r}, ONNX Runtime {theirs[~same][0]!r}"


def kept_wider(model: lw.Model) -> set[str]:
    """Tensors that depend on a float16 which ONNX Runtime does not round.

    Where it has no kernel for float16 it computes in float32, whatever the level of optimisation, and hands
    the float32 on to the next node. What such a result is as an output of the graph is rounded.
    """
    unrounded: set[str | None] = set()
    found: set[str] = set()
    for node in model.nodes:
        if unrounded & set(node.inputs):
            found.add(node.output)
        if node.output in found or (node.operator.name in ROUNDS and _sort(model, node) == f16):
            unrounded.add(node.output)
    return found


class OneNode:
    """One node of a graph as a graph of its own, loaded; NoKernel if ONNX Runtime lacks it."""

    def __init__(self, model: lw.Model, node: Node) -> None:
        self.node = node
        self.output = _sort(model, node)
        self.divides = node.operator.name in DIVIDES
        arguments = [node.operator.argument(k) for k in range(len(node.inputs))]
        lists = [name for name, argument in zip(node.inputs, arguments, strict=True) if argument.use != "elements"]
        result = model.types[node.output]
        self.given = {
            f"operand{k}": name for k, name in enumerate(node.inputs) if name is not None and name not in lists
        }
        inputs = {place: result if self.divides else model.types[name] for place, name in self.given.items()}
        names = [f"operand{k}" if f"operand{k}" in self.given else name for k, name in enumerate(node.inputs)]
        self.session = Session(
            replace(
                model,
                inputs=inputs,
                outputs={"result": Output("result")},
                constants={name: model.constants[name] for name in lists if name is not None},
                nodes=(replace(node, inputs=tuple(names), output="result"),),
                declared={},
            ).check()
        )

    def differs(self, tensors: Arrays) -> str | None:
        """How ONNX Runtime's result on a graph's tensors differs from the graph's, where it is defined."""
        node, ours = self.node, tensors[self.node.output]
        good = defined(node, [None if name is None else tensors[name] for name in node.inputs], self.output)
        given = {place: tensors[name] for place, name in self.given.items()}
        if self.divides:  # with another divisor where the node's would do harm
            given = {place: np.broadcast_to(array, ours.shape) for place, array in given.items()}
            given["operand1"] = np.where(good, given["operand1"], np.ones((), ours.dtype))
        return difference(ours, self.session.run(given)["result"], good)


def _sort(model: lw.Model, node: Node) -> Sort:
    sort = model.types[node.output].sort
    assert isinstance(sort, Sort)
    return sort
