"""RESCALE, TOSA."""

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import element_type, flag, whole
from lanewise.language.errors import InvalidError
from lanewise.language.operator import UNPREDICTABLE, Argument, operator
from lanewise.language.shapes import Shape, Shapes, positive, text
from lanewise.language.sorts import Sort, i8, i16, i32, i48, u6, u8
from lanewise.language.words import Value, error_if, maximum, minimum, widen, wrap
from lanewise.operators.tosa.helpers import apply_scale_16, apply_scale_32, check_zero_point
from lanewise.operators.tosa.rows import ATTRIBUTE_IN_INFERENCE, TYPE_CONVERSION, any_profile, tosa

SIGNED = (i8, i16, i32)
PAIRS = [*((a, b) for a in (*SIGNED, i48) for b in SIGNED), (u8, i8), (i8, u8)]
ZERO_POINT = whole(i8.lowest, u8.highest, default=0)


def multiplier_sort(attributes: Mapping[str, Any]) -> Sort:
    return i32 if attributes.get("scale32", True) else i16


def channels(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """The input's shape, beside one multiplier and shift for all elements, or for each last index (T24)."""
    shape, *lists = shapes
    positive(names[:1], shapes[:1])
    assert shape is not None
    if attributes["per_channel"] and not shape:
        raise InvalidError("input is rank 0, which has no channels; per_channel needs a last dimension")
    wanted = shape[-1] if attributes["per_channel"] else 1
    if any(found != (wanted,) for found in lists):
        listing = " and ".join(f"{name} has shape {text(found)}" for name, found in zip(names[1:], lists, strict=True))
        why = f"with per_channel and input {text(shape)}" if attributes["per_channel"] else "without per_channel"
        raise InvalidError(f"{listing}; {why} each is a list of length {wanted}")
    return Shapes(shape, tuple(shapes))


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
