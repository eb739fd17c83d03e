"""A case of TOSA as a graph of one node."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Case
from lanewise.engines.storage import sort_of
from lanewise.graph.build import Builder
from lanewise.graph.model import Model
from lanewise.operators import catalogue

Array = np.ndarray[Any, Any]


def varies(case: Case) -> list[bool]:
    """Which operands vary by element; the others are constants of the graph."""
    record = catalogue.find("tosa", case.operator, case.version)
    return [argument.use == "elements" for argument in record.arguments.values()]


def graph_of(case: Case, operands: list[Any]) -> tuple[Model, dict[str, Array]]:
    """The graph, whose output is z, and the arrays by the names of its inputs."""
    graph = Builder(tosa=str(case.version))
    given: dict[str, Array] = {}
    wires = []
    for k, (array, free) in enumerate(zip(operands, varies(case), strict=True)):
        if free:
            given[f"x{k}"] = array
            wires.append(graph.input(f"x{k}", sort_of(array.dtype), array.shape))
        else:
            wires.append(graph.constant(array))
    graph.output("z", graph.node(case.operator, *wires, **case.attributes))
    return graph.model(), given
