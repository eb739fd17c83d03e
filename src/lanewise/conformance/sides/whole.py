"""A runtime that takes whole graphs, in a process of its own, with every intermediate tensor as an output."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from lanewise.conformance.sides.graph_worker import stored_tensors
from lanewise.conformance.sides.ran import Array, Crashes, Hangs, Ran, Refuses, Stopped
from lanewise.conformance.targets.names import WORKER, Target
from lanewise.conformance.targets.process import Crashed, Hung, TargetProcess, Unusable
from lanewise.formats import mlir_writer, onnx_writer, tosa_writer
from lanewise.graph.model import Constant, Model, Node, Output, TensorType
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.sorts import Sort

GRAPH_WORKER = (sys.executable, "-m", "lanewise.conformance.sides.graph_worker")
WRITERS: Mapping[str, Callable[[Model], bytes]] = {
    "onnxruntime": onnx_writer.model_bytes,
    "onnx": onnx_writer.model_bytes,
    "tosa": tosa_writer.model_bytes,
    "iree": partial(mlir_writer.model_bytes, generic=True),
}
FROM_1_0 = ("tosa", "iree")  # their TOSA is that of 1.0 and later
MOST_REFUSED = 16  # nodes, after which a runtime is not asked further


@dataclass(frozen=True)
class _Failure:
    """How a run ended without tensors."""

    kind: type[Stopped]
    why: str


def run_whole(
    target: Target, model: Model, given: Mapping[str, Array], specified: Mapping[str, Array], seconds: float
) -> Ran:
    """Every tensor. A node that the runtime refuses is left out: what follows goes on from the specification's value.

    Where its process dies or is silent, the node that brings it about is found by halving, and tensors before it are
    kept.
    """
    if target.name in FROM_1_0 and str(model.version).startswith("0."):
        raise UnsupportedError(
            f"{model.source}: {target.name} runs graphs of TOSA 1.0 and 1.1, not {model.version}; "
            "'lanewise lower --to tosa --version 1.0' rewrites it"
        )
    inputs = {name: TensorType(kind.sort, given[name].shape) for name, kind in model.inputs.items()}
    rest = replace(model, inputs=inputs, _plans={}).check()
    left_out: dict[str, str] = {}
    worker = replace(target, command=(*GRAPH_WORKER, *target.command[len(WORKER) :]))
    with TargetProcess(worker, seconds) as process:
        while True:
            found = _answer(process, rest, given)
            if not isinstance(found, _Failure):
                return Ran(found, left_out)
            node, failure, before = _culprit(process, rest, given, found)
            if failure.kind is not Refuses or len(left_out) == MOST_REFUSED:
                return Ran(before, left_out, failure.kind(target.name, node, failure.why))
            left_out[node.output] = f"{Refuses.verb}: {failure.why}"
            sort = rest.types[node.output].sort
            assert isinstance(sort, Sort)
            known = {**rest.constants, node.output: Constant(sort, specified[node.output])}
            others = [other for other in rest.nodes if other is not node]
            if not others:
                return Ran({}, left_out)
            rest = _with(replace(rest, constants=known), others)


def _culprit(
    process: TargetProcess, model: Model, given: Mapping[str, Array], failure: _Failure
) -> tuple[Node, _Failure, Mapping[str, Array]]:
    """The last node of the shortest beginning of the graph that fails, how it does, and the tensors before it."""
    fine, failing = 0, len(model.nodes)
    before: Mapping[str, Array] = {}
    while failing - fine > 1:
        middle = (fine + failing) // 2
        found = _answer(process, _with(model, model.nodes[:middle]), given)
        if isinstance(found, _Failure):
            failing, failure = middle, found
        else:
            fine, before = middle, found
    return model.nodes[failing - 1], failure, before


def _with(model: Model, nodes: Sequence[Node]) -> Model:
    """The graph of some nodes, with their results as outputs, and the constants that they use."""
    used = {name for node in nodes for name in node.inputs}
    return replace(
        model,
        nodes=tuple(nodes),
        constants={name: one for name, one in model.constants.items() if name in used},
        outputs={node.output: Output(node.output) for node in nodes},
        _plans={},
    ).check()


def _answer(process: TargetProcess, model: Model, given: Mapping[str, Array]) -> Mapping[str, Array] | _Failure:
    """The tensors, or how it ended without them."""
    name = process.target.name
    with tempfile.TemporaryDirectory(prefix="lanewise-") as made:
        folder = Path(made)
        (folder / "model").write_bytes(WRITERS[name](model))
        np.savez(folder / "in.npz", **{f"t{k}": array for k, array in enumerate(given.values())})  # type: ignore[arg-type]
        outputs = {output: model.types[output].sort.name for output in model.outputs}
        (folder / "names.json").write_text(json.dumps({"inputs": list(given), "outputs": outputs}))
        try:
            reply = process.ask({"do": "graph", "folder": made})
        except Unusable as error:
            raise UnsupportedError(f"{name}: {error}") from None
        except Crashed as error:
            return _Failure(Crashes, str(error))
        except Hung as error:
            return _Failure(Hangs, str(error))
        if "refuses" in reply:
            return _Failure(Refuses, str(reply["refuses"]))
        try:
            tensors = stored_tensors(folder / "out.npz")
        except InvalidError as error:
            raise InvalidError(f"{model.source}: what {name} gives cannot be read: {error}") from None
        return {output: tensors[f"t{k}"] for k, output in enumerate(model.outputs)}
