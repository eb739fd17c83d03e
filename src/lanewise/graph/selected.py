"""`where=`: an operator on some elements only."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanewise.graph.arrays import Array
from lanewise.language.errors import InvalidError


def selection(where: Any, shape: tuple[int, ...], who: str) -> Array | None:
    """The mask, which broadcasts to the result's shape; None if it selects everything."""
    if where is True:
        return None
    mask = np.asarray(where)
    if mask.dtype != np.bool_:
        raise InvalidError(f"{who}: where has dtype {mask.dtype}; it is boolean")
    try:
        np.broadcast_to(mask, shape)
    except ValueError:
        raise InvalidError(
            f"{who}: where has shape {list(np.shape(where))}, which does not broadcast to the result's {list(shape)}"
        ) from None
    return mask
