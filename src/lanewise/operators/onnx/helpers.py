"""What several ONNX operators share: the larger and the smaller of two, axes counted from the front."""

from __future__ import annotations

from collections.abc import Sequence

from lanewise.language.errors import InvalidError
from lanewise.language.words import Value, is_nan, maximum, minimum, nan, select


def larger(a: Value, b: Value) -> Value:
    """The larger; b if they are equal, which only zeros show; NaN if one is NaN (O6)."""
    return _with_nan(a, b, maximum(a, b))


def smaller(a: Value, b: Value) -> Value:
    """The smaller; b if they are equal, which only zeros show; NaN if one is NaN (O6)."""
    return _with_nan(a, b, minimum(a, b))


def _with_nan(a: Value, b: Value, result: Value) -> Value:
    if a.element.kind != "float":
        return result
    return select(is_nan(a) | is_nan(b), nan(a.element), result)


def axes_from_front(axes: Sequence[int], rank: int, of: str, *, negative: bool) -> tuple[int, ...]:
    """Axes as numbers from 0; refuses those outside the rank and those named twice (O12)."""
    lowest = -rank if negative else 0
    result = []
    for axis in axes:
        if not lowest <= axis < rank:
            raise InvalidError(f"axes {list(axes)}: {axis} is outside {lowest} … {rank - 1} ({of} has rank {rank})")
        result.append(axis % rank)
    if len(set(result)) < len(result):
        raise InvalidError(f"axes {list(axes)} name an axis twice ({of} has rank {rank})")
    return tuple(result)
