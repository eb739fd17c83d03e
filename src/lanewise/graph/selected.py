"""`where=`: an operator on some elements only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanewise.graph.arrays import Array
from lanewise.language.errors import InvalidError


def selection(where: Any, shape: tuple[int, ...], who: str) -> Array | None:
    """The mask in the result's shape; None if it selects everything."""
    if where is True:
        return None
    mask = np.asarray(where)
    if mask.dtype != np.bool_:
        raise InvalidError(f"{who}: where has dtype {mask.dtype}; it is boolean")
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise InvalidError(
            f"{who}: where has shape {list(np.shape(where))}, which does not broadcast to the result's {list(shape)}"
        ) from None


def gathered(tensors: Sequence[Array], tables: Sequence[bool], mask: Array) -> list[Array]:
    """The selected elements of every operand as lists; tables stay whole."""
    return [
        tensor if table else np.broadcast_to(tensor, mask.shape)[mask]
        for tensor, table in zip(tensors, tables, strict=True)
    ]


def place_of(mask: Array, position: int) -> tuple[int, ...]:
    """The index in the result of the element at a position among the selected ones."""
    flat = int(np.flatnonzero(mask)[position])
    return tuple(int(i) for i in np.unravel_index(flat, mask.shape)) if mask.shape else ()
