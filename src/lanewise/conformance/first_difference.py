"""The first node of a graph at which two ways of running it disagree, and the elements there.

Both give every intermediate tensor. All tensors before the first difference are equal, so that node alone has made it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.sides.ran import Ran, Stopped, told
from lanewise.conformance.sides.stepwise import run_stepwise
from lanewise.conformance.sides.whole import WRITERS, run_whole
from lanewise.conformance.targets.names import ALLOWED, LIBRARIES, Target, target_of
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import patterns
from lanewise.engines.storage import dtype_of, sort_of
from lanewise.graph.inputs import take_inputs
from lanewise.graph.model import Model, Node, Output
from lanewise.language import floats
from lanewise.language.errors import InvalidError, UnsupportedError, brief
from lanewise.language.sorts import Sort

Array = np.ndarray[Any, Any]
Side = str | Callable[[Model, Mapping[str, Array]], Mapping[str, Array]]

ENGINES = ("native", "exact")
SECONDS = 60.0  # for one answer; importing a large library takes some of it
SHOWN = 5  # elements
NOTHING = "gives no result"  # a function that has none, or a target after a result of another type or shape


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
    types: tuple[str, str] | None = None  # where already these differ

    def __str__(self) -> str:
        head = f"{told(self.node)}: "
        if self.types is not None:
            return f"{head}{self.first} gives {self.types[0]}, {self.second} {self.types[1]}"
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
class LeftOut:
    """A node that is not compared, since a side has no result of its own."""

    side: str
    node: Node
    why: str

    def __str__(self) -> str:
        return f"{told(self.node)}: {self.side} {self.why}"


@dataclass(frozen=True)
class Comparison:
    """What comparing came to: a difference, or a side that has no results from a node on, or neither.

    `compared` counts the nodes that agree, `left_out` are those between them that one side left out.
    """

    difference: Difference | None
    stopped: Stopped | None
    compared: int
    left_out: tuple[LeftOut, ...] = ()


def first_difference(
    model: Model,
    inputs: Any,
    first: Side = "native",
    second: Side = "exact",
    *,
    seconds: float = SECONDS,
    tosa_tools: str | os.PathLike[str] | None = None,
) -> Difference | None:
    """The first node, in the graph's order, whose results differ bit for bit; None if no node's do.

    A side is an engine ("native", "exact"); a runtime that takes whole graphs ("onnxruntime", "onnx": its reference
    evaluator, "iree", "tosa": the reference model, found in the virtual environment `tosa_tools`); any other target of
    `lanewise conform` ("numpy", "torch", "jax", "litert", "module:function", "program:COMMAND"), which is asked node by
    node; or a Python function of the model and its inputs by name that gives tensors by name, where what it leaves out
    is not compared. All but engines and functions run in a process of their own, with `seconds` for one answer.

    A node that a target refuses is not compared, and what follows goes on from the specification's value. Elements
    without a defined result are not compared either, and any NaN equals any other. A side that dies or hangs at a node,
    before any difference, raises UnsupportedError, which names the node; so does one that has no result at all.
    """
    found = compare(model, inputs, first, second, seconds, None if tosa_tools is None else Path(tosa_tools))
    if found.stopped is not None:
        raise found.stopped
    return found.difference


def compare(
    model: Model,
    inputs: Any,
    first: Side,
    second: Side,
    seconds: float = SECONDS,
    tosa_tools: Path | None = None,
) -> Comparison:
    """As `first_difference`, but a side that stops is a part of what is found, and so are nodes not compared."""
    if not seconds > 0:
        raise InvalidError(f"seconds is {brief(seconds)}; it is the time for one answer, above 0")
    sides = [_side(side, model, tosa_tools) for side in (first, second)]
    given = take_inputs(model, inputs, ())
    if not model.nodes:
        return Comparison(None, None, 0)
    names = [side if isinstance(side, str) else getattr(side, "__name__", "function") for side in (first, second)]
    whole = replace(model, outputs={node.output: Output(node.output) for node in model.nodes}, _plans={}).check()
    reference = whole.run(given, on_unpredictable="mask")
    both = [_ran(side, whole, given, reference.outputs, seconds) for side in sides]
    compared = 0
    left_out: list[LeftOut] = []
    lacked: list[LeftOut] = []  # those that a function has left out among them, which gives no reason
    for node in whole.nodes:
        for ran in both:
            if ran.stopped is not None and ran.stopped.node.output == node.output:
                return Comparison(None, ran.stopped, compared, tuple(left_out))
        lacking = [(name, ran) for name, ran in zip(names, both, strict=True) if node.output not in ran.tensors]
        if lacking:
            found_lacking = [LeftOut(name, node, ran.left_out.get(node.output, NOTHING)) for name, ran in lacking]
            lacked += found_lacking
            left_out += [one for one, (_, ran) in zip(found_lacking, lacking, strict=True) if ran.left_out]
            continue
        sort = whole.types[node.output].sort
        assert isinstance(sort, Sort)
        results = [np.asarray(ran.tensors[node.output]) for ran in both]
        undefined = reference.unpredictable[node.output]
        known = {n: c.array for n, c in whole.constants.items()} | given | reference.outputs | dict(both[0].tensors)
        shape = np.shape(reference.outputs[node.output])
        found = _difference(node, sort, names, results, shape, undefined, known, sides)
        if found is not None:
            return Comparison(found, None, compared, tuple(left_out))
        compared += 1
    if lacked and not compared:
        raise UnsupportedError(f"{model.source}: nothing to compare: {lacked[0]}")
    return Comparison(None, None, compared, tuple(left_out))


def _side(side: Side, model: Model, tosa_tools: Path | None) -> Target | Side:
    """A target by name, if it can run the graph; engines and functions as they are."""
    if not isinstance(side, str) or side in ENGINES:
        return side
    if side not in LIBRARIES and side != "tosa" and ":" not in side and "/" not in side:
        raise InvalidError(f"engine {brief(side)}; allowed: {', '.join(ENGINES)}, {ALLOWED}")
    target = target_of(side, tosa_tools)
    if target.missing is not None:
        raise UnsupportedError(f"{side}: {target.missing}")
    if model.specification not in target.specifications:
        known = " and ".join(name.upper() for name in target.specifications)
        raise UnsupportedError(f"{model.source}: {side} runs {known} graphs only, not {model.specification.upper()}")
    return target


def _ran(
    side: Target | Side, model: Model, given: Mapping[str, Array], specified: Mapping[str, Array], seconds: float
) -> Ran:
    """Every tensor that one side computes."""
    if isinstance(side, Target):
        run = run_whole if side.name in WRITERS else run_stepwise
        return run(side, model, given, specified, seconds)
    return Ran(model.run(dict(given), engine=side).outputs if isinstance(side, str) else side(model, given))


def _difference(
    node: Node,
    sort: Sort,
    names: list[str],
    results: list[Array],
    shape: tuple[int, ...],
    undefined: Array,
    known: Mapping[str, Array],
    sides: list[Target | Side],
) -> Difference | None:
    """What differs between two results of one node."""
    one, other = results
    for name, array, side in zip(names, results, sides, strict=True):
        if array.dtype.newbyteorder("=") != dtype_of(sort) and not isinstance(side, Target):
            raise InvalidError(f"{name} gives {array.dtype} for {node.output!r}, which is {sort.name}")
    types = [_type_name(array, sort) for array in results]
    if types[0] != types[1]:
        return Difference(names[0], names[1], node, sort, 0, 0, (), types=(types[0], types[1]))
    if one.shape != other.shape:
        return Difference(names[0], names[1], node, sort, 0, 0, (), (one.shape, other.shape))
    if types[0] != sort.name:  # both alike, and unlike the specification
        raise InvalidError(f"{' and '.join(names)} give {types[0]} for {node.output!r}, which is {sort.name}")
    if one.shape != shape:  # likewise
        raise InvalidError(f"{' and '.join(names)} give shape {list(one.shape)} for {node.output!r}, not {list(shape)}")
    defined = ~np.broadcast_to(undefined, one.shape)
    bits = [_bits(array, sort) for array in results]
    differs = (bits[0] != bits[1]) & defined
    if not differs.any():
        return None
    places = [tuple(int(i) for i in place) for place in np.argwhere(differs)[:SHOWN]]
    elements = tuple(
        Element(at, _operands(node, known, at, one.shape), int(bits[0][at]), int(bits[1][at])) for at in places
    )
    return Difference(names[0], names[1], node, sort, int(differs.sum()), one.size, elements)


def _type_name(array: Array, sort: Sort) -> str:
    """The node's own type, or that of an array which is of another."""
    if array.dtype.newbyteorder("=") == dtype_of(sort):
        return sort.name
    found = sort_of(array.dtype)
    return str(array.dtype) if found is None else found.name


def _bits(array: Array, sort: Sort) -> Array:
    """Patterns as unsigned words, every NaN as one."""
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
