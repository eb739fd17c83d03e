"""The operator record: everything a specification says about one operator at one version.

`@operator(...)` stands above the definition and carries what is not in its code: rows of element
types, attributes, the shape rule, examples. Positional parameters are operands under the
specification's own names; keyword-only parameters are attributes, ordinary values while tracing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lanewise.language.attributes import REQUIRED, Attribute
from lanewise.language.errors import InvalidError, LanewiseError, UnsupportedError
from lanewise.language.shapes import Rule
from lanewise.language.sorts import AnySort, Sort
from lanewise.language.words import Function, Value, trace

Meaning = TypeVar("Meaning", bound=Callable[..., Any])


class _Unpredictable:
    def __repr__(self) -> str:
        return "UNPREDICTABLE"


UNPREDICTABLE = _Unpredictable()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table of supported types; `profiles` is empty where a specification has none."""

    inputs: tuple[AnySort, ...]
    output: Sort
    profiles: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"({', '.join(sort.name for sort in self.inputs)}) -> {self.output.name}"


@dataclass(frozen=True, slots=True)
class Argument:
    """How an operand is used.

    `use`: "elements" (broadcasts), "scalar" (one element), "table" (read by index), "channel" (a
    list along the last axis) or "numbers" (read before the graph runs: shapes, axes).
    `attribute_in`: profiles in which the argument is an attribute, not an input. `constant_in`: those in
    which the input must have a value that the graph fixes. `ranks`: lowest and highest rank allowed.
    """

    use: str = "elements"
    optional: bool = False
    attribute_in: tuple[str, ...] = ()
    constant_in: tuple[str, ...] = ()
    default: Any = REQUIRED
    ranks: tuple[int, int] | None = None
    sort: Callable[[Mapping[str, Any]], Sort] | None = None  # the type, where attributes decide it


@dataclass(frozen=True, slots=True)
class Example:
    """One element: input types, attributes, operands, and the value or UNPREDICTABLE."""

    types: tuple[AnySort, ...]
    attributes: Mapping[str, Any]
    operands: tuple[Any, ...]
    result: Any


@dataclass(frozen=True, slots=True)
class Release:
    """The place of a definition: specification, first version that has it, section."""

    specification: str
    since: int | str
    section: str

    @property
    def title(self) -> str:
        if self.specification == "onnx":
            return f"ONNX opset {self.since}"
        return f"TOSA {self.since}"


@dataclass(frozen=True, eq=False)
class Operator:
    name: str
    release: Release
    rows: tuple[Row, ...]
    meaning: Callable[..., Any]  # gives a Value; of a constant operator, see `constant_value`
    arguments: Mapping[str, Argument]
    attributes: Mapping[str, Attribute]
    shape: Rule
    variadic: bool
    output: str
    output_attribute: str | None
    examples: tuple[Example, ...]
    own_attributes: frozenset[str]  # those that the definition takes; the others steer the shape only
    constant: bool = False  # no operands: the definition gives the tensor itself, see `constant_value`
    lacking: frozenset[tuple[AnySort, ...]] = frozenset()  # input types that the specification has and lanewise not
    _traced: dict[Any, Function] = field(default_factory=dict, repr=False)

    @property
    def label(self) -> str:
        """The name as messages print it: 'BitShift-28', 'MUL'."""
        return f"{self.name}-{self.release.since}" if self.release.specification == "onnx" else self.name

    def argument_names(self, count: int) -> list[str]:
        """The name of each operand, also of a variadic operator's."""
        names = list(self.arguments)
        if self.variadic:
            stem = names[0].removesuffix("_0")
            return [f"{stem}_{index}" for index in range(count)]
        return names[:count]

    def argument(self, index: int) -> Argument:
        return list(self.arguments.values())[0 if self.variadic else index]

    def takes_shape(self, index: int) -> bool:
        """Whether an operand's shape matters to the shape rule."""
        return self.argument(index).use in ("elements", "channel")

    def check_shape(self, index: int, name: str, shape: Sequence[Any]) -> None:
        """Refuses an operand whose shape its own argument does not allow; sizes that are no numbers are open."""
        ranks = self.argument(index).ranks
        if ranks is not None and not ranks[0] <= len(shape) <= ranks[1]:
            allowed = f"{ranks[0]} to {ranks[1]}" if ranks[0] < ranks[1] else f"{ranks[0]}"
            raise InvalidError(f"{self.label}: {name} has rank {len(shape)}; {self.release.title} allows {allowed}")
        if self.argument(index).use == "scalar" and any(isinstance(size, int) and size != 1 for size in shape):
            raise InvalidError(f"{self.label}: {name} has shape {list(shape)}; it is one number")

    def read_attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes with defaults filled in; unknown, missing and forbidden ones are refused."""
        for name in given:
            if name not in self.attributes:
                known = ", ".join(self.attributes) or "none"
                raise InvalidError(f"{self.label}: unknown attribute {name!r}; it has: {known}")
        result = {}
        for name, attribute in self.attributes.items():
            value = given.get(name, attribute.default)
            if value is REQUIRED:
                raise InvalidError(f"{self.label}: attribute {name} is missing; allowed: {attribute.allowed}")
            if name not in given:
                result[name] = value
                continue
            try:
                result[name] = attribute.read(value)
            except LanewiseError as error:
                raise type(error)(f"{self.label}: attribute {name} {error}") from None
        return result

    def constant_value(self, attributes: Mapping[str, Any]) -> tuple[Any, Sort | None]:
        """The tensor that a constant operator stands for, and the type where the value itself has none."""
        assert self.constant
        try:
            value, sort = self.meaning(**{name: attributes[name] for name in self.own_attributes})
        except LanewiseError as error:
            raise type(error)(f"{self.label}: {error}") from None
        return value, sort

    def row(
        self,
        types: Sequence[AnySort | None],
        attributes: Mapping[str, Any],
        profile: str | None = None,
        output: Sort | None = None,
    ) -> Row:
        """The row for these input types (None: an optional operand that is absent), and a result type if known."""
        wanted = attributes.get(self.output_attribute) if self.output_attribute else output
        candidates = [row for row in self.rows if self.fits(row, types)]
        if wanted is not None:
            candidates = [row for row in candidates if row.output == wanted]
        if profile is not None:
            allowed = [row for row in candidates if not row.profiles.isdisjoint(profiles_of(profile))]
            if candidates and not allowed:
                have = ", ".join(sorted(candidates[0].profiles))
                raise InvalidError(
                    f"{self.label}: profile {profile} has no row for {_types(types, wanted)}; "
                    f"{self.release.title} lists it for {have}"
                )
            candidates = allowed
            for name, attribute in self.attributes.items():
                needed = attribute.extensions.get(attributes.get(name)) if attribute.extensions else None
                if needed is not None and needed not in profiles_of(profile):
                    raise InvalidError(
                        f"{self.label}: {name} is {attributes[name]}, which needs {needed}; "
                        f"profile {profile} is without it"
                    )
        if not candidates and tuple(types) in self.lacking:
            raise UnsupportedError(
                f"{self.label}: lanewise has no row for inputs {_types(types, wanted)}, which {self.release.title} "
                f"allows; it has {self._listing(types)}"
            )
        if not candidates:
            raise InvalidError(
                f"{self.label}: no row for inputs {_types(types, wanted)}; "
                f"{self.release.title}, {self.release.section} lists {self._listing(types)}"
            )
        return candidates[0]

    def fits(self, row: Row, types: Sequence[AnySort | None]) -> bool:
        """Whether a row takes operands of these types; None fits anything."""
        if self.variadic:
            return all(sort == row.inputs[0] for sort in types)
        return len(types) <= len(row.inputs) and all(
            sort is None or sort == have for sort, have in zip(types, row.inputs, strict=False)
        )

    def _listing(self, types: Sequence[AnySort | None]) -> str:
        """The rows, nearest first: those that share the first type, else all, cut to a readable length."""
        near = [row for row in self.rows if types and row.inputs and row.inputs[0] == types[0]] or list(self.rows)
        shown = "; ".join(map(str, near[:8]))
        return shown + (f"; and {len(near) - 8} more" if len(near) > 8 else "")

    def function(
        self,
        types: Sequence[AnySort | None],
        output: Sort,
        attributes: Mapping[str, Any],
        known: Mapping[int, Value] | None = None,
    ) -> Function:
        """The traced definition for one row and one set of attributes.

        `known` are operands whose value is known in advance, by index. Refuses what the definition
        forbids (`error_if`) with the operator's name in front.
        """
        own = {name: value for name, value in attributes.items() if name in self.own_attributes}
        known = known or {}
        key = (
            tuple(types),
            output,
            tuple((name, repr(value)) for name, value in own.items()),
            tuple((index, value.node) for index, value in known.items()),
        )
        found = self._traced.get(key)
        if found is None:
            inputs = tuple(known.get(index, sort) for index, sort in enumerate(types))
            try:
                found = trace(self.meaning, inputs, output, **own)
            except LanewiseError as error:
                raise type(error)(f"{self.label}: {error}") from None
            if len(self._traced) > 1000:
                self._traced.clear()
            self._traced[key] = found
        return found


def profiles_of(profile: str) -> list[str]:
    """The profiles and extensions asked for together: names joined by commas or plus signs."""
    return [name.strip() for name in profile.replace("+", ",").split(",")]


def _types(types: Sequence[AnySort | None], wanted: Sort | None) -> str:
    listing = ", ".join("-" if sort is None else sort.name for sort in types)
    return f"({listing})" + (f" -> {wanted.name}" if wanted is not None else "")


def operator(
    name: str,
    release: Release,
    *,
    rows: Iterable[Row],
    shape: Rule,
    attributes: Mapping[str, Attribute] | None = None,
    arguments: Mapping[str, Argument] | None = None,
    output: str = "output",
    output_attribute: str | None = None,
    constant: bool = False,
    lacking: Iterable[tuple[AnySort, ...]] = (),
    examples: Iterable[tuple[Any, ...]] = (),
) -> Callable[[Meaning], Meaning]:
    """Records the definition below it; several decorators on one function are several versions."""
    attributes = dict(attributes or {})
    rows = tuple(rows)

    def record(meaning: Meaning) -> Meaning:
        parameters = inspect.signature(meaning).parameters.values()
        operands = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        listed = {p.name: Argument() for p in operands}
        listed.update(arguments or {})
        assert set(listed) == {p.name for p in operands}, f"{name}: arguments differ from the definition's"
        own = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        assert own <= set(attributes), f"{name}: the definition takes attributes that are not recorded"
        made = Operator(
            name=name,
            release=release,
            rows=rows,
            meaning=meaning,
            arguments=listed,
            attributes=attributes,
            shape=shape,
            variadic=any(p.kind is p.VAR_POSITIONAL for p in operands),
            output=output,
            output_attribute=output_attribute,
            examples=tuple(Example(*example) for example in examples),
            own_attributes=own,
            constant=constant,
            lacking=frozenset(lacking),
        )
        meaning.records = (made, *getattr(meaning, "records", ()))  # type: ignore[attr-defined]
        return meaning

    return record
