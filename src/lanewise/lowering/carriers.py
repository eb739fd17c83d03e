"""How the target carries a tensor of the source: as it is, as raw bits of a signed type, or as two words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.language.sorts import Sort, integer
from lanewise.language.words import Value, reinterpret, shift_left, shift_right, wrap

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Carrier:
    """Tensors of `source` are tensors of `parts` in the target: one, or the high and the low word."""

    source: Sort
    parts: tuple[Sort, ...]

    @property
    def suffixes(self) -> tuple[str, ...]:
        """What the parts' names add to the tensor's."""
        return ("",) if len(self.parts) == 1 else (".high", ".low")

    @property
    def change(self) -> str | None:
        """What a user must know, if the target's tensor is not the source's."""
        if self.parts == (self.source,):
            return None
        if len(self.parts) == 1:
            how = "the raw bits of " if self.parts[0].width == self.source.width else ""
            return f"{self.source.name} as {how}{self.parts[0].name}"
        return f"{self.source.name} as two {self.parts[0].name} tensors, the high and the low word"

    def encode(self, array: Array) -> tuple[Array, ...]:
        """A tensor of the source as the target has it."""
        if len(self.parts) == 2:
            words = np.ascontiguousarray(array).reshape(array.shape).view(np.int64)
            return np.asarray(words >> 32, np.int32), np.asarray(words & 0xFFFFFFFF, np.uint32).view(np.int32)
        if self.parts == (self.source,):
            return (array,)
        if self.parts[0].width != self.source.width:
            return (array.astype(dtype_of(self.parts[0])),)
        return (np.ascontiguousarray(array).reshape(array.shape).view(dtype_of(self.parts[0])),)

    def decode(self, arrays: Sequence[Array]) -> Array:
        """The source's tensor from the target's."""
        if len(self.parts) == 2:
            high, low = arrays
            words = (high.astype(np.int64) << 32) | low.astype(np.int64) & 0xFFFFFFFF
            return np.asarray(words).view(dtype_of(self.source))
        if self.parts == (self.source,):
            return arrays[0]
        if self.parts[0].width != self.source.width:
            return arrays[0].astype(dtype_of(self.source))
        return np.ascontiguousarray(arrays[0]).reshape(arrays[0].shape).view(dtype_of(self.source))

    def enter(self, value: Value) -> tuple[Value, ...]:
        """`encode` for one element of a definition."""
        if len(self.parts) == 2:
            part = self.parts[0]
            return wrap(shift_right(value, part.width), part), wrap(value, part)
        return (value if self.parts == (self.source,) else wrap(value, self.parts[0]),)

    def leave(self, values: Sequence[Value]) -> Value:
        """`decode` for one element of a definition."""
        if len(self.parts) == 2:
            half = self.parts[0].width
            wide = integer(2 * half, False)
            high, low = (wrap(reinterpret(value, integer(half, False)), wide) for value in values)
            return reinterpret(shift_left(high, half) | low, self.source)
        return values[0] if self.parts == (self.source,) else wrap(values[0], self.source)


def same(sort: Sort) -> Carrier:
    return Carrier(sort, (sort,))


def raw(sort: Sort) -> Carrier:
    """Integers without sign as the bits of integers with one."""
    return Carrier(sort, (integer(sort.width, True),) if sort.kind == "int" else (sort,))


def wider(sort: Sort, part: Sort) -> Carrier:
    """The same numbers in a type that holds them all."""
    return Carrier(sort, (part,))


def pair(sort: Sort) -> Carrier:
    """64 bits as two words of 32, or fewer as two of half the width."""
    part = integer(sort.width // 2, True)
    return Carrier(sort, (part, part))
