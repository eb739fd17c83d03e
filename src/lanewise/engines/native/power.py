"""x ** y on vectors of float64, exact enough for results in float32 and narrower.

2 ** (y * log2(x)): x is split into 2 ** k * m with m around 1, log2(m) is the series of the inverse
hyperbolic tangent, and what is left of the exponent after its whole part goes through the series of
the exponential function. The relative error stays below 2 ** -30, so that rounding to float32 is
off by no more than half a unit and 2 ** -6 of one. Special cases are those of IEEE 754 pow. Operands
are numbers that float32 has: no subnormal float64.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from lanewise.engines.native.tables import in_pieces

I64, DOUBLE = ir.IntType(64), ir.DoubleType()
TERMS_OF_LOG, TERMS_OF_EXP = 7, 9
LOG = [2 / math.log(2) / (2 * n + 1) for n in range(TERMS_OF_LOG)]
EXP = [math.log(2) ** n / math.factorial(n) for n in range(TERMS_OF_EXP)]
ONE, ROOT_HALF = 0x3FF0000000000000, 0x3FE6A09E667F3BCD  # patterns of 1 and of the square root of 1/2
EXPONENT, FRACTION = 0x7FF0000000000000, 0x000FFFFFFFFFFFFF
MAGIC = 0x4330000000000000  # of 2 ** 52: a whole number below 2 ** 52 or'ed in is that number, added
ROUNDER = 1.5 * 2.0**52  # added and taken away again it rounds to a whole number
# Where registers can be permuted, tables of 16 entries leave less to the series. Of the sixteenths of a doubling that
# the logarithm tells apart, number 8 has 1 in its middle; its entry is exact, so that numbers near 1 lose nothing.
START = ONE - 17 * (1 << 47)
SHORT_LOG = [(-1) ** (n + 1) / (n * math.log(2)) for n in range(1, 8)]
SHORT_EXP = EXP[:5]
SIXTEENTHS = 1.5 * 2.0**48  # added and taken away again it rounds to a sixteenth
FAR = 1000.0  # exponents beyond are 0 or infinite in every type that results are rounded to


def _number(pattern: int) -> float:
    (found,) = struct.unpack("<d", pattern.to_bytes(8, "little"))
    return float(found)


def _middles() -> list[float]:
    """A number in the middle of each sixteenth, 1 for the one around 1."""
    edges = [_number(START + (k << 48)) for k in range(17)]
    return [1.0 if k == 8 else (low + high) / 2 for k, (low, high) in enumerate(itertools.pairwise(edges))]


RECIPROCALS = [1 / middle for middle in _middles()]
LOGARITHMS = [-math.log2(reciprocal) for reciprocal in RECIPROCALS]
POWERS = [2.0 ** (k / 16) for k in range(16)]


class Power:
    """Emits at the builder's place; `lanes` elements a vector. `permutes`: whether tables may lie in registers."""

    def __init__(self, builder: ir.IRBuilder, lanes: int, permutes: bool) -> None:
        self.b = builder
        self.permutes = permutes
        self.real = ir.VectorType(DOUBLE, lanes)
        self.word = ir.VectorType(I64, lanes)

    def __call__(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """Bases above 0 and finite exponents need only arithmetic; else all lanes are looked at again."""
        b, before = self.b, self.b.block
        size = self._magnitude_of(x)
        near = self._power_of_two(b.fmul(y, self._logarithm(size)))
        usual = b.and_(b.fcmp_ordered(">", x, self._reals(0.0)), b.fcmp_ordered("<", x, self._reals(math.inf)))
        usual = b.and_(usual, b.fcmp_ordered("<", self._magnitude_of(y), self._reals(math.inf)))
        lanes = ir.IntType(self.real.count)
        other = b.icmp_unsigned("!=", b.bitcast(usual, lanes), lanes((1 << lanes.width) - 1))
        with b.if_then(other, likely=False):
            special = self._special(x, y, size, near)
            after = b.block
        result = b.phi(self.real)
        result.add_incoming(near, before)
        result.add_incoming(special, after)
        return result

    def _special(self, x: ir.Value, y: ir.Value, size: ir.Value, near: ir.Value) -> ir.Value:
        """All lanes, with every special case; `near` is the power of the magnitude where that is a number above 0."""
        b = self.b
        above, growing = b.fcmp_ordered(">", size, self._reals(1.0)), b.fcmp_ordered(">", y, self._reals(0.0))
        limit = b.select(b.xor(above, growing), self._reals(0.0), self._reals(math.inf))
        endless = b.fcmp_ordered("==", self._magnitude_of(y), self._reals(math.inf))
        extreme = b.or_(b.fcmp_ordered("==", size, self._reals(0.0)), b.fcmp_ordered("==", size, self._reals(math.inf)))
        near = b.select(b.or_(extreme, endless), limit, near)
        negative = b.icmp_signed("<", b.bitcast(x, self.word), self._words(0))
        half = b.fmul(y, self._reals(0.5))
        whole = b.fcmp_ordered("==", self._intrinsic("rint", y), y)
        odd = b.and_(whole, b.fcmp_ordered("one", self._intrinsic("rint", half), half))
        # An infinite base with a fractional exponent is a number, whatever its sign; so is a zero.
        nan = b.and_(b.and_(negative, b.not_(extreme)), b.not_(whole))
        nan = b.or_(nan, b.fcmp_unordered("uno", x, y))
        # 1 to any power, and -1 to an infinite one.
        near = b.select(b.fcmp_ordered("==", size, self._reals(1.0)), self._reals(1.0), near)
        near = b.select(b.and_(negative, odd), b.fneg(near), near)
        near = b.select(nan, self._reals(math.nan), near)
        one = b.or_(b.fcmp_ordered("==", y, self._reals(0.0)), b.fcmp_ordered("==", x, self._reals(1.0)))
        return b.select(one, self._reals(1.0), near)

    def _logarithm(self, size: ir.Value) -> ir.Value:
        """log2 of a normal number; exactly 0 for 1."""
        b = self.b
        pattern = b.bitcast(size, self.word)
        if self.permutes:
            return self._short_logarithm(pattern)
        moved = b.add(pattern, self._words(ONE - ROOT_HALF))  # its exponent field is k + 1023
        m = b.bitcast(b.sub(pattern, b.sub(b.and_(moved, self._words(EXPONENT)), self._words(ONE))), self.real)
        k = b.bitcast(b.or_(b.lshr(moved, self._words(52)), self._words(MAGIC)), self.real)
        k = b.fsub(k, self._reals(2.0**52 + 1023))
        s = b.fdiv(b.fsub(m, self._reals(1.0)), b.fadd(m, self._reals(1.0)))
        return self._fused(self._polynomial(LOG, b.fmul(s, s)), s, k)

    def _short_logarithm(self, pattern: ir.Value) -> ir.Value:
        b = self.b
        moved = b.add(pattern, self._words(ONE - START))  # its exponent field is k + 1023, then comes the sixteenth
        m = b.bitcast(b.sub(pattern, b.sub(b.and_(moved, self._words(EXPONENT)), self._words(ONE))), self.real)
        k = b.bitcast(b.or_(b.lshr(moved, self._words(52)), self._words(MAGIC)), self.real)
        k = b.fsub(k, self._reals(2.0**52 + 1023))
        sixteenth = b.lshr(moved, self._words(48))
        rest = self._fused(m, self._entry(RECIPROCALS, sixteenth), self._reals(-1.0))
        whole = b.fadd(k, self._entry(LOGARITHMS, sixteenth))
        return self._fused(self._polynomial(SHORT_LOG, rest), rest, whole)

    def _power_of_two(self, exponent: ir.Value) -> ir.Value:
        b = self.b
        for limit, beyond in ((FAR, ">"), (-FAR, "<")):
            exponent = b.select(b.fcmp_ordered(beyond, exponent, self._reals(limit)), self._reals(limit), exponent)
        rounder = self._reals(SIXTEENTHS if self.permutes else ROUNDER)
        rounded = b.fadd(exponent, rounder)
        rest = b.fsub(exponent, b.fsub(rounded, rounder))
        steps = b.bitcast(rounded, self.word)
        if self.permutes:
            start = b.bitcast(self._entry(POWERS, steps), self.word)
            scale = b.add(b.shl(b.lshr(steps, self._words(4)), self._words(52)), start)
            series = SHORT_EXP
        else:
            scale = b.add(b.shl(steps, self._words(52)), self._words(ONE))
            series = EXP
        return b.fmul(self._polynomial(series, rest), b.bitcast(scale, self.real))

    def _entry(self, table: Sequence[float], index: ir.Value) -> ir.Value:
        """The entries that the last four bits say, from two registers of eight."""
        b = self.b
        eight, words = ir.VectorType(DOUBLE, 8), ir.VectorType(I64, 8)
        low, high = ir.Constant(eight, list(table[:8])), ir.Constant(eight, list(table[8:]))
        name = "llvm.x86.avx512.vpermi2var.pd.512"
        known = b.module.globals
        kind = ir.FunctionType(eight, [eight, words, eight])
        permute = known[name] if name in known else ir.Function(b.module, kind, name)
        return in_pieces(b, index, 8, lambda part: b.call(permute, [low, part, high]))

    def _polynomial(self, coefficients: Sequence[float], x: ir.Value) -> ir.Value:
        result: ir.Value = self._reals(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = self._fused(result, x, self._reals(coefficient))
        return result

    def _magnitude_of(self, x: ir.Value) -> ir.Value:
        return self.b.bitcast(self.b.and_(self.b.bitcast(x, self.word), self._words(EXPONENT | FRACTION)), self.real)

    def _fused(self, *arguments: ir.Value) -> ir.Value:
        """a * b + c, in one step where the processor has one."""
        return self._intrinsic("fmuladd", *arguments)

    def _intrinsic(self, name: str, *arguments: ir.Value) -> ir.Value:
        full = f"llvm.{name}.v{self.real.count}f64"
        known = self.b.module.globals
        kind = ir.FunctionType(self.real, [self.real] * len(arguments))
        return self.b.call(known[full] if full in known else ir.Function(self.b.module, kind, full), arguments)

    def _reals(self, value: float) -> ir.Constant:
        return ir.Constant(self.real, [value] * self.real.count)

    def _words(self, value: Any) -> ir.Constant:
        return ir.Constant(self.word, [value] * self.word.count)
