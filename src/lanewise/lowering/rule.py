"""A rule: what one node of the source becomes, and how far that is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lanewise.graph.model import Model
from lanewise.language.errors import UnsupportedError
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, Sort
from lanewise.language.words import Function, Value, require, trace
from lanewise.lowering.carriers import Carrier
from lanewise.lowering.steps import GraphSteps, Steps, Term, ValueSteps, Wire


class Refused(UnsupportedError):
    """The target has no exact form; the message is the reason and what to do about it."""


@dataclass(frozen=True)
class Premise:
    """What is known of a node beyond its operator's requirements, since the graph fixes an operand."""

    text: str
    holds: Callable[..., Value]  # of one element's operands, those that are present


@dataclass(frozen=True)
class Source:
    """The node that a rule lowers: its record, the types of its row, and its attributes."""

    operator: Operator
    types: tuple[AnySort | None, ...]  # None: an optional operand that is absent
    output: Sort
    attributes: Mapping[str, Any] = field(default_factory=dict)
    known: Mapping[int, int | float] = field(default_factory=dict)  # scalar operands that the graph fixes, by index
    constants: Mapping[int, Any] = field(default_factory=dict)  # arrays that the graph fixes, by index
    premise: Premise | None = None  # what more than the operator's requirements is known: see `Direction.informed`

    @property
    def sort(self) -> Sort:
        """The type of the first operand."""
        assert isinstance(self.types[0], Sort)
        return self.types[0]

    @property
    def label(self) -> str:
        """Operator, types and attributes in one line: 'BitShift-28 (int8, int8) -> int8, direction=LEFT'."""
        types = ", ".join("-" if sort is None else sort.name for sort in self.types)
        own = [f", {name}={value}" for name, value in self.attributes.items() if name in self.operator.own_attributes]
        more = f", {self.premise.text}" if self.premise is not None else ""
        return f"{self.operator.label} ({types}) -> {self.output.name}{''.join(own)}{more}"

    def function(self) -> Function:
        """The definition of the source operator for this row, for elements that meet the premise."""
        plain = self.operator.function(self.types, self.output, self.attributes)
        if self.premise is None:
            return plain
        premise = self.premise

        def promised(*operands: Value) -> Value:
            require(premise.holds(*operands), premise.text)
            return operands[0]

        first = plain.inputs[0]
        assert isinstance(first, Sort)
        promise = trace(promised, plain.inputs, first)
        return replace(plain, requirements=(*promise.requirements, *plain.requirements))


# Takes the steps of the target, the source node, and for each operand its parts (one term, or two words; None if
# absent); gives the parts of the result. Raises Refused where there is no rule.
Apply = Callable[[Steps, Source, Sequence[Sequence[Term] | None]], Sequence[Term]]


@dataclass(frozen=True)
class Rule:
    """How one operator is lowered. `bound` says what is only bounded; None: exact, bit for bit."""

    apply: Apply
    bound: Callable[[Source], str | None] = lambda source: None
    note: Callable[[Source], str | None] = lambda source: None  # what the target must have: an extension, …


class Direction:
    """One way to lower: from a specification (and version) to another. Subclasses say what they have rules for."""

    source_version: str | None = None  # where the rules are for one version

    def __init__(self, source: str, specification: str, version: int | str) -> None:
        self.source = source
        self.specification = specification
        self.version = version

    @property
    def name(self) -> str:
        """Both ends, as the list of theorems groups by them."""
        return f"{self.source.upper()} {f'{self.source_version} ' if self.source_version else ''}to {self.title}"

    @property
    def title(self) -> str:
        kind = "TOSA" if self.specification == "tosa" else "ONNX opset"
        return f"{kind} {self.version}"

    def carrier(self, sort: Sort) -> Carrier:
        """How tensors of a type are carried; raises Refused for types that the target cannot have."""
        raise NotImplementedError

    def informed(self, source: Source) -> Source:
        """The source with a premise, where constants of the graph allow a simpler rule."""
        return source

    def rule(self, source: Source) -> Rule:
        """The rule for a node; raises Refused."""
        raise NotImplementedError

    def reshape(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        """The elements of a tensor in another shape."""
        raise NotImplementedError

    def expand(self, t: GraphSteps, wire: Wire, shape: tuple[int, ...]) -> Wire:
        """A tensor of the same rank, or one that broadcasts, repeated into a shape."""
        raise NotImplementedError

    def respelt(self, t: GraphSteps, operator: str, wire: Wire, numbers: Mapping[str, Any]) -> Wire | None:
        """A node that only moves elements as the target writes it, where sizes are open; None: it cannot."""
        return None

    def notes(self, model: Model) -> list[str]:
        """What a user must know of the finished graph as a whole: profiles and extensions that it needs."""
        return []

    def instances(self) -> Iterator[Source]:
        """Every node that the rules are proven for: operators, rows and attributes."""
        raise NotImplementedError

    def narrowed(self, source: Source, word: int) -> tuple[Direction, Source] | None:
        """The rule and the node with words of so few bits, for a proof by trying every input; None if there is none."""
        return None

    def lowered(self, source: Source, narrow: bool = False) -> Function:
        """The rule for a node as one definition over the source's own types: what is proven equal to it."""
        rule = self.rule(source)

        def meaning(*operands: Value) -> Value:
            given = iter(operands)
            parts = [None if sort is None else self.enter(next(given)) for sort in source.types]
            result = rule.apply(ValueSteps(self.specification, self.version, narrow), source, parts)
            return self.carrier(source.output).leave(tuple(result))

        present = tuple(sort for sort in source.types if sort is not None)
        return trace(meaning, present, source.output)

    def enter(self, value: Value) -> tuple[Value, ...]:
        """An operand of the source in the target's terms; tables go as they are."""
        return self.carrier(value.sort).enter(value) if isinstance(value.sort, Sort) else (value,)
