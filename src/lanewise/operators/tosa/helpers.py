"""The helper functions that several TOSA operators share, under the specification's names."""

from collections.abc import Sequence

from lanewise.language import floats
from lanewise.language.sorts import Sort, from_pattern, i16, i32, i64, u16
from lanewise.language.words import (
    Value,
    error_if,
    is_nan,
    literal,
    lookup,
    nan,
    negative,
    require,
    select,
    shift_left,
    shift_right,
    widen,
    within,
    wrap,
)


def apply_add(a: Value, b: Value) -> Value:
    """a + b; for integers the exact sum must fit the type."""
    if a.element.kind == "float":
        return a + b
    result = a + b
    # The sum left the type exactly if both operands have the sign that the result lacks.
    overflow = ((a ^ result) & (b ^ result)) < 0
    require(~overflow, f"input1 + input2 fits {a.sort.name}")
    return result


def apply_sub(a: Value, b: Value, names: str = "input1 - input2") -> Value:
    """a - b; for integers the exact difference must fit the type."""
    if a.element.kind == "float":
        return a - b
    result = a - b
    overflow = ((a ^ b) & (a ^ result)) < 0
    require(~overflow, f"{names} fits {a.sort.name}")
    return result


def apply_max(a: Value, b: Value, nan_mode: str = "PROPAGATE") -> Value:
    """a if a >= b else b; a NaN on either side wins (T11), or loses where NaNs are ignored."""
    return _with_nan(a, b, select(a >= b, a, b), nan_mode)


def apply_min(a: Value, b: Value, nan_mode: str = "PROPAGATE") -> Value:
    """a if a < b else b; a NaN on either side wins (T11), or loses where NaNs are ignored."""
    return _with_nan(a, b, select(a < b, a, b), nan_mode)


def _with_nan(a: Value, b: Value, result: Value, nan_mode: str) -> Value:
    if a.element.kind != "float":
        return result
    if nan_mode == "IGNORE":
        result = select(is_nan(a), b, select(is_nan(b), a, result))
        return select(is_nan(a) & is_nan(b), nan(a.element), result)
    return select(is_nan(a) | is_nan(b), nan(a.element), result)


def apply_scale_32(
    value: Value,
    multiplier: Value,
    shift: Value,
    double_round: bool = False,
    name: str = "multiplier",
    limit_value: bool = False,
) -> Value:
    """round(value * multiplier / 2**shift), halves up, as int32; optionally rounded in two steps.

    0.23.0 requires the result to fit; later releases limit the value instead.
    """
    require(multiplier >= 0, f"{name} >= 0")
    require(within(shift, 2, 62), "2 <= shift <= 62")
    count = wrap(shift, i64)
    if limit_value:
        limit = shift_left(literal(1, i64), count - 1)
        wide = widen(value, i64)
        require((wide >= negative(limit)) & (wide < limit), "-2 ** (shift - 1) <= value < 2 ** (shift - 1)")
    rounding = shift_left(literal(1, i64), count - 1)
    if double_round:
        nudge = select(value >= 0, literal(1 << 30, i64), literal(-(1 << 30), i64))
        rounding = rounding + select(shift > 31, nudge, literal(0, i64))
    # |value * multiplier| <= 2**62 and the rounding is at most 2**61 + 2**30: 64 bits hold the sum.
    result = shift_right(widen(value, i64) * widen(multiplier, i64) + rounding, count)
    if not limit_value:
        require(within(result, i32.lowest, i32.highest), "the scaled result fits int32")
    return wrap(result, i32)


def apply_scale_16(value: Value, multiplier: Value, shift: Value) -> Value:
    """round(value * multiplier / 2**shift) for an int48 value and an int16 multiplier, as int32."""
    require(multiplier >= 0, "multiplier >= 0")
    require(within(shift, 2, 62), "2 <= shift <= 62")
    count = wrap(shift, i64)
    rounding = shift_left(literal(1, i64), count - 1)
    result = shift_right(wrap(value, i64) * widen(multiplier, i64) + rounding, count)
    require(within(result, i32.lowest, i32.highest), "the scaled result fits int32")
    return wrap(result, i32)


def apply_lookup(table: Value, value: Value, limit_slope: bool = False) -> Value:
    """The table read at a 9.7 fixed-point value: entry, and 7 bits of the way to the next one."""
    code = widen(wrap(value, u16) ^ (1 << 15), i32)  # value + 32768
    index = wrap(shift_right(code, 7), u16)
    fraction = code & 127
    base, following = widen(lookup(table, index), i32), widen(lookup(table, index + 1), i32)
    if limit_slope:
        require(within(following - base, i16.lowest, i16.highest), "table[i + 1] - table[i] fits int16")
    return base * 128 + (following - base) * fraction


def check_zero_point(name: str, value: int, sort: Sort, types: Sequence[Sort]) -> None:
    """Refuses a zero point other than 0 for types that have none, and one that its type does not hold."""
    listing = " and ".join(listed.name for listed in types)
    error_if(value != 0 and sort not in types, f"{name} is {value}, but {sort.name} has 0; others are for {listing}")
    error_if(
        sort in types and not sort.lowest <= value <= sort.highest,
        f"{name} is {value}, which is outside {sort.name} ({sort.lowest} … {sort.highest})",
    )


def known_number(value: Value) -> int | float | None:
    """The number of a value that is known while tracing, else None."""
    if value.node.kind != "const":
        return None
    assert value.node.data is not None
    read = floats.decode if value.element.kind == "float" else from_pattern
    return read(value.node.data, value.element)


def require_zero_point(name: str, value: Value, allowed: Sequence[int], others: str) -> None:
    """A zero point that must be one of a few numbers: an error if it is known not to be, else a requirement (V3)."""
    sort = value.element
    listing = " or ".join(map(str, allowed))
    number = known_number(value)
    error_if(
        number is not None and number not in allowed, f"{name} is {number}, but {sort.name} has {listing}; {others}"
    )
    if number is None:
        fits = value == allowed[0]
        for other in allowed[1:]:
            fits = fits | (value == other)
        require(fits, f"{name} is {listing} for {sort.name}")
