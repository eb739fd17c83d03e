"""The oracle: node kinds as Python integers over bit patterns, one element at a time.

Slow and obviously right. Patterns in, patterns out; floats are rounded from exact fractions.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from lanewise.language import floats
from lanewise.language.nodes import Node, constant, postorder, rewrite
from lanewise.language.sorts import ArraySort, Sort, from_pattern
from lanewise.language.words import Function, Requirement

# A rule takes the node and the patterns of its arguments (a table's is a sequence of patterns).
Rule = Callable[..., Any]


def _width(node: Node) -> int:
    return _sort(node).width


def _sort(node: Node) -> Sort:
    assert isinstance(node.sort, Sort)
    return node.sort


def _mask(node: Node) -> int:
    return (1 << _width(node)) - 1


def _signed(pattern: int, node: Node) -> int:
    width = _width(node)
    return pattern - (1 << width) if pattern >> (width - 1) else pattern


def _sdiv(node: Node, a: int, b: int) -> int:
    a, b = _signed(a, node), _signed(b, node)
    if b == 0:
        return (1 if a < 0 else -1) & _mask(node)
    quotient = abs(a) // abs(b)
    return (-quotient if (a < 0) != (b < 0) else quotient) & _mask(node)


def _srem(node: Node, a: int, b: int) -> int:
    a, b = _signed(a, node), _signed(b, node)
    if b == 0:
        return a & _mask(node)
    rest = abs(a) % abs(b)
    return (-rest if a < 0 else rest) & _mask(node)


def _float_rule(compute: Callable[[float, float], float], exact: Callable[[Fraction, Fraction], Fraction]) -> Rule:
    """A float operation: the host's answer for special values and signs of zero, fractions for the rest."""

    def rule(node: Node, a: int, b: int) -> int:
        sort = _sort(node)
        x, y = floats.decode(a, sort), floats.decode(b, sort)
        if math.isfinite(x) and math.isfinite(y):
            try:
                result = exact(Fraction(x), Fraction(y))
            except ZeroDivisionError:
                return floats.encode(math.nan if x == 0 else math.copysign(math.inf, x) * math.copysign(1, y), sort)
            if result != 0:
                return floats.encode(result, sort)
        return floats.encode(compute(x, y), sort)

    return rule


def _divide(x: float, y: float) -> float:
    """x / y where one is infinite or NaN, or x is a zero (y is not: that has been dealt with)."""
    if math.isinf(y):
        return math.nan if math.isinf(x) else x * math.copysign(0.0, y)
    if y == 0:
        return math.copysign(math.inf, x) * math.copysign(1, y) if not math.isnan(x) else math.nan
    return x / y


def _frem(node: Node, a: int, b: int) -> int:
    sort = _sort(node)
    x, y = floats.decode(a, sort), floats.decode(b, sort)
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return floats.quiet_nan(sort)
    return floats.encode(math.fmod(x, y), sort)  # always exact


def _fpow(node: Node, a: int, b: int) -> int:
    from lanewise.engines.power import rounded_power

    return rounded_power(a, b, _sort(node))


def _frint(node: Node, a: int) -> int:
    sort = _sort(node)
    value = floats.decode(a, sort)
    if not math.isfinite(value):
        return floats.encode(value, sort)
    return floats.encode(math.copysign(abs(float(round(value))), value), sort)


def _compare(test: Callable[[float, float], bool]) -> Rule:
    return lambda node, a, b: int(test(floats.decode(a, _sort(node.args[0])), floats.decode(b, _sort(node.args[0]))))


def _to_integer(node: Node, a: int, signed: bool) -> int:
    value = floats.decode(a, _sort(node.args[0]))
    width = _width(node)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if math.isnan(value):
        return 0
    number = (high if value > 0 else low) if math.isinf(value) else math.trunc(value)
    return min(max(number, low), high) & _mask(node)


def _canonical(node: Node, pattern: int) -> int:
    return floats.quiet_nan(_sort(node)) if floats.is_nan(pattern, _sort(node)) else pattern


RULES: dict[str, Rule] = {
    "const": lambda node: node.data,
    "add": lambda node, a, b: (a + b) & _mask(node),
    "sub": lambda node, a, b: (a - b) & _mask(node),
    "mul": lambda node, a, b: (a * b) & _mask(node),
    "udiv": lambda node, a, b: a // b if b else _mask(node),
    "urem": lambda node, a, b: a % b if b else a,
    "sdiv": _sdiv,
    "srem": _srem,
    "shl": lambda node, a, b: (a << b) & _mask(node) if b < _width(node) else 0,
    "lshr": lambda node, a, b: a >> b if b < _width(node) else 0,
    "ashr": lambda node, a, b: (_signed(a, node) >> min(b, _width(node))) & _mask(node),
    "clz": lambda node, a: _width(node) - a.bit_length(),
    "and": lambda node, a, b: a & b,
    "or": lambda node, a, b: a | b,
    "xor": lambda node, a, b: a ^ b,
    "not": lambda node, a: a ^ _mask(node),
    "eq": lambda node, a, b: int(a == b),
    "ult": lambda node, a, b: int(a < b),
    "ule": lambda node, a, b: int(a <= b),
    "slt": lambda node, a, b: int(_signed(a, node.args[0]) < _signed(b, node.args[0])),
    "sle": lambda node, a, b: int(_signed(a, node.args[0]) <= _signed(b, node.args[0])),
    "zext": lambda node, a: a,
    "sext": lambda node, a: _signed(a, node.args[0]) & _mask(node),
    "trunc": lambda node, a: a & _mask(node),
    "ite": lambda node, condition, a, b: a if condition else b,
    "fadd": _float_rule(operator.add, operator.add),
    "fsub": _float_rule(operator.sub, operator.sub),
    "fmul": _float_rule(operator.mul, operator.mul),
    "fdiv": _float_rule(_divide, operator.truediv),
    "frem": _frem,
    "fpow": _fpow,
    "fneg": lambda node, a: _canonical(node, a ^ floats.sign_bit(_sort(node))),
    "fabs": lambda node, a: _canonical(node, a & ~floats.sign_bit(_sort(node))),
    "frint": _frint,
    "feq": _compare(operator.eq),
    "flt": _compare(operator.lt),
    "fle": _compare(operator.le),
    "fcvt": lambda node, a: floats.encode(floats.decode(a, _sort(node.args[0])), _sort(node)),
    "stof": lambda node, a: floats.encode(_signed(a, node.args[0]), _sort(node)),
    "utof": lambda node, a: floats.encode(a, _sort(node)),
    "ftos": lambda node, a: _to_integer(node, a, signed=True),
    "ftou": lambda node, a: _to_integer(node, a, signed=False),
    "lookup": lambda node, table, index: table[index] if index < len(table) else 0,
}


class Evaluator:
    """Computes some nodes for one element after another.

    Built once, run often: the expression becomes a list of steps over numbered slots.
    """

    def __init__(self, roots: Sequence[Node]) -> None:
        order = list(postorder(roots))
        slot = {id(current): index for index, current in enumerate(order)}
        self._order = order  # keeps the nodes, and so their ids, alive
        self._size = len(order)
        self._inputs = [(slot[id(n)], n.data) for n in order if n.kind == "input"]
        self._steps = [
            (RULES[n.kind], n, tuple(slot[id(arg)] for arg in n.args), slot[id(n)]) for n in order if n.kind != "input"
        ]
        self._roots = [slot[id(root)] for root in roots]

    def __call__(self, operands: Sequence[Any]) -> list[Any]:
        """The roots' patterns; an operand is a pattern, or a sequence of patterns for a table."""
        return [self.trail(operands)[root] for root in self._roots] if len(self._roots) == 1 else self._all(operands)

    def _all(self, operands: Sequence[Any]) -> list[Any]:
        values = self.trail(operands)
        return [values[root] for root in self._roots]

    def trail(self, operands: Sequence[Any]) -> list[Any]:
        """The pattern of every node, in the order of `nodes`."""
        values: list[Any] = [None] * self._size
        for index, operand in self._inputs:
            values[index] = operands[operand]  # type: ignore[index]
        for rule, current, arguments, target in self._steps:
            values[target] = rule(current, *[values[index] for index in arguments])
        return values

    @property
    def nodes(self) -> list[Node]:
        return self._order


def fold(function: Function) -> Function:
    """The same function with every part that depends on no operand computed, and met requirements gone."""
    roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
    known: dict[Node, Node] = {}
    for current in postorder(roots):
        if current.kind == "const" or not current.args:
            continue
        arguments = [known.get(arg, arg) for arg in current.args]
        if all(arg.kind == "const" for arg in arguments) and not isinstance(current.args[0].sort, ArraySort):
            pattern = RULES[current.kind](current, *(arg.data for arg in arguments))
            known[current] = constant(pattern, _sort(current))
        elif current.kind == "ite" and arguments[0].kind == "const":
            known[current] = arguments[1] if arguments[0].data else arguments[2]
    if not known:
        return function
    changed = rewrite(roots, {node: _resolve(node, known) for node in known})
    results = tuple(changed[: len(function.results)])
    requirements = tuple(
        Requirement(condition, requirement.reason)
        for condition, requirement in zip(changed[len(results) :], function.requirements, strict=True)
        if not (condition.kind == "const" and condition.data == 1)
    )
    return Function(function.inputs, function.outputs, results, requirements)


def _resolve(node: Node, known: dict[Node, Node]) -> Node:
    target = known[node]
    while target in known:
        target = known[target]
    return target if target.kind == "const" or not target.args else rewrite([target], known)[0]


def number(pattern: int, sort: Sort) -> int | float | bool:
    """The number that a pattern stands for."""
    if sort.kind == "float":
        return floats.decode(pattern, sort)
    if sort.kind == "bool":
        return bool(pattern)
    return from_pattern(pattern, sort)
