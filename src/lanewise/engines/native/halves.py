"""float16 and bfloat16 in IR: stored as 16-bit patterns, computed in float32.

float32 has more than twice their precision plus two bits, so one rounding after +, -, * or / gives
the correctly rounded result. From float64 the way goes through a float32 rounded to odd, which
keeps what the last rounding needs to know.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lanewise.language.sorts import Sort, bf16

I16, I32, I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
FLOAT, DOUBLE, HALF = ir.FloatType(), ir.DoubleType(), ir.HalfType()


def vector(element: ir.Type, lanes: int) -> ir.VectorType:
    return ir.VectorType(element, lanes)


def splat(element: ir.Type, lanes: int, value: Any) -> ir.Constant:
    return ir.Constant(vector(element, lanes), [value] * lanes)


def to_float(b: ir.IRBuilder, pattern: ir.Value, sort: Sort, lanes: int, has_half: bool) -> ir.Value:
    """The float32 with the value of a 16-bit pattern; always exact."""
    if sort == bf16:
        wide = b.shl(b.zext(pattern, vector(I32, lanes)), splat(I32, lanes, 16))
        return b.bitcast(wide, vector(FLOAT, lanes))
    if has_half:
        return b.fpext(b.bitcast(pattern, vector(HALF, lanes)), vector(FLOAT, lanes))
    # Put exponent and fraction where float32 has them, then scale by 2**(127 - 15): subnormals
    # normalise by themselves; infinities and NaNs need their exponent filled up.
    wide = b.zext(pattern, vector(I32, lanes))
    magnitude = b.and_(wide, splat(I32, lanes, 0x7FFF))
    sign = b.shl(b.and_(wide, splat(I32, lanes, 0x8000)), splat(I32, lanes, 16))
    moved = b.shl(magnitude, splat(I32, lanes, 13))
    scaled = b.bitcast(
        b.fmul(b.bitcast(moved, vector(FLOAT, lanes)), splat(FLOAT, lanes, 2.0**112)), vector(I32, lanes)
    )
    special = b.icmp_unsigned(">=", magnitude, splat(I32, lanes, 0x7C00))
    filled = b.or_(moved, splat(I32, lanes, 0x7F800000))
    return b.bitcast(b.or_(sign, b.select(special, filled, scaled)), vector(FLOAT, lanes))


def from_float(b: ir.IRBuilder, value: ir.Value, sort: Sort, lanes: int, has_half: bool) -> ir.Value:
    """The 16-bit pattern nearest to a float32, ties to even."""
    bits = b.bitcast(value, vector(I32, lanes))
    if sort == bf16:
        lowest = b.and_(b.lshr(bits, splat(I32, lanes, 16)), splat(I32, lanes, 1))
        rounded = b.add(bits, b.add(lowest, splat(I32, lanes, 0x7FFF)))
        unordered = b.fcmp_unordered("uno", value, value)
        chosen = b.select(unordered, splat(I32, lanes, 0x7FC00000), rounded)
        return b.trunc(b.lshr(chosen, splat(I32, lanes, 16)), vector(I16, lanes))
    if has_half:
        return b.bitcast(b.fptrunc(value, vector(HALF, lanes)), vector(I16, lanes))
    return _half_from_float(b, bits, lanes)


def _half_from_float(b: ir.IRBuilder, bits: ir.Value, lanes: int) -> ir.Value:
    magnitude = b.and_(bits, splat(I32, lanes, 0x7FFFFFFF))
    sign = b.and_(b.lshr(bits, splat(I32, lanes, 16)), splat(I32, lanes, 0x8000))
    # Normal results: take 112 off the exponent and round away 13 bits; a carry runs into the exponent.
    lowest = b.and_(b.lshr(magnitude, splat(I32, lanes, 13)), splat(I32, lanes, 1))
    biased = b.sub(magnitude, splat(I32, lanes, 112 << 23))
    normal = b.lshr(b.add(biased, b.add(lowest, splat(I32, lanes, 0xFFF))), splat(I32, lanes, 13))
    # Subnormal results: adding 0.5 lines the fraction up so that the float32 adder rounds it.
    lifted = b.fadd(b.bitcast(magnitude, vector(FLOAT, lanes)), splat(FLOAT, lanes, 0.5))
    subnormal = b.sub(b.bitcast(lifted, vector(I32, lanes)), splat(I32, lanes, 0x3F000000))
    small = b.icmp_unsigned("<", magnitude, splat(I32, lanes, 113 << 23))
    large = b.icmp_unsigned(">=", magnitude, splat(I32, lanes, 143 << 23))
    unordered = b.icmp_unsigned(">", magnitude, splat(I32, lanes, 0x7F800000))
    result = b.select(small, subnormal, normal)
    result = b.select(large, splat(I32, lanes, 0x7C00), result)
    result = b.select(unordered, splat(I32, lanes, 0x7E00), result)
    return b.trunc(b.or_(sign, result), vector(I16, lanes))


def odd_float(b: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """A float64 as float32, rounded to odd: towards zero, and the last bit set if anything was lost."""
    near = b.fptrunc(value, vector(FLOAT, lanes))
    back = b.fpext(near, vector(DOUBLE, lanes))
    bits = b.bitcast(near, vector(I32, lanes))
    magnitude = splat(I64, lanes, 0x7FFFFFFFFFFFFFFF)
    too_large = b.icmp_unsigned(
        ">",
        b.and_(b.bitcast(back, vector(I64, lanes)), magnitude),
        b.and_(b.bitcast(value, vector(I64, lanes)), magnitude),
    )
    lost = b.fcmp_ordered("one", back, value)
    down = b.sub(bits, b.zext(b.and_(too_large, lost), vector(I32, lanes)))
    return b.bitcast(b.or_(down, b.zext(lost, vector(I32, lanes))), vector(FLOAT, lanes))


def sticky_double(b: ir.IRBuilder, word: ir.Value, signed: bool, lanes: int) -> ir.Value:
    """A 64-bit integer as a float64 that is exact but for a sticky last bit, far below any 16-bit float."""
    kind = vector(I64, lanes)
    zero = splat(I64, lanes, 0)
    negative = b.icmp_signed("<", word, zero) if signed else None
    magnitude = b.select(negative, b.sub(zero, word), word) if signed else word
    shifted = b.lshr(magnitude, splat(I64, lanes, 12))
    lost = b.icmp_unsigned("!=", b.and_(magnitude, splat(I64, lanes, 0xFFF)), zero)
    sticky = b.shl(b.or_(shifted, b.zext(lost, kind)), splat(I64, lanes, 12))
    big = b.icmp_unsigned(">=", magnitude, splat(I64, lanes, 1 << 52))
    number = b.uitofp(b.select(big, sticky, magnitude), vector(DOUBLE, lanes))
    if not signed:
        return number
    return b.select(negative, b.fneg(number), number)
