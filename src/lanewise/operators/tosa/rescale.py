"""RESCALE, TOSA."""

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import choice, element_type, flag, whole
from lanewise.language.errors import InvalidError
from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import Shape, Shapes, positive, text
from lanewise.language.sorts import Sort, i8, i16, i32, i48, i64, integer, u6, u8
from lanewise.language.words import Value, error_if, maximum, minimum, reinterpret, require, widen, within, wrap
from lanewise.operators.tosa.helpers import apply_scale_16, apply_scale_32, check_zero_point, require_zero_point
from lanewise.operators.tosa.rows import (
    ATTRIBUTE_IN_INFERENCE,
    INT,
    INT16,
    TYPE_CONVERSION,
    any_profile,
    from_1_0,
    profiled,
    tosa,
)

SIGNED = (i8, i16, i32)
PAIRS = [*((a, b) for a in (*SIGNED, i48) for b in SIGNED), (u8, i8), (i8, u8)]
OUTPUT_TYPE = element_type()
ZERO_POINT = whole(i8.lowest, u8.highest, default=0)


def multiplier_sort(attributes: Mapping[str, Any]) -> Sort:
    return i32 if attributes.get("scale32", True) else i16


def channels(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """The input's shape, beside one multiplier and shift for all elements, or for each last index (T24)."""
    shape, *lists = shapes[:3]
    positive(names[:1], shapes[:1])
    assert shape is not None
    if attributes["per_channel"] and not shape:
        raise InvalidError("input has shape [], which has no channels; per_channel needs a last dimension")
    wanted = shape[-1] if attributes["per_channel"] else 1
    if any(found != (wanted,) for found in lists):
        listing = " and ".join(f"{name} has shape {text(found)}" for name, found in zip(names[1:3], lists, strict=True))
        why = (
            f"with per_channel and input of shape {text(shape)}" if attributes["per_channel"] else "without per_channel"
        )
        raise InvalidError(f"{listing}; {why} each is a list of length {wanted}")
    views = lists if attributes["per_channel"] else [()] * len(lists)  # one entry for all, whatever their rank
    return Shapes(shape, (shape, *views, *shapes[3:]))


@operator(
    "RESCALE",
    tosa("0.23.0", TYPE_CONVERSION),
    rows=any_profile(*((a, m, u6, b) for a, b in PAIRS for m in (i32, i16))),
    arguments={
        "input": Argument(ranks=(1, 4)),
        "multiplier": Argument("channel", attribute_in=ATTRIBUTE_IN_INFERENCE, sort=multiplier_sort),
        "shift": Argument("channel", attribute_in=ATTRIBUTE_IN_INFERENCE),
    },
    attributes={
        "input_zp": ZERO_POINT,
        "output_zp": ZERO_POINT,
        "scale32": flag(default=True),
        "double_round": flag(default=False),
        "per_channel": flag(default=False),
        "output_type": element_type(),
    },
    output_attribute="output_type",
    shape=channels,
    examples=[
        ((i32, i32, u6), {"output_type": "int16"}, (8256, 1 << 14, 21), 65),  # 8256 / 128 = 64.5, halves up
        ((i32, i32, u6), {"output_type": "int16"}, (1 << 30, 1 << 30, 30), 32767),  # T23: clips
        ((u8, i32, u6), {"output_type": "int8", "input_zp": 128}, (0, 1 << 30, 30), -128),
        ((i8, i32, u6), {"output_type": "uint8", "output_zp": 128}, (-128, 1 << 30, 30), 0),
        ((i48, i16, u6), {"output_type": "int32", "scale32": False}, (-(1 << 47), 1, 16), -(1 << 31)),
        ((i32, i32, u6), {"output_type": "int32"}, (2, (1 << 31) - 1, 33), 0),
        ((i32, i32, u6), {"output_type": "int32", "double_round": True}, (2, (1 << 31) - 1, 33), 1),
        ((i32, i32, u6), {"output_type": "int8"}, (1, 1, 1), UNPREDICTABLE),
        ((i32, i32, u6), {"output_type": "int8"}, (1, -1, 30), UNPREDICTABLE),
        ((i32, i32, u6), {"output_type": "int8"}, (1 << 30, 1 << 30, 2), UNPREDICTABLE),  # leaves int32 on the way
    ],
)
def rescale(
    input: Value,
    multiplier: Value,
    shift: Value,
    *,
    input_zp: int,
    output_zp: int,
    scale32: bool,
    double_round: bool,
    output_type: Sort,
) -> Value:
    """(input - input_zp) * multiplier / 2**shift + output_zp, halves up, clipped to output_type."""
    check_zero_point("input_zp", input_zp, input.element, (i8, u8))
    check_zero_point("output_zp", output_zp, output_type, (i8, u8))
    error_if(scale32 and input.sort == i48, "scale32 is True; an int48 input is scaled by 16-bit multipliers only")
    error_if(double_round and not scale32, "double_round is True; only scale32 rounds twice")
    wanted = multiplier_sort({"scale32": scale32})
    error_if(multiplier.sort != wanted, f"multiplier is {multiplier.sort}; with scale32={scale32} it is {wanted}")
    value = input if input.sort == i48 else widen(input, i32) - input_zp
    if scale32:
        scaled = apply_scale_32(value, multiplier, shift, double_round)
    else:
        scaled = apply_scale_16(value, multiplier, shift)
    # T23: int32 need not hold scaled + output_zp; to clip first, between bounds moved by it, gives the same.
    low, high = output_type.lowest - output_zp, output_type.highest - output_zp
    return wrap(minimum(maximum(scaled, low), high) + output_zp, output_type)


def output_sort(attributes: Mapping[str, Any]) -> Sort:
    try:
        sort: Sort = OUTPUT_TYPE.read(attributes.get("output_type"))
    except InvalidError as error:
        raise InvalidError(f"RESCALE: attribute output_type {error}") from None
    return sort


def _pairs(sources: Sequence[Sort]) -> list[tuple[Sort, ...]]:
    return [(a, m, i8, a, b, b) for a in sources for b in SIGNED for m in (i32, i16)]


@from_1_0(
    "RESCALE",
    TYPE_CONVERSION,
    rows=[*profiled(INT, *_pairs(SIGNED)), *profiled(INT16, *_pairs([i48]))],
    arguments={
        "multiplier": Argument("channel", constant_in=(INT,), sort=multiplier_sort),
        "shift": Argument("channel", constant_in=(INT,)),
        "input_zp": Argument("scalar", default=0, constant_in=(INT,), ranks=(1, 1)),
        "output_zp": Argument("scalar", default=0, constant_in=(INT,), ranks=(1, 1), sort=output_sort),
    },
    attributes={
        "scale32": flag(default=True),
        "rounding_mode": choice(
            "SINGLE_ROUND",
            "INEXACT_ROUND",
            "DOUBLE_ROUND",
            default="SINGLE_ROUND",
            extensions={"INEXACT_ROUND": "EXT-INEXACTROUND", "DOUBLE_ROUND": "EXT-DOUBLEROUND"},
        ),
        "per_channel": flag(default=False),
        "input_unsigned": flag(default=False),
        "output_unsigned": flag(default=False),
        "output_type": OUTPUT_TYPE,
    },
    output_attribute="output_type",
    shape=channels,
    examples=[
        ((i32, i32, i8, i32, i16), {"output_type": "int16"}, (8256, 1 << 14, 21, 0, 0), 65),
        ((i32, i32, i8, i32, i16), {"output_type": "int16"}, (1 << 28, 1 << 30, 30, 0, 0), 32767),
        ((i8, i32, i8, i8, i8), {"output_type": "int8", "input_unsigned": True}, (-1, 1 << 30, 30, -128, 0), 127),
        ((i8, i32, i8, i8, i8), {"output_type": "int8", "output_unsigned": True}, (-5, 1 << 30, 30, 0, 0), 0),
        ((i8, i32, i8, i8, i8), {"output_type": "int8", "output_unsigned": True}, (127, 1 << 30, 30, 0, -128), -1),
        ((i48, i16, i8, i48, i32), {"output_type": "int32", "scale32": False}, (-(1 << 47), 1, 16, 0, 0), -(1 << 31)),
        ((i32, i32, i8, i32, i32), {"output_type": "int32"}, (2, (1 << 31) - 1, 33, 0, 0), 0),
        (
            (i32, i32, i8, i32, i32),
            {"output_type": "int32", "rounding_mode": "DOUBLE_ROUND"},
            (2, (1 << 31) - 1, 33, 0, 0),
            1,
        ),
        ((i32, i32, i8, i32, i8), {"output_type": "int8"}, (2, 1, 2, 0, 0), UNPREDICTABLE),  # 2 is not below 2 ** 1
        ((i32, i32, i8, i32, i8), {"output_type": "int8"}, (1, -1, 30, 0, 0), UNPREDICTABLE),
    ],
)
def rescale_1(
    input: Value,
    multiplier: Value,
    shift: Value,
    input_zp: Value,
    output_zp: Value,
    *,
    scale32: bool,
    rounding_mode: str,
    input_unsigned: bool,
    output_unsigned: bool,
    output_type: Sort,
) -> Value:
    """(input - input_zp) * multiplier / 2**shift + output_zp, halves up, clipped to output_type."""
    double_round = rounding_mode == "DOUBLE_ROUND"  # V6: INEXACT_ROUND rounds once
    _zero_point("input_zp", input_zp, input_unsigned)
    _zero_point("output_zp", output_zp, output_unsigned)
    error_if(scale32 and input.sort == i48, "scale32 is True; an int48 input is scaled by 16-bit multipliers only")
    error_if(double_round and not scale32, "rounding_mode is DOUBLE_ROUND; only scale32 rounds twice")
    error_if(input_unsigned and output_unsigned, "input_unsigned and output_unsigned are True; only one may be")
    for name, unsigned in (("input_unsigned", input_unsigned), ("output_unsigned", output_unsigned)):
        for side, sort in (("input", input.element), ("output", output_type)):
            error_if(unsigned and sort.width > 16, f"{name} is True, but the {side} is {sort.name}")
    wanted = multiplier_sort({"scale32": scale32})
    error_if(multiplier.sort != wanted, f"multiplier is {multiplier.sort}; with scale32={scale32} it is {wanted}")
    value = _read(input, input_unsigned) - _read(input_zp, input_unsigned)
    if scale32:
        scaled = apply_scale_32(wrap(value, i32), multiplier, shift, double_round, limit_value=True)
    else:
        scaled = apply_scale_16(value, multiplier, shift)
    total = widen(scaled, i64) + _read(output_zp, output_unsigned)
    require(within(total, i32.lowest, i32.highest), "the scaled result + output_zp fits int32")
    target = integer(output_type.width, not output_unsigned)  # V9: what is negative becomes 0 without sign
    return wrap(minimum(maximum(total, target.lowest), target.highest), output_type)


def _zero_point(name: str, value: Value, unsigned: bool) -> None:
    """int8 has zero points of its own, an int16 without sign has 0 and 32768 (V9), nothing else has one."""
    if value.sort == i16 and unsigned:
        require_zero_point(name, value, (0, -32768), "the bits of 0 or 32768")
    elif value.sort != i8:
        require_zero_point(name, value, (0,), "others are for int8")


def _read(value: Value, unsigned: bool) -> Value:
    """The number that the bits stand for."""
    return wrap(reinterpret(value, integer(value.element.width, not unsigned)), i64)
