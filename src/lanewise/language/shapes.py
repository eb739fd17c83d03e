"""Shape rules: from the shapes of the operands to the shape of the result.

A rule answers with the result's shape and, for each operand, the shape it is *viewed* in: the
same elements in row-major order, which then broadcast to the result. One function per rule; an
operator names its rule in its record. Unknown shapes never get here: rules see numbers only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from lanewise.language.errors import InvalidError

Shape = tuple[int, ...]

MAX_RANK = 64  # NumPy's


class Shapes(NamedTuple):
    result: Shape
    operands: tuple[Shape | None, ...]  # None: an operand that is absent, a table, or a list of numbers


# (argument names, operand shapes, attributes with the values of shape-like operands merged in)
Rule = Callable[[Sequence[str], Sequence[Shape | None], Mapping[str, Any]], Shapes]


def text(shape: Shape | None) -> str:
    """A shape as messages print it: [2, 3]; [] is one element."""
    return "absent" if shape is None else str(list(shape))


def numpy_broadcast(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """Multidirectional: right-aligned, missing axes count as 1, an axis of 1 stretches."""
    given = [shape for shape in shapes if shape is not None]
    rank = max((len(shape) for shape in given), default=0)
    result = [1] * rank
    for shape in given:
        for axis, size in enumerate(shape, rank - len(shape)):
            if size != 1 and result[axis] not in (1, size):
                raise InvalidError(
                    f"{_listing(names, shapes)}: axis {axis - rank} has {result[axis]} and {size}; "
                    "broadcasting needs equal sizes or 1"
                )
            if size != 1:
                result[axis] = size
    return Shapes(tuple(result), tuple(shapes))


def same_rank(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """TOSA's broadcasting: equal ranks, and an axis of 1 stretches; every dimension is at least 1."""
    ranks = {len(shape) for shape in shapes if shape is not None}
    if len(ranks) > 1:
        rank = max(ranks)
        name, shape = next((n, s) for n, s in zip(names, shapes, strict=True) if s is not None and len(s) < rank)
        padded = (1,) * (rank - len(shape)) + shape
        raise InvalidError(
            f"{_listing(names, shapes)}; TOSA needs equal ranks. Reshape {name} to {text(padded)} with RESHAPE"
        )
    positive(names, shapes)
    return numpy_broadcast(names, shapes, attributes)


def positive(names: Sequence[str], shapes: Sequence[Shape | None]) -> None:
    for name, shape in zip(names, shapes, strict=True):
        if shape is not None and 0 in shape:
            raise InvalidError(f"{name} has shape {text(shape)}; TOSA needs every dimension to be at least 1")


def same_shape(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """No broadcasting: all operands have one shape."""
    if len({shape for shape in shapes if shape is not None}) > 1:
        raise InvalidError(f"{_listing(names, shapes)}; this operator needs equal shapes (it does not broadcast)")
    return Shapes(next((shape for shape in shapes if shape is not None), ()), tuple(shapes))


def unary(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """TOSA's operators on one tensor: the result has its shape; every dimension is at least 1."""
    positive(names, shapes)
    return same_shape(names, shapes, attributes)


# The rules under which operands of one shape give that shape, whatever the attributes say.
BROADCASTING = (numpy_broadcast, same_rank, same_shape, unary)


def legacy_broadcast(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """ONNX before opset 7: B repeats along A, only if `broadcast` is set, aligned at `axis` or on the right."""
    a, b = shapes
    assert a is not None and b is not None
    if not attributes.get("broadcast"):
        return same_shape(names, shapes, attributes)
    axis = attributes.get("axis")
    start = len(a) - len(b) if axis is None else axis
    if start < 0 or start + len(b) > len(a):
        raise InvalidError(f"{_listing(names, shapes)}: {names[1]} does not fit into {names[0]} at axis {start}")
    padded = (1,) * start + b + (1,) * (len(a) - start - len(b))
    for position, (have, want) in enumerate(zip(b, a[start:], strict=False), start):
        if have != want and prod(b) != 1:  # one element fits anywhere, but an axis of 1 does not stretch by itself
            raise InvalidError(
                f"{_listing(names, shapes)}: axis {position} has {want} and {have}; "
                f"{names[1]} is one element or a part of {names[0]}'s shape"
            )
    return Shapes(a, (a, padded))


def reshaped(shape: Shape, wanted: Sequence[int], *, copy_zero: bool, infer: bool) -> Shape:
    """The shape that a reshape asks for: -1 is what is left over, 0 keeps the axis (where allowed)."""
    result = []
    for axis, size in enumerate(wanted):
        if size < -1 or (size == -1 and not infer):
            raise InvalidError(f"shape {list(wanted)} has the dimension {size}")
        copies = size == 0 and copy_zero
        if copies and axis >= len(shape):
            raise InvalidError(f"shape {list(wanted)} copies axis {axis}, but the input has shape {text(shape)}")
        result.append(shape[axis] if copies else size)
    if result.count(-1) > 1:
        raise InvalidError(f"shape {list(wanted)} leaves more than one dimension (-1) open")
    if -1 in result:
        known = prod(size for size in result if size != -1)
        if known == 0 or prod(shape) % known:
            raise InvalidError(f"{prod(shape)} elements do not fill shape {list(wanted)}")
        result[result.index(-1)] = prod(shape) // known
    if prod(result) != prod(shape):
        raise InvalidError(f"shape {text(shape)} has {prod(shape)} elements, shape {list(wanted)} has {prod(result)}")
    return bounded(tuple(result))


def bounded(shape: Shape) -> Shape:
    """The shape itself, unless it has more axes than an array can have."""
    if len(shape) > MAX_RANK:
        raise InvalidError(f"the result has rank {len(shape)}; arrays have at most {MAX_RANK} axes")
    return shape


def _listing(names: Sequence[str], shapes: Sequence[Shape | None]) -> str:
    return " and ".join(f"{n} has shape {text(s)}" for n, s in zip(names, shapes, strict=True) if s is not None)
