"""What one way of running a graph has given: tensors, what it left out, and what it ended at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanewise.graph.model import Node
from lanewise.language.errors import UnsupportedError

Array = np.ndarray[Any, Any]


class Stopped(UnsupportedError):
    """A side has no results from one node on. The text says which node, and why."""

    verb = ""

    def __init__(self, side: str, node: Node, why: str) -> None:
        super().__init__(f"{told(node)}: {side} {self.verb}: {why}")
        self.side = side
        self.node = node
        self.why = why

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.side, self.node, self.why))


class Refuses(Stopped):
    """It says itself why it has no result."""

    verb = "refuses it"


class Crashes(Stopped):
    """Its process ended."""

    verb = "crashes"


class Hangs(Stopped):
    """It gave no answer in time."""

    verb = "hangs"


@dataclass(frozen=True)
class Ran:
    """Tensors by name; `left_out` says why a node's tensor is not among them, `stopped` why none follow."""

    tensors: Mapping[str, Array]
    left_out: Mapping[str, str] = field(default_factory=dict)
    stopped: Stopped | None = None


def told(node: Node) -> str:
    """A node as reports name it."""
    return f"{node.place}: {node.operator.label}, tensor {node.output!r}"
