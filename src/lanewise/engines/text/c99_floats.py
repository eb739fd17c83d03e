"""The small C functions that steps call for floats, for one type each.

float32 and float64 are C's float and double. float16 and bfloat16 are held as their bits and computed in
double, whose 53 bits of significand are more than twice theirs and 2, so that rounding twice is rounding once.
"""

from __future__ import annotations

from lanewise.engines.text.c99_helpers import arithmetic, literal, mask, top, word
from lanewise.language import floats
from lanewise.language.sorts import Sort


def is_half(sort: Sort) -> bool:
    """Whether C has no such type: float16 and bfloat16."""
    return sort.kind == "float" and sort.width == 16


def float_type(sort: Sort) -> str:
    """The C type in which a float is computed."""
    return "float" if sort.width == 32 else "double"


def named(sort: Sort) -> str:
    """The type as it stands in the names of helpers."""
    return sort.name if is_half(sort) else float_type(sort)


def nan(sort: Sort) -> str:
    return literal(floats.quiet_nan(sort), sort.width)


def to_float(sort: Sort) -> str:
    if is_half(sort):
        return _half_to_double(sort)
    kind, bits = float_type(sort), word(sort.width)
    return f"""/* The {kind} with these bits. */
static inline {kind} lw_{kind}({bits} bits)
{{
    {kind} value;
    memcpy(&value, &bits, sizeof value);
    return value;
}}"""


def to_bits(sort: Sort) -> str:
    kind, bits = float_type(sort), word(sort.width)
    return f"""/* The bits of a {kind}, as they are. */
static inline {bits} lw_bits_{kind}({kind} value)
{{
    {bits} bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}}"""


def computed(sort: Sort) -> str:
    if is_half(sort):
        return _double_to_half(sort)
    kind, bits = float_type(sort), word(sort.width)
    return f"""/* The bits of a computed {kind}: every NaN is the one quiet NaN. */
static inline {bits} lw_computed_{kind}({kind} value)
{{
    return value != value ? {nan(sort)} : lw_bits_{kind}(value);
}}"""


def _lowest_exponent(sort: Sort) -> int:
    """Of normal numbers: 2 to that power is the smallest."""
    return 2 - (1 << (sort.exponent_bits - 1))


def _half_to_double(sort: Sort) -> str:
    places, most = sort.fraction_bits, (1 << sort.exponent_bits) - 1
    return f"""/* The {sort.name} with these bits. */
static inline double lw_{sort.name}(uint16_t bits)
{{
    const int exponent = (bits >> {places}) & {most}, fraction = bits & {(1 << places) - 1};
    const int scale = (exponent > 0 ? exponent : 1) - {places + 1 - _lowest_exponent(sort)};
    double size = ldexp(fraction + (exponent > 0 ? {1 << places} : 0), scale);
    if (exponent == {most})
        size = fraction > 0 ? NAN : INFINITY;
    return bits >> 15 ? -size : size;
}}"""


def _double_to_half(sort: Sort) -> str:
    places, lowest = sort.fraction_bits, -_lowest_exponent(sort)
    beyond = f"{(2 - 2.0 ** -(places + 1)).hex()[:-1].rstrip('0p+')}p{1 + lowest}"
    return f"""/* The bits of the nearest {sort.name}, ties to even; every NaN is the one quiet NaN. */
static inline uint16_t lw_computed_{sort.name}(double value)
{{
    const double size = fabs(value);
    const int sign = signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    if (value != value)
        return {nan(sort)};
    if (size >= {beyond})
        return (uint16_t)(sign | {literal(floats.infinity(sort), 16)});
    (void)frexp(size, &exponent);
    exponent = size == 0.0 || exponent < -{lowest - 1} ? 0 : exponent + {lowest - 1};
    return (uint16_t)(sign | ((exponent << {places}) + (int)rint(ldexp(size, {places + lowest} - exponent))));
}}"""


def near_word() -> str:
    return """/* A double that rounds to 24 bits or fewer as the word does: what 53 bits lose sets the last one. */
static inline double lw_near_64(uint64_t a)
{
    return a >> 53 == 0 ? (double)a : (double)(a >> 11 | ((a & 2047u) != 0)) * 2048.0;
}"""


def to_integer(sort: Sort, width: int, with_sign: bool) -> str:
    """Towards zero; the bounds are powers of two, which every float type here holds exactly."""
    kind = float_type(sort)
    name = f"lw_{'ftos' if with_sign else 'ftou'}_{kind}_{width}"
    if with_sign:
        low, high = f"-0x1p{width - 1}", f"0x1p{width - 1}"
        least, most, within = top(width), literal((1 << (width - 1)) - 1, width), f"({arithmetic(width)})(int64_t)value"
    else:
        low, high = "0.0", f"0x1p{width}"
        least, most, within = "0u", mask(width), f"({arithmetic(width)})(uint64_t)value"
    return f"""/* Towards zero, to {width} bits {"with" if with_sign else "without"} sign; saturates, 0 for NaN. */
static inline {word(width)} {name}({kind} value)
{{
    if (value != value)
        return 0u;
    if (value <= {low})
        return {least};
    if (value >= {high})
        return {most};
    return ({word(width)})({within} & {mask(width)});
}}"""
