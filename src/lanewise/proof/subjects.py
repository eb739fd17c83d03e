"""What can be proven equal: functions written in words, operators, graphs; each becomes a function of one element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.engines.claim import Claim, agree
from lanewise.graph.model import Model, TensorType
from lanewise.language.errors import InvalidError, LanewiseError, brief
from lanewise.language.nodes import FALSE, TRUE, Node, constant, node
from lanewise.language.sorts import BY_NAME, AnySort, ArraySort, Sort, carrier
from lanewise.language.words import Function, Requirement, Value, trace
from lanewise.proof.element import Elements, Maker, Operand, Operands, sized
from lanewise.proof.interface import Interface, shapes_of

Array = np.ndarray[Any, Any]
MOST_CHOICES = 256  # different values of a constant that are told apart


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
    interface: Interface
    assumed: str  # what the claim holds for only: shapes that the graphs leave open, tensors paired by position

    @property
    def names(self) -> tuple[str, ...]:
        """The operands' names; where a tensor comes in several ways, they are numbered."""
        listed = [operand.name for operand in self.operands]
        return tuple(
            name if listed.count(name) == 1 else f"{name}, way {listed[:k].count(name) + 1}"
            for k, name in enumerate(listed)
        )


def claims_of_graphs(source: Model, target: Model, shapes: Mapping[str, Sequence[int]]) -> list[GraphClaim]:
    """One claim for every output of two graphs with the same interface, or one that carries the same bits."""
    for name in shapes:
        if name not in source.inputs and name not in target.inputs:
            raise InvalidError(f"shapes: no graph has an input {name!r}; they have: {', '.join(source.inputs)}")
    source, left_open = sized(source, {**shapes_of(source, target), **_for(source, shapes)})
    target, right_open = sized(target, {**shapes_of(target, source), **_for(target, shapes)})
    interface = Interface.of(source, target)
    assumed = [f"{name} of shape {list(shape)}" for name, shape in {**right_open, **left_open}.items()]
    assumed += interface.by_position
    found = []
    for name, theirs in interface.outputs.items():
        operands = Operands()
        makers = {tensor: _maker(operands, tensor, kind) for tensor, kind in source.inputs.items()}
        left = Elements(source, makers, operands)
        right = Elements(target, interface.carried(makers), operands)
        result = left.output(name)
        sort, result, other = interface.compared(name, result, [right.output(part) for part in theirs])
        sorts = tuple(operand.sort for operand in operands.listed)
        choices = {k: chosen for k, o in enumerate(operands.listed) if (chosen := _choices(o)) is not None}
        required = [*left.requirements, *_within(operands.listed, choices)]
        claim = Claim(
            Function(sorts, (sort,), (result,), tuple(required)),
            Function(sorts, (sort,), (other,), tuple(right.requirements)),
            choices,
            {k: o.table for k, o in enumerate(operands.listed) if o.table is not None},
        )
        found.append(GraphClaim(name, claim, tuple(operands.listed), interface, "; ".join(assumed)))
    return found


def _for(model: Model, shapes: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    return {name: shape for name, shape in shapes.items() if name in model.inputs}


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
            same = agree(node("input", data=k, sort=word), constant(int(pattern), word))
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
