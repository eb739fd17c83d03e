"""The small SystemVerilog functions that steps call, for one width each; all combinational, none gives an X."""

from __future__ import annotations


def literal(pattern: int, width: int) -> str:
    return f"{width}'d{pattern}" if pattern < 100 else f"{width}'h{pattern:x}"


def vector(width: int) -> str:
    return f"[{width - 1}:0]"


def _function(name: str, about: str, width: int, arguments: str, body: list[str]) -> str:
    inputs = ", ".join(f"input logic {vector(width)} {argument}" for argument in arguments)
    lines = [
        f"  // {about}",
        f"  function automatic logic {vector(width)} lw_{name}_{width}({inputs});",
        *(f"    {line}" for line in body),
        "  endfunction",
    ]
    return "\n".join(lines)


def shl(width: int) -> str:
    body = [f"lw_shl_{width} = (b < {literal(width, width)}) ? (a << b) : {literal(0, width)};"]
    return _function("shl", f"a shifted left by b; 0 from {width} on.", width, "ab", body)


def lshr(width: int) -> str:
    body = [f"lw_lshr_{width} = (b < {literal(width, width)}) ? (a >> b) : {literal(0, width)};"]
    return _function("lshr", f"a shifted right by b, zeros in; 0 from {width} on.", width, "ab", body)


def ashr(width: int) -> str:
    body = [
        f"logic {vector(width)} flip, count;",
        f"flip = {{{width}{{a[{width - 1}]}}}};",
        f"count = (b < {literal(width, width)}) ? b : {literal(width - 1, width)};",
        f"lw_ashr_{width} = ((a ^ flip) >> count) ^ flip;",
    ]
    return _function("ashr", f"a shifted right by b, the sign in; only the sign from {width} on.", width, "ab", body)


def udiv(width: int) -> str:
    zero, one, ones = literal(0, width), literal(1, width), literal((1 << width) - 1, width)
    body = [
        f"logic {vector(width)} divisor;",
        f"divisor = (b == {zero}) ? {one} : b;",
        f"lw_udiv_{width} = (b == {zero}) ? {ones} : a / divisor;",
    ]
    return _function("udiv", "a / b without sign; all ones where b is 0.", width, "ab", body)


def urem(width: int) -> str:
    zero, one = literal(0, width), literal(1, width)
    body = [
        f"logic {vector(width)} divisor;",
        f"divisor = (b == {zero}) ? {one} : b;",
        f"lw_urem_{width} = (b == {zero}) ? a : a % divisor;",
    ]
    return _function("urem", "What a / b leaves, without sign; a where b is 0.", width, "ab", body)


def _magnitudes(width: int) -> list[str]:
    zero, high = literal(0, width), width - 1
    return [
        f"x = a[{high}] ? {zero} - a : a;",
        f"y = b[{high}] ? {zero} - b : b;",
        f"divisor = (y == {zero}) ? {literal(1, width)} : y;",
    ]


def sdiv(width: int) -> str:
    zero, ones, high = literal(0, width), literal((1 << width) - 1, width), width - 1
    body = [
        f"logic {vector(width)} x, y, divisor, quotient;",
        *_magnitudes(width),
        f"quotient = (y == {zero}) ? {ones} : x / divisor;",
        f"lw_sdiv_{width} = (a[{high}] ^ b[{high}]) ? {zero} - quotient : quotient;",
    ]
    about = "a / b with sign, towards zero, wrapped; -1 or 1 against a's sign where b is 0."
    return _function("sdiv", about, width, "ab", body)


def srem(width: int) -> str:
    zero, high = literal(0, width), width - 1
    body = [
        f"logic {vector(width)} x, y, divisor, rest;",
        *_magnitudes(width),
        f"rest = (y == {zero}) ? x : x % divisor;",
        f"lw_srem_{width} = a[{high}] ? {zero} - rest : rest;",
    ]
    return _function("srem", "What a / b leaves, with a's sign; a where b is 0.", width, "ab", body)


def clz(width: int) -> str:
    body = [
        f"logic {vector(width)} place;",
        f"place = {literal(0, width)};",
        f"lw_clz_{width} = {literal(width, width)};",
        f"for (int k = 0; k < {width}; k = k + 1) begin",
        f"  if (a[k]) lw_clz_{width} = {literal(width - 1, width)} - place;",
        f"  place = place + {literal(1, width)};",
        "end",
    ]
    return _function("clz", f"How many zeros stand above the highest one; {width} for 0.", width, "a", body)


WORDS = {
    "shl": shl, "lshr": lshr, "ashr": ashr, "udiv": udiv, "urem": urem, "sdiv": sdiv, "srem": srem, "clz": clz,
}  # fmt: skip
