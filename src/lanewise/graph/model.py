"""A graph of elementwise operators: tensors by name, nodes in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lanewise.graph.arrays import Array
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, ArraySort, Sort

Dimension = int | str | None  # a size, a name for an unknown size, or unknown
DEFAULT_TENSOR_BYTES = 4 << 30  # all tensors of one run together
DEFAULT_NODES = 100_000


@dataclass(frozen=True)
class TensorType:
    """Element type and shape; the shape is None where even the rank is unknown."""

    sort: AnySort
    shape: tuple[Dimension, ...] | None

    @property
    def known_shape(self) -> tuple[int, ...] | None:
        """The shape if every dimension is a number."""
        if self.shape is None or not all(isinstance(size, int) for size in self.shape):
            return None
        return self.shape  # type: ignore[return-value]

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.sort.name}[unknown rank]"
        if isinstance(self.sort, ArraySort):
            return self.sort.name
        return f"{self.sort.name}[{', '.join('?' if size is None else str(size) for size in self.shape)}]"


@dataclass(frozen=True)
class Constant:
    """A tensor whose value is in the graph."""

    sort: Sort
    array: Array


@dataclass(frozen=True)
class Output:
    """A result of the graph: the tensor it is, and the type that was declared for it, if any."""

    tensor: str
    declared: TensorType | None = None


@dataclass(frozen=True)
class Node:
    """One operator applied to named tensors. `place` is how messages name it."""

    operator: Operator
    inputs: tuple[str | None, ...]  # None: an optional operand that is absent
    output: str
    attributes: Mapping[str, Any]
    place: str
    from_attributes: frozenset[str] = frozenset()  # arguments that were given as attributes


@dataclass(frozen=True)
class Model:
    """A graph. Make one with `load` or `Builder`; both check it."""

    specification: str
    version: int | str
    inputs: Mapping[str, TensorType]
    outputs: Mapping[str, Output]
    constants: Mapping[str, Constant]
    nodes: Sequence[Node]
    profile: str | None = None
    level: str | None = None
    source: str = "graph"
    max_tensor_bytes: int = DEFAULT_TENSOR_BYTES
    declared: Mapping[str, TensorType] = field(default_factory=dict)  # promises about inner tensors
    types: Mapping[str, TensorType] = field(default_factory=dict)  # filled by the checker
    deciding: Mapping[str, Node] = field(default_factory=dict, repr=False, compare=False)  # ... tensors read as shapes
    _plans: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def check(self, profile: str | None = None, level: str | None = None) -> Model:
        """The model with every tensor's type worked out; InvalidError or UnsupportedError if a rule is broken."""
        from lanewise.graph.check import checked

        return checked(
            replace(
                self,
                profile=self.profile if profile is None else profile,
                level=self.level if level is None else level,
            )
        )

    def run(
        self,
        inputs: Mapping[str, Any] | Any = None,
        *more: Any,
        on_unpredictable: str = "value",
        on_error: str = "raise",
        engine: str = "native",
        max_tensor_bytes: int | None = None,
    ) -> Any:
        """An `Outcome`: status, outputs by name and violations.

        `inputs` maps names to arrays; or give the arrays one after another in the graph's order.
        With `on_unpredictable="mask"` the outcome's `unpredictable` has a boolean array for every
        output, "raise" raises UnpredictableError instead, "value" (the default) just reports. A
        wrong input raises InvalidError, or with `on_error="status"` gives an outcome that says so.
        """
        from lanewise.graph.run import run

        limit = self.max_tensor_bytes if max_tensor_bytes is None else max_tensor_bytes
        return run(self, inputs, more, on_unpredictable, on_error, engine, limit)

    def save(self, path: Any) -> None:
        """Writes the model to a file; the name's ending chooses the format."""
        from lanewise.formats import save

        save(self, path)

    def __str__(self) -> str:
        from lanewise.graph.text import model_text

        return model_text(self)


def title(model: Model) -> str:
    """Source and version, as messages name a graph: TOSA's rules differ between versions."""
    return f"{model.source} (TOSA {model.version})" if model.specification == "tosa" else model.source
