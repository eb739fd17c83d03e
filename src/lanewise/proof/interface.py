"""How the interfaces of two graphs belong together: the same tensors, the same bits, a wider type, or two words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.graph.model import Model, TensorType, title
from lanewise.language.errors import InvalidError
from lanewise.language.nodes import Node, constant, node
from lanewise.language.sorts import Sort, bits, carrier, i32, integer
from lanewise.lowering.carriers import pair
from lanewise.proof.element import Maker

Array = np.ndarray[Any, Any]
HIGH, LOW = ".high", ".low"  # what a tensor's two words are called where 64 bits are carried in two
Matched = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Interface:
    """For each tensor of the first graph's interface the second's: one, or the high and the low word."""

    source: Model
    target: Model
    inputs: Matched
    outputs: Matched
    by_position: tuple[str, ...]  # how tensors of other names were paired

    @classmethod
    def of(cls, source: Model, target: Model) -> Interface:
        inputs, outputs = (_matched(source, target, what) for what in ("input", "output"))
        paired = [
            f"{what} {name!r} as {parts[0]!r}"
            for what, found in (("input", inputs), ("output", outputs))
            for name, parts in found.items()
            if len(parts) == 1 and parts[0] != name
        ]
        made = cls(source, target, inputs, outputs, tuple(paired))
        for name, parts in inputs.items():
            made._fit("input", name, source.inputs[name], [(part, target.inputs[part]) for part in parts])
        for name, parts in outputs.items():
            kinds = [(part, target.types[target.outputs[part].tensor]) for part in parts]
            made._fit("output", name, source.types[source.outputs[name].tensor], kinds)
        return made

    def _fit(self, what: str, name: str, ours: TensorType, theirs: Sequence[tuple[str, TensorType]]) -> None:
        for part, kind in theirs:
            have, want = ours.sort, kind.sort
            assert isinstance(have, Sort) and isinstance(want, Sort)
            if len(theirs) == 2:
                fits = have.width == 64 and want.width == 32
            else:
                both = have.kind == want.kind == "int"
                fits = carrier(have) == carrier(want) or (both and want.width > have.width)
            if not fits or ours.known_shape != kind.known_shape:
                raise InvalidError(
                    f"{title(self.source)}, {what} {name!r} is {ours}; "
                    f"{title(self.target)}, {what} {part!r} is {kind}; "
                    "they must have one shape and carry the same bits, or a wider type the same numbers"
                )

    def carried(self, makers: Mapping[str, Maker]) -> dict[str, Maker]:
        """How the second graph's inputs are made from the first's."""
        found: dict[str, Maker] = {}
        for name, parts in self.inputs.items():
            if len(parts) == 2:
                found[parts[0]], found[parts[1]] = _word(makers[name], 32), _word(makers[name], 0)
            else:
                have, want = self.source.inputs[name].sort, self.target.inputs[parts[0]].sort
                assert isinstance(have, Sort) and isinstance(want, Sort)
                found[parts[0]] = makers[name] if have.width == want.width else _wider(makers[name], have, want)
        return found

    def compared(self, name: str, ours: Node, theirs: Sequence[Node]) -> tuple[Sort, Node, Node]:
        """Both results as nodes of one type."""
        kind = self.source.types[self.source.outputs[name].tensor].sort
        assert isinstance(kind, Sort)
        if len(theirs) == 2:
            return kind, ours, _joined(*theirs)
        wanted = theirs[0].sort
        assert isinstance(wanted, Sort)
        if wanted.width == kind.width:
            return kind, ours, theirs[0]
        return integer(wanted.width, kind.signed), _extended(ours, kind, wanted), theirs[0]

    def encode(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The second graph's inputs from the first's."""
        found: dict[str, Array] = {}
        for name, parts in self.inputs.items():
            array = inputs[name]
            if len(parts) == 2:
                found.update(zip(parts, pair(_sort(self.source.inputs[name])).encode(array), strict=True))
                continue
            wanted = dtype_of(_sort(self.target.inputs[parts[0]]))
            same = array.dtype.itemsize == wanted.itemsize
            found[parts[0]] = array.view(wanted) if same else array.astype(wanted)
        return found

    def differ(self, name: str, ours: Array, theirs: Mapping[str, Array]) -> bool:
        """Whether the two graphs' results for an output differ in some bit, or as numbers; any NaN is any other."""
        parts = [theirs[part] for part in self.outputs[name]]
        found = parts[0] if len(parts) == 1 else pair(integer(64, ours.dtype.kind == "i")).decode(parts)
        if ours.dtype.kind in "fV":
            real, other = ours.astype(np.float64), found.astype(np.float64)
            same = (real == other) & (np.signbit(real) == np.signbit(other)) | (np.isnan(real) & np.isnan(other))
            return not bool(same.all())
        if ours.dtype.itemsize == found.dtype.itemsize:
            found = found.view(ours.dtype)
        return not bool((ours == found).all())


def shapes_of(model: Model, other: Model) -> dict[str, Sequence[int]]:
    """Shapes for a graph's open inputs: those that the other graph's have."""
    result: dict[str, Sequence[int]] = {}
    for name, parts in _matched(model, other, "input", halves=True).items():
        shape = other.inputs[parts[0]].known_shape
        if shape is not None and model.inputs[name].known_shape is None:
            result[name] = shape
    return result


def _matched(source: Model, target: Model, what: str, *, halves: bool = False) -> Matched:
    """By name, as two words, or else by position, if no names agree. `halves`: ours may be halves of theirs."""
    ours = list(source.inputs if what == "input" else source.outputs)
    theirs = list(target.inputs if what == "input" else target.outputs)
    left, found = list(theirs), dict[str, tuple[str, ...]]()
    for name in ours:
        whole = name.removesuffix(HIGH).removesuffix(LOW)
        parts: tuple[str, ...] = (name,) if name in left else (f"{name}{HIGH}", f"{name}{LOW}")
        if set(parts) <= set(left):
            found[name] = parts
            left = [other for other in left if other not in parts]
        elif whole in theirs and {f"{whole}{HIGH}", f"{whole}{LOW}"} <= set(ours):
            if not halves:
                raise InvalidError(
                    f"{title(source)} has {what} {whole!r} in two words, {title(target)} in one; "
                    "give the graph with the whole tensor first"
                )
            found[name] = (whole,)
            left = [other for other in left if other != whole]
    if not left and len(found) == len(ours):
        return found
    if len(ours) != len(theirs) or found:
        raise InvalidError(
            f"{title(source)} has the {what}s {', '.join(map(repr, ours))}, "
            f"{title(target)} {', '.join(map(repr, theirs))}; they must be the same, or as many of other names"
        )
    return {name: (other,) for name, other in zip(ours, theirs, strict=True)}


def _sort(kind: TensorType) -> Sort:
    assert isinstance(kind.sort, Sort)
    return kind.sort


def _word(maker: Maker, place: int) -> Maker:
    """32 bits of an input of 64, from a place on."""

    def make(places: Array | None) -> Node:
        whole = maker(places)
        return node("trunc", node("lshr", whole, constant(place, bits(64))), sort=bits(i32.width))

    return make


def _wider(maker: Maker, have: Sort, want: Sort) -> Maker:
    """The number in a wider type."""
    return lambda places: _extended(maker(places), have, want)


def _extended(number: Node, have: Sort, want: Sort) -> Node:
    return node("sext" if have.signed else "zext", number, sort=bits(want.width))


def _joined(high: Node, low: Node) -> Node:
    wide = bits(64)
    upper = node("shl", node("zext", high, sort=wide), constant(32, wide))
    return node("or", upper, node("zext", low, sort=wide))
