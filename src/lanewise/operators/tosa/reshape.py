"""RESHAPE, TOSA."""

from collections.abc import Mapping, Sequence
from typing import Any

from lanewise.language.attributes import wholes
from lanewise.language.operator import operator
from lanewise.language.shapes import Shape, Shapes, positive, reshaped
from lanewise.language.sorts import boolean, f32, i32
from lanewise.language.words import Value
from lanewise.operators.tosa.rows import DATA_LAYOUT, FLOAT, PLAIN, any_profile, main_profiles, tosa


def new_shape(names: Sequence[str], shapes: Sequence[Shape | None], attributes: Mapping[str, Any]) -> Shapes:
    """The shape that the attribute gives, for as many elements (T25)."""
    positive(names, shapes)
    (shape,) = shapes
    assert shape is not None
    result = reshaped(shape, attributes["new_shape"], copy_zero=False, infer=False)
    return Shapes(result, (result,))


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
    ],
)
def reshape(input1: Value) -> Value:
    """The elements of input1 in their order, under another shape."""
    return input1
