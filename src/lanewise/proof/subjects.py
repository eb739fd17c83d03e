"""What can be proven equal: functions written in words, operators, graphs; each becomes a function of one element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from lanewise.graph.model import Model, TensorType, title
from lanewise.language.errors import InvalidError, LanewiseError, brief
from lanewise.language.nodes import FALSE, TRUE, Node, constant, node
from lanewise.language.sorts import BY_NAME, AnySort, ArraySort, Sort, bits, carrier, i32
from lanewise.language.words import Function, Requirement, Value, trace
from lanewise.proof.claim import Claim
from lanewise.proof.element import Elements, Maker, Operand, Operands, sized

Array = np.ndarray[Any, Any]
MOST_CHOICES = 256  # different values of a constant that are told apart
HIGH, LOW = ".high", ".low"  # what a tensor's two words are called where 64 bits are carried in two


def sort_named(given: Any) -> AnySort:
    """An element type by name ("int8"), a table by its type and length ("int8[256]"), or the sort itself."""
    if isinstance(given, Sort | ArraySort):
        return given
    text = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    name, bracket, length = text.partition("[")
    length = length.removesuffix("]")
    if name not in BY_NAME or (bracket and not length.isdigit()):
        raise InvalidError(f"prove_equal: type {brief(given)}; allowed: {', '.join(BY_NAME)}, or a table: 'int8[256]'")
    return ArraySort(BY_NAME[name], int(length)) if bracket else BY_NAME[name]


def defined(subject: Callable[..., Any], sorts: Sequence[AnySort]) -> Function:
    """A function of words, or an operator, as a definition; the result's type is what it gives."""
    inner = getattr(subject, "func", subject)  # of functools.partial
    who = f"prove_equal: {getattr(inner, '__name__', brief(inner))}"

    def meaning(*operands: Value) -> Value:
        result = subject(*operands)
        if not isinstance(result, Value) or not isinstance(result.sort, Sort):
            raise InvalidError(f"gives {brief(result)}; it must give a value of the words")
        return result

    try:
        return trace(meaning, tuple(sorts), None)
    except LanewiseError as error:
        raise type(error)(f"{who}: {error}") from None
    except TypeError as error:  # sorts that do not go together, or another number of operands
        raise InvalidError(f"{who} on ({', '.join(sort.name for sort in sorts)}): {error}") from None


def claim_of_functions(source: Callable[..., Any], target: Callable[..., Any], types: Sequence[Any]) -> Claim:
    """The claim that two functions of words agree on operands of these types."""
    sorts = [sort_named(given) for given in types]
    left, right = defined(source, sorts), defined(target, sorts)
    if left.outputs != right.outputs:
        raise InvalidError(
            f"prove_equal: the first gives {left.outputs[0].name}, the second {right.outputs[0].name}; "
            "results are compared within one type"
        )
    return Claim(left, right)


@dataclass(frozen=True)
class GraphClaim:
    """The claim that one output of two graphs agrees, and what its operands are."""

    output: str
    claim: Claim
    operands: tuple[Operand, ...]
    elements: int  # of the output

    @property
    def names(self) -> tuple[str, ...]:
        """The operands' names; where a tensor comes in several ways, they are numbered."""
        listed = [operand.name for operand in self.operands]
        return tuple(
            name if listed.count(name) == 1 else f"{name}, way {listed[:k].count(name) + 1}"
            for k, name in enumerate(listed)
        )

    def can_be(self, patterns: Sequence[Any]) -> bool:
        """Whether some element of the output sees these operands: different values lie in different places."""
        ways: dict[str, list[tuple[int, Array]]] = {}
        possible = np.ones(self.elements, np.bool_)
        for k, operand in enumerate(self.operands):
            if operand.values is not None and len(operand.values) == self.elements:
                possible &= operand.values == np.uint64(patterns[k])
            elif operand.places is not None and len(operand.places) == self.elements:
                for other, places in ways.setdefault(operand.name, []):
                    if patterns[k] != patterns[other]:
                        possible &= operand.places != places
                ways[operand.name].append((k, operand.places))
        return bool(possible.any())


def claims_of_graphs(source: Model, target: Model, shapes: Mapping[str, Sequence[int]]) -> list[GraphClaim]:
    """One claim for every output of two graphs with the same interface, or one that carries the same bits."""
    source = sized(source, {**_shapes_of(source, target), **shapes})
    target = sized(target, {**_shapes_of(target, source), **shapes})
    outputs = _matched(source, target, list(source.outputs), list(target.outputs), "output")
    inputs = _matched(source, target, list(source.inputs), list(target.inputs), "input")
    found = []
    for name, theirs in outputs.items():
        operands = Operands()
        makers = {tensor: _maker(operands, tensor, kind) for tensor, kind in source.inputs.items()}
        left = Elements(source, makers, operands)
        right = Elements(target, _carried(source, target, inputs, makers), operands)
        result = left.output(name)
        parts = [right.output(part) for part in theirs]
        other = parts[0] if len(parts) == 1 else _joined(*parts)
        kind = source.types[source.outputs[name].tensor]
        if other.sort != result.sort:
            raise InvalidError(
                f"{title(target)}: output {theirs[0]!r} carries {other.sort}, {title(source)}'s {name!r} {result.sort}"
            )
        sorts = tuple(operand.sort for operand in operands.listed)
        assert isinstance(kind.sort, Sort)
        choices = {k: chosen for k, o in enumerate(operands.listed) if (chosen := _choices(o)) is not None}
        assumed = [*left.requirements, *_within(operands.listed, choices)]
        claim = Claim(
            Function(sorts, (kind.sort,), (result,), tuple(assumed)),
            Function(sorts, (kind.sort,), (other,), tuple(right.requirements)),
            choices,
            {k: o.table for k, o in enumerate(operands.listed) if o.table is not None},
        )
        assert kind.known_shape is not None
        found.append(GraphClaim(name, claim, tuple(operands.listed), prod(kind.known_shape)))
    return found


def _choices(operand: Operand) -> tuple[int, ...] | None:
    """The patterns that a constant has, if they are few enough to be told apart."""
    if operand.values is None:
        return None
    found = np.unique(operand.values)
    return tuple(int(pattern) for pattern in found) if len(found) <= MOST_CHOICES else None


def _within(operands: Sequence[Operand], choices: Mapping[int, tuple[int, ...]]) -> list[Requirement]:
    """The elements of constants are those of some place: values of one place go together."""
    found = []
    values = {k: operand.values for k, operand in enumerate(operands) if k in choices and operand.values is not None}
    for length in {len(array) for array in values.values()}:
        together = [k for k, array in values.items() if len(array) == length]
        rows = np.unique(np.stack([values[k] for k in together], axis=1), axis=0)
        groups = [(together, rows)]
        if len(rows) > MOST_CHOICES:
            groups = [([k], np.array(choices[k], np.uint64)[:, None]) for k in together]
        for members, allowed in groups:
            names = " and ".join(operands[k].name for k in members)
            found.append(Requirement(_one_of(operands, members, allowed), f"{names} as the graph has it"))
    return found


def _one_of(operands: Sequence[Operand], members: Sequence[int], rows: Array) -> Node:
    condition = FALSE
    for row in rows:
        agrees = TRUE
        for k, pattern in zip(members, row, strict=True):
            word = carrier(operands[k].sort)
            assert isinstance(word, Sort)
            same = node("eq", node("input", data=k, sort=word), constant(int(pattern), word))
            agrees = same if agrees is TRUE else node("and", agrees, same)
        condition = agrees if condition is FALSE else node("or", condition, agrees)
    return condition


def _maker(operands: Operands, name: str, kind: TensorType) -> Maker:
    def make(places: Array | None) -> Node:
        if places is None:
            assert isinstance(kind.sort, Sort) and kind.known_shape is not None
            return operands.node(Operand(name, ArraySort(kind.sort, kind.known_shape[0])))
        return operands.node(Operand(name, kind.sort, places))

    return make


def _matched(
    source: Model, target: Model, ours: Sequence[str], theirs: Sequence[str], what: str
) -> dict[str, tuple[str, ...]]:
    """For each tensor of the first graph's interface the second's: by name, as two words, or else by position."""
    left = list(theirs)
    found: dict[str, tuple[str, ...]] = {}
    for name in ours:
        whole = name.removesuffix(HIGH).removesuffix(LOW)
        if name not in left and whole in theirs:
            found[name] = (whole,)
            left = [other for other in left if other != whole]
            continue
        parts: tuple[str, ...] = (name,) if name in left else (f"{name}{HIGH}", f"{name}{LOW}")
        if set(parts) <= set(left):
            found[name] = parts
            left = [other for other in left if other not in parts]
    if left or len(found) < len(ours):
        if len(ours) != len(theirs):
            raise InvalidError(
                f"{title(source)} has the {what}s {', '.join(map(repr, ours))}, "
                f"{title(target)} {', '.join(map(repr, theirs))}; they must be the same, or as many"
            )
        found = {name: (other,) for name, other in zip(ours, theirs, strict=True)}
    return found


def _shapes_of(model: Model, other: Model) -> dict[str, Sequence[int]]:
    """Shapes for a graph's open inputs: those that the other graph's have."""
    result: dict[str, Sequence[int]] = {}
    pairs = _matched(model, other, list(model.inputs), list(other.inputs), "input")
    for name, parts in pairs.items():
        shape = other.inputs[parts[0]].known_shape
        if shape is not None and model.inputs[name].known_shape is None:
            result[name] = shape
    return result


def _carried(
    source: Model, target: Model, inputs: Mapping[str, tuple[str, ...]], makers: Mapping[str, Maker]
) -> dict[str, Maker]:
    """How the second graph's inputs are made from the first's: the same bits, or the words of 64 bits."""
    found: dict[str, Maker] = {}
    for name, parts in inputs.items():
        ours, width = source.inputs[name], source.inputs[name].sort
        for part in parts:
            theirs = target.inputs[part]
            assert isinstance(width, Sort) and isinstance(theirs.sort, Sort)
            fits = theirs.sort.width * len(parts) == width.width and (
                carrier(theirs.sort) == carrier(width) or len(parts) == 2
            )
            if not fits or ours.known_shape != theirs.known_shape:
                raise InvalidError(
                    f"{title(source)}, input {name!r} is {ours}; {title(target)}, input {part!r} is {theirs}; "
                    "they must have one shape and carry the same bits"
                )
        if len(parts) == 1:
            found[parts[0]] = makers[name]
        else:
            found[parts[0]], found[parts[1]] = _word(makers[name], 32), _word(makers[name], 0)
    return found


def _word(maker: Maker, place: int) -> Maker:
    """32 bits of an input of 64, from a place on."""

    def make(places: Array | None) -> Node:
        whole = maker(places)
        return node("trunc", node("lshr", whole, constant(place, bits(64))), sort=bits(i32.width))

    return make


def _joined(high: Node, low: Node) -> Node:
    wide = bits(64)
    upper = node("shl", node("zext", high, sort=wide), constant(32, wide))
    return node("or", upper, node("zext", low, sort=wide))
