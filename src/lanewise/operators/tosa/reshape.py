"""RESHAPE, TOSA."""

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import wholes
from lanewise.language.operator import Argument, operator
from lanewise.language.shapes import Shape, Shapes, positive, reshaped
from lanewise.language.sorts import boolean, f32, i8, i16, i32, i64
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import (
    DATA_LAYOUT,
    FLOAT,
    FP,
    INT,
    INT64,
    PLAIN,
    any_profile,
    floating,
    from_1_0,
    main_profiles,
    profiled,
    tosa,
)


def new_shape(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """The shape that the attribute gives, for as many elements; one size may be -1, what is left over (T25)."""
    result = _sized(names, shapes, attributes["new_shape"], infer=True)
    return Shapes(result, (result,))


def _sized(names: Sequence[str], shapes: Sequence[Shape | None], wanted: Sequence[int], *, infer: bool) -> Shape:
    positive(names, shapes)
    shape = shapes[0]
    assert shape is not None
    return reshaped(shape, wanted, copy_zero=False, infer=infer)


@operator(
    "RESHAPE",
    tosa("0.23.0", DATA_LAYOUT),
    rows=[*any_profile(*((t, t) for t in PLAIN)), *main_profiles((t, t) for t in FLOAT)],
    attributes={"new_shape": wholes()},
    shape=new_shape,
    examples=[
        ((i32,), {"new_shape": ()}, (7,), 7),
        ((boolean,), {"new_shape": (1, 1)}, (True,), True),
        ((f32,), {"new_shape": (1,)}, (-0.0,), -0.0),
        ((i32,), {"new_shape": (1, -1)}, (7,), 7),
    ],
)
def reshape(input1: Value) -> Value:
    """The elements of input1 in their order, under another shape."""
    return input1


def given_shape(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """The shape that the second operand gives, for as many elements; every size is spelt out."""
    result = _sized(names[:1], shapes[:1], attributes["shape"], infer=False)
    return Shapes(result, (result, None))


@from_1_0(
    "RESHAPE",
    DATA_LAYOUT,
    rows=[
        *profiled((INT, FP), (boolean, i64, boolean)),
        *profiled(INT, *((t, i64, t) for t in (i8, i16, i32))),
        *floating(lambda t: (t, i64, t)),
    ],
    added=profiled(INT64, (i64, i64, i64)),
    arguments={"shape": Argument("numbers", ranks=(1, 1))},  # V13
    shape=given_shape,
    examples=[
        ((i32, None), {}, (7, None), 7),
        ((boolean, None), {}, (True, None), True),
        ((f32, None), {}, (-0.0, None), -0.0),
    ],
    added_examples=[((i64, None), {}, (-(1 << 63), None), -(1 << 63))],
)
def reshape_1(input1: Value, shape: Value | None) -> Value:
    """The elements of input1 in their order, under the shape that the second operand lists."""
    return input1
