"""The first node of a graph at which two ways of running it disagree, and the elements there.

Both run the whole graph with every intermediate tensor as an output. All tensors before the first
difference are equal, so that node alone has made it.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.graph_worker import RAISED
from lanewise.conformance.targets.process import ending
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import dtype_of
from lanewise.formats import onnx_writer
from lanewise.graph.inputs import take_inputs
from lanewise.graph.model import Model, Node, Output
from lanewise.language import floats
from lanewise.language.errors import InvalidError, UnsupportedError, brief
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
Side = str | Callable[[Model, Mapping[str, Array]], Mapping[str, Array]]

ENGINES = ("native", "exact")
RUNTIMES = ("onnxruntime", "onnx")
SECONDS = 300.0
SHOWN = 5  # elements


@dataclass(frozen=True)
class Element:
    """One place where the results differ: operands there, and both results as patterns."""

    index: tuple[int, ...]
    operands: Mapping[str, Any]
    first: int
    second: int


@dataclass(frozen=True)
class Difference:
    """The first node that differs. `elements` are the first few of `count`."""

    first: str
    second: str
    node: Node
    sort: Sort
    count: int
    size: int
    elements: tuple[Element, ...] = field(repr=False)
    shapes: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # where already these differ

    def __str__(self) -> str:
        head = f"{self.node.place}: {self.node.operator.label}, tensor {self.node.output!r}: "
        if self.shapes is not None:
            return f"{head}{self.first} gives shape {list(self.shapes[0])}, {self.second} {list(self.shapes[1])}"
        lines = [f"{head}{self.first} and {self.second} differ at {self.count} of {self.size} elements"]
        width = max(len(self.first), len(self.second))
        for element in self.elements:
            given = ", ".join(f"{name} = {value}" for name, value in element.operands.items())
            lines.append(f"  {list(element.index)}: {given}")
            for name, pattern in ((self.first, element.first), (self.second, element.second)):
                lines.append(f"    {name:{width}}  {pattern:0{self.sort.width}b}  {number(pattern, self.sort)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class _Failure:
    """How a runtime's process ended without tensors; `died` unless it said itself why it has none."""

    words: str
    died: bool


class RuntimeDied(UnsupportedError):
    """A runtime's process died of the graph: there are no results to compare, but one side has none to give."""

    def __init__(self, message: str, runtime: str, node: Node) -> None:
        super().__init__(message)
        self.runtime = runtime
        self.node = node

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.runtime, self.node))


def first_difference(model: Model, inputs: Any, first: Side = "native", second: Side = "exact") -> Difference | None:
    """The first node, in the graph's order, whose results differ bit for bit; None if no node's do.

    A side is an engine ("native", "exact"), a runtime that is installed ("onnxruntime", "onnx": its reference
    evaluator; each runs in a process of its own), or a Python function of the model and its inputs by name that
    gives tensors by name; those that it leaves out are not compared. Elements without a defined result are not
    compared either, and any NaN equals any other. A runtime that has no results raises UnsupportedError, which names
    the node that brings it about.
    """
    given = take_inputs(model, inputs, ())
    if not model.nodes:
        return None
    whole = replace(model, outputs={node.output: Output(node.output) for node in model.nodes}, _plans={}).check()
    named = [side if isinstance(side, str) else getattr(side, "__name__", "function") for side in (first, second)]
    reference = whole.run(given, on_unpredictable="mask")
    found = [_tensors(whole, given, side) for side in (first, second)]
    for node in whole.nodes:
        if not all(node.output in tensors for tensors in found):
            continue
        one, other = (np.asarray(tensors[node.output]) for tensors in found)
        sort = whole.types[node.output].sort
        assert isinstance(sort, Sort)
        if one.shape != other.shape:
            return Difference(named[0], named[1], node, sort, 0, 0, (), (one.shape, other.shape))
        defined = ~np.broadcast_to(reference.unpredictable[node.output], one.shape)
        bits = [_bits(array, sort, name, node) for array, name in zip((one, other), named, strict=True)]
        differs = (bits[0] != bits[1]) & defined
        if differs.any():
            tensors = {**{n: c.array for n, c in whole.constants.items()}, **given, **found[0]}
            places = [tuple(int(i) for i in place) for place in np.argwhere(differs)[:SHOWN]]
            elements = tuple(
                Element(at, _operands(node, tensors, at, one.shape), int(bits[0][at]), int(bits[1][at]))
                for at in places
            )
            return Difference(named[0], named[1], node, sort, int(differs.sum()), one.size, elements)
    return None


def _bits(array: Array, sort: Sort, who: str, node: Node) -> Array:
    """Patterns as unsigned words, every NaN as one."""
    if array.dtype.newbyteorder("=") != dtype_of(sort):
        raise InvalidError(f"{who} gives {array.dtype} for {node.output!r}, which is {sort.name}")
    found = np.array(patterns(array.ravel(), sort), np.uint64)
    if sort.kind == "float":
        size = found & np.uint64((1 << (sort.width - 1)) - 1)
        found = np.where(size > floats.infinity(sort), np.uint64(floats.quiet_nan(sort)), found)
    return found.reshape(array.shape)


def _operands(node: Node, tensors: Mapping[str, Array], at: tuple[int, ...], shape: tuple[int, ...]) -> dict[str, Any]:
    """What the node was given at one element, as far as its operands are looked at element by element."""
    found = {}
    names = node.operator.argument_names(len(node.inputs))
    for k, (name, tensor) in enumerate(zip(names, node.inputs, strict=True)):
        if tensor is None or tensor not in tensors or node.operator.argument(k).use not in ("elements", "scalar"):
            continue
        array = np.asarray(tensors[tensor])
        try:
            value = array.reshape(-1)[0] if array.size == 1 else np.broadcast_to(array, shape)[at]
        except ValueError:  # moved to another shape: there is no one element
            continue
        found[name] = value.item() if hasattr(value, "item") else value
    return found


def _tensors(model: Model, given: Mapping[str, Array], side: Side) -> Mapping[str, Array]:
    """Every tensor that one side computes."""
    if not isinstance(side, str):
        return side(model, given)
    if side in ENGINES:
        outputs: Mapping[str, Array] = model.run(dict(given), engine=side).outputs
        return outputs
    if side not in RUNTIMES:
        raise InvalidError(f"engine {brief(side)}; allowed: {', '.join((*ENGINES, *RUNTIMES))}")
    if importlib.util.find_spec(side) is None:
        raise UnsupportedError(f"{side} is not installed")
    if model.specification != "onnx":
        raise UnsupportedError(f"{model.source}: {side} runs ONNX graphs only, not {model.specification.upper()}")
    return _elsewhere(model, given, side)


def _elsewhere(model: Model, given: Mapping[str, Array], runtime: str) -> Mapping[str, Array]:
    """The tensors from a process of the runtime's own; its failure is reported with the node that brings it about."""
    found = _answer(model, given, runtime)
    if isinstance(found, _Failure):
        node, failure = _culprit(model, given, runtime, found)
        said = f"{node.place}: {node.operator.label}, tensor {node.output!r}: {runtime} {failure.words}"
        raise RuntimeDied(said, runtime, node) if failure.died else UnsupportedError(said)
    return found


def _culprit(model: Model, given: Mapping[str, Array], runtime: str, failure: _Failure) -> tuple[Node, _Failure]:
    """The last node of the shortest beginning of the graph that fails, and how it does; found by halving."""
    fine, failing = 0, len(model.nodes)
    while failing - fine > 1:
        middle = (fine + failing) // 2
        nodes = model.nodes[:middle]
        part = replace(model, nodes=nodes, outputs={n.output: Output(n.output) for n in nodes}, _plans={}).check()
        found = _answer(part, given, runtime)
        if isinstance(found, _Failure):
            failing, failure = middle, found
        else:
            fine = middle
    return model.nodes[failing - 1], failure


def _answer(model: Model, given: Mapping[str, Array], runtime: str) -> Mapping[str, Array] | _Failure:
    """The tensors, or how the process ended without them."""
    with tempfile.TemporaryDirectory(prefix="lanewise-") as name:
        folder = Path(name)
        (folder / "model.onnx").write_bytes(onnx_writer.model_bytes(model))
        np.savez(folder / "in.npz", **{f"t{k}": array for k, array in enumerate(given.values())})  # type: ignore[arg-type]
        (folder / "in.json").write_text(json.dumps({f"t{k}": name for k, name in enumerate(given)}))
        command = [sys.executable, "-m", "lanewise.conformance.graph_worker", runtime, name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise UnsupportedError(f"{runtime} gave no answer within {SECONDS:g} s") from None
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or [""]
            words = f"{ending(done.returncode)} on this graph: {last[0][:400]}".rstrip(": ")
            return _Failure(words, done.returncode != RAISED)
        names = json.loads((folder / "out.json").read_text())
        with np.load(folder / "out.npz") as archive:
            return {name: archive[f"t{k}"] for k, name in enumerate(names)}
