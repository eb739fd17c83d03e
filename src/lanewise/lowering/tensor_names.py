"""Names of a lowered graph's tensors: what a node of the source computes keeps its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lanewise.graph.model import Model


def named(model: Model, wanted: Mapping[str, str]) -> Model:
    """The graph with results of nodes renamed as wanted, where inputs and constants leave the name free.

    A result that had such a name, and is none of those, gets a number behind it.
    """
    results = [node.output for node in model.nodes]
    taken = {*model.inputs, *model.constants}
    names: dict[str, str] = {}
    for result in results:
        name = wanted.get(result)
        if name is not None and name not in taken:
            names[result] = name
            taken.add(name)
    for result in results:
        if result not in names:
            names[result] = _free(result, taken)
            taken.add(names[result])
    nodes = tuple(
        replace(
            node,
            inputs=tuple(None if tensor is None else names.get(tensor, tensor) for tensor in node.inputs),
            output=names[node.output],
        )
        for node in model.nodes
    )
    outputs = {
        name: replace(output, tensor=names.get(output.tensor, output.tensor)) for name, output in model.outputs.items()
    }
    return replace(model, nodes=nodes, outputs=outputs, types={}).check()


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}.{number}" in taken:
        number += 1
    return f"{name}.{number}"
