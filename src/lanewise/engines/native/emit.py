"""Node kinds as LLVM IR on vectors of `lanes` elements.

Words are vectors of iN, booleans vectors of i1, float32 and float64 vectors of floats; float16
and bfloat16 stay 16-bit patterns (see `halves`). LLVM's shifts and divisions are not total: the
guards stand here. No nsw, nuw or exact flag is ever set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from lanewise.engines.native import halves
from lanewise.engines.native.halves import DOUBLE, FLOAT, splat, vector
from lanewise.engines.native.power import Power
from lanewise.engines.native.tables import Table, look_up
from lanewise.engines.native.target import Abilities
from lanewise.language import floats
from lanewise.language.nodes import Node, postorder
from lanewise.language.sorts import Sort, bf16, bits, f16, f32, f64

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
ARITHMETIC = frozenset({"fadd", "fsub", "fmul", "fdiv", "frem", "fpow", "fneg", "fabs", "frint", "fcvt"})


def is_half(sort: Sort) -> bool:
    return sort in (f16, bf16)


def element_type(sort: Sort) -> ir.Type:
    """The type of one lane."""
    if sort == f32:
        return FLOAT
    if sort == f64:
        return DOUBLE
    return ir.IntType(sort.width)


class Emitter:
    """Emits the expressions of one function into one basic block; `inputs` are loaded operands."""

    def __init__(
        self, builder: ir.IRBuilder, lanes: int, inputs: Sequence[ir.Value | Table], abilities: Abilities
    ) -> None:
        self.b = builder
        self.lanes = lanes
        self.inputs = inputs
        self.abilities = abilities
        self.has_half = abilities.half
        self.values: dict[Node, ir.Value] = {}
        self._settled: dict[Node, ir.Value] = {}

    def emit(self, roots: Sequence[Node]) -> list[ir.Value]:
        for node in postorder(roots):
            if node not in self.values:
                self.values[node] = RULES[node.kind](self, node, *(self.values[arg] for arg in node.args))
        return [self.values[root] for root in roots]

    def settled(self, root: Node) -> ir.Value:
        """A root's value with computed NaNs as the one quiet NaN; NaNs that were only moved keep their bits."""
        for node in postorder([root]):
            value = self.values[node]
            if isinstance(node.sort, Sort) and node.sort.kind == "float":
                if node.kind in ARITHMETIC:
                    value = self._quiet(node.sort, value)
                elif node.kind == "ite" and any(self._settled[arg] is not self.values[arg] for arg in node.args[1:]):
                    value = self.b.select(self.values[node.args[0]], *(self._settled[arg] for arg in node.args[1:]))
            self._settled[node] = value
        return self._settled[root]

    def _quiet(self, sort: Sort, value: ir.Value) -> ir.Value:
        if is_half(sort):
            word = ir.IntType(16)
            magnitude = self.b.and_(value, splat(word, self.lanes, 0x7FFF))
            unordered = self.b.icmp_unsigned(">", magnitude, splat(word, self.lanes, floats.infinity(sort)))
            return self.b.select(unordered, splat(word, self.lanes, floats.quiet_nan(sort)), value)
        unordered = self.b.fcmp_unordered("uno", value, value)
        word = ir.IntType(sort.width)
        nan = self.b.bitcast(splat(word, self.lanes, floats.quiet_nan(sort)), value.type)
        return self.b.select(unordered, nan, value)

    # -- shared pieces ------------------------------------------------------------------

    def of(self, node: Node) -> ir.VectorType:
        assert isinstance(node.sort, Sort)
        return vector(element_type(node.sort), self.lanes)

    def all(self, kind: ir.VectorType, value: Any) -> ir.Constant:
        return ir.Constant(kind, [value] * self.lanes)

    def wide(self, node: Node, value: ir.Value) -> ir.Value:
        """A float operand as a type that LLVM computes with."""
        assert isinstance(node.sort, Sort)
        if is_half(node.sort):
            return halves.to_float(self.b, value, node.sort, self.lanes, self.has_half)
        return value

    def narrow(self, sort: Sort, value: ir.Value) -> ir.Value:
        """A float32 or float64 result rounded to a sort."""
        double = value.type.element == DOUBLE
        if is_half(sort):
            single = halves.odd_float(self.b, value, self.lanes) if double else value
            return halves.from_float(self.b, single, sort, self.lanes, self.has_half)
        if sort == f32 and double:
            return self.b.fptrunc(value, vector(FLOAT, self.lanes))
        if sort == f64 and not double:
            return self.b.fpext(value, vector(DOUBLE, self.lanes))
        return value

    def intrinsic(self, name: str, result: ir.VectorType, *arguments: ir.Value) -> ir.Value:
        """A call of an overloaded LLVM intrinsic; `name` is complete but for the vector suffixes."""
        kinds = [argument.type for argument in arguments]
        function = (
            ir.Function(self.b.module, ir.FunctionType(result, kinds), name)
            if (name not in self.b.module.globals)
            else self.b.module.globals[name]
        )
        return self.b.call(function, arguments)


Rule = Callable[..., ir.Value]


def _suffix(kind: ir.VectorType) -> str:
    element = kind.element
    letter = {FLOAT: "f32", DOUBLE: "f64"}.get(element) if not isinstance(element, ir.IntType) else f"i{element.width}"
    return f"v{kind.count}{letter}"


def _plain(method: str) -> Rule:
    return lambda e, node, a, b: getattr(e.b, method)(a, b)


def _const(e: Emitter, node: Node) -> ir.Value:
    kind = e.of(node)
    assert isinstance(node.sort, Sort) and node.data is not None
    if node.sort in (f32, f64):
        return e.b.bitcast(splat(ir.IntType(node.sort.width), e.lanes, node.data), kind)
    return e.all(kind, node.data)


def _shift(method: str) -> Rule:
    """LLVM's shift is poison from the width on; the select keeps the poison out."""

    def rule(e: Emitter, node: Node, a: ir.Value, count: ir.Value) -> ir.Value:
        kind, width = a.type, a.type.element.width
        if width < 8:  # in bytes: LLVM gives up on some shifts of vectors of narrower words
            byte = vector(ir.IntType(8), e.lanes)
            wide = (e.b.sext if method == "ashr" else e.b.zext)(a, byte)
            return e.b.trunc(shifted(e, width, wide, e.b.zext(count, byte)), kind)
        return shifted(e, width, a, count)

    def shifted(e: Emitter, width: int, a: ir.Value, count: ir.Value) -> ir.Value:
        fits = e.b.icmp_unsigned("<", count, e.all(count.type, width))
        if method == "ashr":
            return e.b.ashr(a, e.b.select(fits, count, e.all(count.type, width - 1)))
        return e.b.select(fits, getattr(e.b, method)(a, count), e.all(a.type, 0))

    def choose(e: Emitter, node: Node, a: ir.Value, count: ir.Value) -> ir.Value:
        known = node.args[1]
        if known.kind != "const" or a.type.element.width == 1:
            return rule(e, node, a, count)
        assert known.data is not None
        width = a.type.element.width
        if known.data < width:
            return getattr(e.b, method)(a, count)
        return e.b.ashr(a, e.all(a.type, width - 1)) if method == "ashr" else e.all(a.type, 0)

    return choose


def _divide(signed: bool, remainder: bool) -> Rule:
    """Quotient or remainder with SMT-LIB's answers for a zero divisor.

    Up to 32 bits the quotient goes through floats: a / b differs from a whole number by at least
    1 / b, far more than one rounding of a float with twice the bits.
    """

    def rule(e: Emitter, node: Node, a: ir.Value, divisor: ir.Value) -> ir.Value:
        builder, kind, width = e.b, a.type, a.type.element.width
        one, zero = e.all(kind, 1 % (1 << width)), e.all(kind, 0)
        ones = e.all(kind, (1 << width) - 1)
        by_zero = builder.icmp_unsigned("==", divisor, zero)
        safe = builder.select(by_zero, one, divisor)
        if signed:  # lowest / -1 leaves the type (and traps on x86): its wrapped quotient is lowest / 1
            lowest = e.all(kind, 1 << (width - 1))
            leaves = builder.and_(builder.icmp_unsigned("==", a, lowest), builder.icmp_unsigned("==", divisor, ones))
            safe = builder.select(leaves, one, safe)
        quotient = _quotient(e, a, safe, signed)
        if remainder:
            # With b = 0 the divisor was 1 and the product a; a must come out, so multiply by the real b.
            return builder.sub(a, builder.mul(quotient, divisor))
        if not signed:
            return builder.select(by_zero, ones, quotient)
        sign = builder.select(builder.icmp_signed("<", a, zero), one, ones)
        return builder.select(by_zero, sign, quotient)

    return rule


def _quotient(e: Emitter, a: ir.Value, b: ir.Value, signed: bool) -> ir.Value:
    width = a.type.element.width
    if width > 32:
        return e.b.sdiv(a, b) if signed else e.b.udiv(a, b)
    real = vector(FLOAT if width <= 16 else DOUBLE, e.lanes)
    word = vector(ir.IntType(max(width, 32)), e.lanes)
    if signed:
        result = e.b.fptosi(e.b.fdiv(e.b.sitofp(a, real), e.b.sitofp(b, real)), word)
    else:
        result = e.b.fptoui(e.b.fdiv(e.b.uitofp(a, real), e.b.uitofp(b, real)), word)
    return result if word == a.type else e.b.trunc(result, a.type)


def _clz(e: Emitter, node: Node, a: ir.Value) -> ir.Value:
    name = f"llvm.ctlz.{_suffix(a.type)}"
    return e.intrinsic(name, a.type, a, ir.Constant(I1, 0))


def _float(method: str) -> Rule:
    def rule(e: Emitter, node: Node, a: ir.Value, b: ir.Value) -> ir.Value:
        assert isinstance(node.sort, Sort)
        result = getattr(e.b, method)(e.wide(node.args[0], a), e.wide(node.args[1], b))
        return e.narrow(node.sort, result)

    return rule


def _fpow(e: Emitter, node: Node, a: ir.Value, b: ir.Value) -> ir.Value:
    """In float64, so that the error is far below one unit of a narrower result."""
    assert isinstance(node.sort, Sort)
    kind = vector(DOUBLE, e.lanes)
    x, y = (e.narrow(f64, e.wide(arg, value)) for arg, value in zip(node.args, (a, b), strict=True))
    if node.sort == f64:
        return e.intrinsic(f"llvm.pow.{_suffix(kind)}", kind, x, y)
    return e.narrow(node.sort, Power(e.b, e.lanes, e.abilities.permutes_words)(x, y))


def _sign(clear: bool) -> Rule:
    def rule(e: Emitter, node: Node, a: ir.Value) -> ir.Value:
        assert isinstance(node.sort, Sort)
        word = vector(ir.IntType(node.sort.width), e.lanes)
        pattern = a if a.type == word else e.b.bitcast(a, word)
        mask = floats.sign_bit(node.sort)
        pattern = e.b.and_(pattern, e.all(word, mask - 1)) if clear else e.b.xor(pattern, e.all(word, mask))
        return pattern if a.type == word else e.b.bitcast(pattern, a.type)

    return rule


def _frint(e: Emitter, node: Node, a: ir.Value) -> ir.Value:
    assert isinstance(node.sort, Sort)
    value = e.wide(node.args[0], a)
    return e.narrow(node.sort, e.intrinsic(f"llvm.rint.{_suffix(value.type)}", value.type, value))


def _float_compare(operator: str) -> Rule:
    return lambda e, node, a, b: e.b.fcmp_ordered(operator, e.wide(node.args[0], a), e.wide(node.args[1], b))


def _from_integer(signed: bool) -> Rule:
    def rule(e: Emitter, node: Node, a: ir.Value) -> ir.Value:
        assert isinstance(node.sort, Sort)
        to = e.b.sitofp if signed else e.b.uitofp
        width = a.type.element.width
        if not is_half(node.sort):
            return to(a, e.of(node))
        if width <= 24:
            return e.narrow(node.sort, to(a, vector(FLOAT, e.lanes)))
        if width <= 52:
            return e.narrow(node.sort, to(a, vector(DOUBLE, e.lanes)))
        extend = e.b.sext if signed else e.b.zext
        word = a if width == 64 else extend(a, vector(I64, e.lanes))
        return e.narrow(node.sort, halves.sticky_double(e.b, word, signed, e.lanes))

    return rule


def _to_integer(signed: bool) -> Rule:
    def rule(e: Emitter, node: Node, a: ir.Value) -> ir.Value:
        value = e.wide(node.args[0], a)
        name = f"llvm.fpto{'s' if signed else 'u'}i.sat.{_suffix(e.of(node))}.{_suffix(value.type)}"
        return e.intrinsic(name, e.of(node), value)

    return rule


def _lookup(e: Emitter, node: Node, table: Table, index: ir.Value) -> ir.Value:
    return look_up(e.b, table, index)


RULES: dict[str, Rule] = {
    "input": lambda e, node: e.inputs[node.data],
    "const": _const,
    "add": _plain("add"),
    "sub": _plain("sub"),
    "mul": _plain("mul"),
    "udiv": _divide(signed=False, remainder=False),
    "urem": _divide(signed=False, remainder=True),
    "sdiv": _divide(signed=True, remainder=False),
    "srem": _divide(signed=True, remainder=True),
    "shl": _shift("shl"),
    "lshr": _shift("lshr"),
    "ashr": _shift("ashr"),
    "clz": _clz,
    "and": _plain("and_"),
    "or": _plain("or_"),
    "xor": _plain("xor"),
    "not": lambda e, node, a: e.b.xor(a, e.all(a.type, (1 << a.type.element.width) - 1)),
    "eq": lambda e, node, a, b: e.b.icmp_unsigned("==", a, b),
    "ult": lambda e, node, a, b: e.b.icmp_unsigned("<", a, b),
    "ule": lambda e, node, a, b: e.b.icmp_unsigned("<=", a, b),
    "slt": lambda e, node, a, b: e.b.icmp_signed("<", a, b),
    "sle": lambda e, node, a, b: e.b.icmp_signed("<=", a, b),
    "zext": lambda e, node, a: e.b.zext(a, e.of(node)),
    "sext": lambda e, node, a: e.b.sext(a, e.of(node)),
    "trunc": lambda e, node, a: e.b.trunc(a, e.of(node)),
    "ite": lambda e, node, condition, a, b: e.b.select(condition, a, b),
    "fadd": _float("fadd"),
    "fsub": _float("fsub"),
    "fmul": _float("fmul"),
    "fdiv": _float("fdiv"),
    "frem": _float("frem"),
    "fpow": _fpow,
    "fneg": _sign(clear=False),
    "fabs": _sign(clear=True),
    "frint": _frint,
    "feq": _float_compare("=="),
    "flt": _float_compare("<"),
    "fle": _float_compare("<="),
    "fcvt": lambda e, node, a: e.narrow(node.sort, e.wide(node.args[0], a)),
    "stof": _from_integer(signed=True),
    "utof": _from_integer(signed=False),
    "ftos": _to_integer(signed=True),
    "ftou": _to_integer(signed=False),
    "lookup": _lookup,
}

__all__ = ["ARITHMETIC", "RULES", "Emitter", "bits", "element_type", "is_half"]
