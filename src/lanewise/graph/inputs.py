"""What a run is given: arrays of the types and shapes that the graph declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.engines.storage import dtype_of
from lanewise.graph import arrays
from lanewise.graph.arrays import Array
from lanewise.graph.model import Model, TensorType
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort


def take_inputs(model: Model, inputs: Any, more: Sequence[Any]) -> dict[str, Array]:
    """The graph's inputs as arrays of the declared types and shapes."""
    if not isinstance(inputs, Mapping):
        positional = ([] if inputs is None else [inputs]) + list(more)
        if len(positional) != len(model.inputs):
            raise InvalidError(
                f"{model.source}: {len(positional)} inputs are given; "
                f"the graph has {len(model.inputs)}: {', '.join(model.inputs) or 'none'}"
            )
        inputs = dict(zip(model.inputs, positional, strict=True))
    for name in inputs:
        if name not in model.inputs:
            raise InvalidError(f"{model.source}: no input {name!r}; the graph has: {', '.join(model.inputs) or 'none'}")
    given: dict[str, Array] = {}
    sizes: dict[str, int] = {}
    for name, kind in model.inputs.items():
        who = f"{model.source}, input {name!r}"
        if name not in inputs:
            raise InvalidError(f"{who} is missing; it is {kind}")
        value = inputs[name]
        assert isinstance(kind.sort, Sort)
        array = arrays.number_as(value, kind.sort, who) if arrays.is_number(value) else arrays.as_array(value, who)
        stored = dtype_of(kind.sort)
        if array.dtype.newbyteorder("=") != stored:
            raise InvalidError(f"{who} has dtype {array.dtype}; the graph declares {kind.sort.name} (dtype {stored})")
        _check_shape(who, array.shape, kind, sizes)
        given[name] = arrays.in_range(array, kind.sort, who)
    return given


def _check_shape(who: str, shape: tuple[int, ...], kind: TensorType, sizes: dict[str, int]) -> None:
    if kind.shape is None:
        return
    fits = len(shape) == len(kind.shape)
    for have, want in zip(shape, kind.shape, strict=False):
        expected = sizes.setdefault(want, have) if isinstance(want, str) and want else want
        fits = fits and (not isinstance(expected, int) or have == expected)
    if not fits:
        named = {name: sizes[name] for name in kind.shape if isinstance(name, str) and name in sizes}
        raise InvalidError(
            f"{who} has shape {list(shape)}; the graph declares {kind}{f' with {named}' if named else ''}"
        )
