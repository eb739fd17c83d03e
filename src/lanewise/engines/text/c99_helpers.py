"""The small C functions that steps call for words, for one width each."""

from __future__ import annotations


def storage(width: int) -> int:
    return next(size for size in (8, 16, 32, 64) if width <= size)


def word(width: int) -> str:
    """The C type that holds a pattern of that width, in its low bits."""
    return f"uint{storage(width)}_t"


def arithmetic(width: int) -> str:
    """The unsigned type to compute in: C turns narrower ones into int, whose overflow is undefined."""
    return "uint32_t" if width <= 32 else "uint64_t"


def literal(pattern: int, width: int) -> str:
    if width > 32:
        return f"UINT64_C(0x{pattern:x})" if pattern >= 100 else f"UINT64_C({pattern})"
    return f"0x{pattern:x}u" if pattern >= 100 else f"{pattern}u"


def mask(width: int) -> str:
    return literal((1 << width) - 1, width)


def top(width: int) -> str:
    return literal(1 << (width - 1), width)


def signed(width: int) -> str:
    """The number that a pattern stands for; C leaves the plain conversion of large ones to the implementation."""
    kind = f"int{storage(width)}_t"
    return f"""/* The two's-complement number of {width} bits. */
static inline {kind} lw_signed_{width}({word(width)} a)
{{
    return a < {top(width)} ? ({kind})a : ({kind})(-1 - ({kind})({mask(width)} - a));
}}"""


def shl(width: int) -> str:
    return f"""/* a shifted left by b; 0 from {width} on. */
static inline {word(width)} lw_shl_{width}({word(width)} a, {word(width)} b)
{{
    return b < {literal(width, width)} ? ({word(width)})((({arithmetic(width)})a << b) & {mask(width)}) : 0;
}}"""


def lshr(width: int) -> str:
    return f"""/* a shifted right by b, zeros in; 0 from {width} on. */
static inline {word(width)} lw_lshr_{width}({word(width)} a, {word(width)} b)
{{
    return b < {literal(width, width)} ? ({word(width)})(a >> b) : 0;
}}"""


def ashr(width: int) -> str:
    return f"""/* a shifted right by b, the sign in; only the sign from {width} on. */
static inline {word(width)} lw_ashr_{width}({word(width)} a, {word(width)} b)
{{
    const {arithmetic(width)} flip = a >= {top(width)} ? {mask(width)} : 0;
    const {word(width)} count = b < {literal(width, width)} ? b : {width - 1};
    return ({word(width)})(((a ^ flip) >> count) ^ flip);
}}"""


def udiv(width: int) -> str:
    return f"""/* a / b without sign; all ones where b is 0. */
static inline {word(width)} lw_udiv_{width}({word(width)} a, {word(width)} b)
{{
    return b != 0 ? ({word(width)})(a / b) : {mask(width)};
}}"""


def urem(width: int) -> str:
    return f"""/* What a / b leaves, without sign; a where b is 0. */
static inline {word(width)} lw_urem_{width}({word(width)} a, {word(width)} b)
{{
    return b != 0 ? ({word(width)})(a % b) : a;
}}"""


def sdiv(width: int) -> str:
    kind, wide = word(width), arithmetic(width)
    return f"""/* a / b with sign, towards zero, wrapped; -1 or 1 against a's sign where b is 0. */
static inline {kind} lw_sdiv_{width}({kind} a, {kind} b)
{{
    const bool a_negative = a >= {top(width)}, b_negative = b >= {top(width)};
    const {wide} x = (a_negative ? 0u - ({wide})a : a) & {mask(width)};
    const {wide} y = (b_negative ? 0u - ({wide})b : b) & {mask(width)};
    const {wide} quotient = y != 0 ? x / y : {mask(width)};
    return ({kind})((a_negative != b_negative ? 0u - quotient : quotient) & {mask(width)});
}}"""


def srem(width: int) -> str:
    kind, wide = word(width), arithmetic(width)
    return f"""/* What a / b leaves, with a's sign; a where b is 0. */
static inline {kind} lw_srem_{width}({kind} a, {kind} b)
{{
    const bool a_negative = a >= {top(width)}, b_negative = b >= {top(width)};
    const {wide} x = (a_negative ? 0u - ({wide})a : a) & {mask(width)};
    const {wide} y = (b_negative ? 0u - ({wide})b : b) & {mask(width)};
    const {wide} rest = y != 0 ? x % y : x;
    return ({kind})((a_negative ? 0u - rest : rest) & {mask(width)});
}}"""


def clz(width: int) -> str:
    return f"""/* How many zeros stand above the highest one; {width} for 0. */
static inline {word(width)} lw_clz_{width}({word(width)} a)
{{
    {word(width)} count = 0;
    while (count < {width} && ((a >> ({width - 1} - count)) & 1u) == 0)
        count++;
    return count;
}}"""


WORDS = {
    "signed": signed, "shl": shl, "lshr": lshr, "ashr": ashr, "udiv": udiv, "urem": urem, "sdiv": sdiv, "srem": srem,
    "clz": clz,
}  # fmt: skip
