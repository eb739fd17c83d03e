"""The words that definitions are written in.

A definition is a plain Python function over `Value`s. Running it once, with inputs that stand
for any element, records an expression (see `trace`). Sign lives here: the element type of a value
decides which signless node a word becomes. There is no implicit conversion between sorts.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NoReturn

from lanewise.language import floats
from lanewise.language.errors import InvalidError, brief
from lanewise.language.nodes import FALSE, TRUE, Node, constant, node
from lanewise.language.sorts import (
    AnySort,
    ArraySort,
    Sort,
    boolean,
    carrier,
    integer,
    to_pattern,
)

Number = int | float | bool


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that must hold for an element to have a defined result."""

    condition: Node
    reason: str


@dataclass(frozen=True, slots=True)
class Function:
    """A traced definition: what engines read. `inputs` and `outputs` are element types."""

    inputs: tuple[AnySort, ...]
    outputs: tuple[Sort, ...]
    results: tuple[Node, ...]
    requirements: tuple[Requirement, ...] = ()


class Value:
    """What an author handles: an expression and the element type it is read with."""

    __slots__ = ("node", "sort")
    __hash__ = None  # type: ignore[assignment]  # == builds an expression, so values cannot be keys

    def __init__(self, expression: Node, sort: AnySort) -> None:
        assert expression.sort == carrier(sort)
        self.node = expression
        self.sort = sort

    @property
    def element(self) -> Sort:
        """The sort of a value that is not an array."""
        assert isinstance(self.sort, Sort)
        return self.sort

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a traced value has no truth yet: use select() instead of if/and/or/not, "
            "and within() instead of a <= x <= b"
        )

    def __add__(self, other: Value | Number) -> Value:
        return _arithmetic(self, other, "add", "fadd")

    def __sub__(self, other: Value | Number) -> Value:
        return _arithmetic(self, other, "sub", "fsub")

    def __mul__(self, other: Value | Number) -> Value:
        return _arithmetic(self, other, "mul", "fmul")

    def __truediv__(self, other: Value | Number) -> Value:
        return _arithmetic(self, other, None, "fdiv")

    def __and__(self, other: Value | Number) -> Value:
        return _bitwise(self, other, "and")

    def __or__(self, other: Value | Number) -> Value:
        return _bitwise(self, other, "or")

    def __xor__(self, other: Value | Number) -> Value:
        return _bitwise(self, other, "xor")

    __radd__, __rmul__ = __add__, __mul__
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __rsub__(self, other: Number) -> Value:
        return like(other, self) - self

    def __rtruediv__(self, other: Number) -> Value:
        return like(other, self) / self

    def __neg__(self) -> Value:
        return negative(self)

    def __invert__(self) -> Value:
        return Value(node("not", self.node), self.sort)

    def __eq__(self, other: Value | Number) -> Value:  # type: ignore[override]
        other = like(other, self)
        return Value(node("feq" if self.element.kind == "float" else "eq", self.node, other.node), boolean)

    def __ne__(self, other: Value | Number) -> Value:  # type: ignore[override]
        return ~(self == other)

    def __lt__(self, other: Value | Number) -> Value:
        return _order(self, like(other, self), "lt")

    def __le__(self, other: Value | Number) -> Value:
        return _order(self, like(other, self), "le")

    def __gt__(self, other: Value | Number) -> Value:
        return _order(like(other, self), self, "lt")

    def __ge__(self, other: Value | Number) -> Value:
        return _order(like(other, self), self, "le")


# --- constants ------------------------------------------------------------------------------


def literal(number: Number, sort: Sort) -> Value:
    """A constant of that sort; a number outside the sort is an error, never wrapped."""
    if sort.kind == "float":
        return Value(constant(floats.encode(number if isinstance(number, int) else float(number), sort), sort), sort)
    if isinstance(number, float) or not sort.lowest <= int(number) <= sort.highest:
        raise InvalidError(f"constant {brief(number)} does not fit {sort.name} ({sort.lowest} … {sort.highest})")
    expression = constant(to_pattern(number, sort), _word(sort))
    return Value(expression, sort)


def like(other: Value | Number, value: Value) -> Value:
    """`other` as an operand beside `value`: same sort, or a Python number that fits it."""
    if not isinstance(other, Value):
        return literal(other, value.element)
    if other.sort != value.sort:
        raise TypeError(
            f"operands differ: {value.sort} and {other.sort}; "
            "convert one with widen(), wrap(), reinterpret() or convert()"
        )
    return other


def nan(sort: Sort) -> Value:
    return literal(math.nan, sort)


def _word(sort: Sort) -> Sort:
    word = carrier(sort)
    assert isinstance(word, Sort)
    return word


# --- requirements ---------------------------------------------------------------------------

_recorded: ContextVar[list[Requirement] | None] = ContextVar("recorded", default=None)
_premise: ContextVar[Value | None] = ContextVar("premise", default=None)


def require(condition: Value | bool, reason: str) -> None:
    """Records that an element has a defined result only if the condition holds (REQUIRE)."""
    recorded = _recorded.get()
    assert recorded is not None, "require() is used while a definition is traced"
    if isinstance(condition, bool):
        condition = literal(condition, boolean)
    premise = _premise.get()
    if premise is not None:
        condition = ~premise | condition
    recorded.append(Requirement(condition.node, reason))


@contextlib.contextmanager
def when(condition: Value) -> Iterator[None]:
    """Requirements inside hold only for elements that meet the condition."""
    outer = _premise.get()
    token = _premise.set(condition if outer is None else outer & condition)
    try:
        yield
    finally:
        _premise.reset(token)


def error_if(condition: bool, reason: str) -> None:
    """Refuses types and attributes that the specification forbids (ERROR_IF); known while tracing."""
    if condition:
        raise InvalidError(reason)


def trace(
    meaning: Callable[..., Value], inputs: tuple[AnySort | Value | None, ...], output: Sort | None, **attributes: object
) -> Function:
    """What a definition computes for one element.

    Each input is a sort (a fresh operand), a `Value` (a constant known in advance) or None (an
    optional operand that is absent). `output` is the sort it must give; None: the one it gives.
    """
    sorts: list[AnySort] = []
    operands: list[Value | None] = []
    for given in inputs:
        if isinstance(given, Sort | ArraySort):
            operands.append(Value(node("input", data=len(sorts), sort=carrier(given)), given))
            sorts.append(given)
        else:
            operands.append(given)
    recorded: list[Requirement] = []
    token = _recorded.set(recorded)
    try:
        result = meaning(*operands, **attributes)
    finally:
        _recorded.reset(token)
    assert output is None or result.sort == output, f"the definition gives {result.sort}, its row says {output}"
    return Function(tuple(sorts), (result.element,), (result.node,), tuple(recorded))


# --- words ----------------------------------------------------------------------------------


def select(condition: Value, then: Value | Number, other: Value | Number) -> Value:
    """`then` where the condition holds, else `other`; both are always computed."""
    if not isinstance(then, Value):
        if not isinstance(other, Value):
            raise TypeError(
                f"select() chooses between {brief(then)} and {brief(other)}, which have no type; "
                "make one of them a literal(), such as literal(7, x.sort)"
            )
        then = like(then, other)
    other = like(other, then)
    return Value(node("ite", condition.node, then.node, other.node), then.sort)


def within(value: Value, lowest: int, highest: int) -> Value:
    """lowest <= value <= highest, with bounds that need not fit the value's sort."""
    low, high = max(lowest, value.element.lowest), min(highest, value.element.highest)
    if low > high:
        return Value(FALSE, boolean)
    result = Value(TRUE, boolean)
    if low > value.element.lowest:
        result = value >= low
    if high < value.element.highest:
        result = (value <= high) if low == value.element.lowest else result & (value <= high)
    return result


def widen(value: Value, sort: Sort) -> Value:
    """The same number in a sort that holds every number of the value's sort."""
    source = value.element
    if sort.lowest > source.lowest or sort.highest < source.highest:
        raise TypeError(
            f"{source} does not widen to {sort}, which lacks some of its numbers; wrap() cuts, saturate() clips"
        )
    return wrap(value, sort)


def wrap(value: Value, sort: Sort) -> Value:
    """The number of that sort that is congruent to the value modulo 2**width."""
    source = value.element
    if source.kind != "int" or sort.kind != "int":
        raise TypeError(
            f"wrap() goes between integers, not from {source} to {sort}; convert() knows floats and booleans"
        )
    if sort.width == source.width:
        return Value(value.node, sort)
    kind = "trunc" if sort.width < source.width else "sext" if source.signed else "zext"
    return Value(node(kind, value.node, sort=_word(sort)), sort)


def reinterpret(value: Value, sort: Sort) -> Value:
    """The same pattern read with another sign."""
    source = value.element
    if source.width != sort.width or source.kind != "int" or sort.kind != "int":
        raise TypeError(f"reinterpret() goes between integers of one width, not from {source} to {sort}")
    return Value(value.node, sort)


def saturate(value: Value, sort: Sort) -> Value:
    """The nearest number of that sort."""
    source = value.element
    low, high = max(sort.lowest, source.lowest), min(sort.highest, source.highest)
    return wrap(minimum(maximum(value, low), high), sort)


def minimum(a: Value, b: Value | Number) -> Value:
    """The smaller of two integers."""
    return select(a < b, a, b)


def maximum(a: Value, b: Value | Number) -> Value:
    """The larger of two integers."""
    return select(a > b, a, b)


def absolute(value: Value) -> Value:
    """The magnitude; for a signed integer the lowest value wraps to itself."""
    if value.element.kind == "float":
        return Value(node("fabs", value.node), value.sort)
    return select(value < 0, negative(value), value) if value.element.signed else value


def negative(value: Value) -> Value:
    """The value with the other sign; integers wrap."""
    if value.element.kind == "float":
        return Value(node("fneg", value.node), value.sort)
    return literal(0, value.element) - value


def shift_left(value: Value, count: Value | int) -> Value:
    """value * 2**count, wrapped; the count is read as unsigned, and 0 is left from the width on."""
    return Value(node("shl", value.node, _count(count, value)), value.sort)


def shift_right(value: Value, count: Value | int) -> Value:
    """value / 2**count rounded down; the count is read as unsigned, the sign is left from the width on."""
    kind = "ashr" if value.element.signed else "lshr"
    return Value(node(kind, value.node, _count(count, value)), value.sort)


def reinterpret_unsigned(value: Value) -> Value:
    """The same pattern as a number without sign: negative numbers become the largest ones."""
    return reinterpret(value, integer(value.element.width, False))


def quotient_towards_zero(a: Value, b: Value) -> Value:
    """a / b without its fraction; what b = 0 gives is SMT-LIB's, so guard it or require otherwise."""
    return Value(node("sdiv" if a.element.signed else "udiv", a.node, like(b, a).node), a.sort)


def remainder_towards_zero(a: Value, b: Value) -> Value:
    """What the quotient towards zero leaves: it has a's sign, and is a for b = 0. Floats: exact (fmod)."""
    kind = "frem" if a.element.kind == "float" else "srem" if a.element.signed else "urem"
    return Value(node(kind, a.node, like(b, a).node), a.sort)


def count_leading_zeros(value: Value) -> Value:
    return Value(node("clz", value.node), value.sort)


def lookup(table: Value, index: Value) -> Value:
    """The table's entry at an unsigned index; 0 beyond the end."""
    assert isinstance(table.sort, ArraySort) and not index.element.signed
    return Value(node("lookup", table.node, index.node), table.sort.element)


def power(a: Value, b: Value) -> Value:
    """a ** b for floats, with the special cases of IEEE 754's pow."""
    return Value(node("fpow", a.node, like(b, a).node), a.sort)


def is_nan(value: Value) -> Value:
    return ~(value == value)  # noqa: PLR0124  # a NaN is what differs from itself


def round_to_even(value: Value) -> Value:
    """The nearest integer as a float, ties to even."""
    return Value(node("frint", value.node), value.sort)


def convert(value: Value, sort: Sort) -> Value:
    """Between booleans, integers and floats as numbers.

    To a float: the nearest, ties to even. From a float to an integer: towards zero, saturating,
    0 for NaN. To a boolean: different from 0. Between integers: wrapped.
    """
    source = value.element
    if source == sort:
        return value
    if sort.kind == "bool":
        return value != 0
    if source.kind == "bool":
        return select(value, literal(1, sort), literal(0, sort))
    if source.kind == sort.kind == "int":
        return wrap(value, sort)
    if source.kind == sort.kind == "float":
        kind = "fcvt"
    elif source.kind == "float":
        kind = "ftos" if sort.signed else "ftou"
    else:
        kind = "stof" if source.signed else "utof"
    return Value(node(kind, value.node, sort=_word(sort)), sort)


def _count(count: Value | int, value: Value) -> Node:
    """A shift count: a number, or a value of the same width whatever its sign."""
    if isinstance(count, Value):
        return like(reinterpret(count, value.element), value).node
    return literal(count, integer(value.element.width, False)).node


def _arithmetic(a: Value, b: Value | Number, integer_kind: str | None, float_kind: str) -> Value:
    b = like(b, a)
    kind = float_kind if a.element.kind == "float" else integer_kind
    if kind is None or a.element.kind == "bool":
        raise TypeError(f"no such arithmetic on {a.sort}; for integers see quotient_towards_zero()")
    return Value(node(kind, a.node, b.node), a.sort)


def _bitwise(a: Value, b: Value | Number, kind: str) -> Value:
    return Value(node(kind, a.node, like(b, a).node), a.sort)


def _order(a: Value, b: Value, comparison: str) -> Value:
    sort = a.element
    prefix = "f" if sort.kind == "float" else "s" if sort.signed else "u"
    return Value(node(prefix + comparison, a.node, b.node), boolean)
