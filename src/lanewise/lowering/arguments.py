"""What the public functions of lowerings are given, checked: graphs, and shapes of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

from lanewise.graph.model import Model
from lanewise.language.errors import InvalidError, brief

LARGEST_SIZE = (1 << 63) - 1


def check_graph(model: Any, who: str) -> None:
    """InvalidError for anything that is no graph."""
    if not isinstance(model, Model):
        raise InvalidError(f"{who}: {brief(model)} is no graph; allowed: what load(…) or Builder.model() gives")


def shapes_of_inputs(shapes: Any, who: str) -> dict[str, tuple[int, ...]]:
    """Shapes by name; InvalidError for anything else."""
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        raise InvalidError(f"{who}: shapes is {brief(shapes)}; allowed: a dict, such as {{'x': (2, 3)}}")
    return {_name(name, who): _shape(name, shape, who) for name, shape in shapes.items()}


def _name(name: Any, who: str) -> str:
    if not isinstance(name, str):
        raise InvalidError(f"{who}: shapes has the name {brief(name)}; allowed: names of inputs")
    return name


def _shape(name: str, shape: Any, who: str) -> tuple[int, ...]:
    allowed = isinstance(shape, Sequence) and not isinstance(shape, str | bytes)
    sizes = [_size(size) for size in shape] if allowed else [None]
    if any(size is None for size in sizes):
        raise InvalidError(f"{who}: shapes[{name!r}] is {brief(shape)}; allowed: a list of sizes, such as (2, 3)")
    return tuple(size for size in sizes if size is not None)


def _size(size: Any) -> int | None:
    """A size as a whole number; None if it is none."""
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        return None
    number = index(size)
    return number if 0 <= number <= LARGEST_SIZE else None
