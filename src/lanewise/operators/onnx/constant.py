"""Constant, ONNX opsets 1 to 25."""

from typing import Any

from lanewise.language.attributes import Attribute, anything, whole, wholes
from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.operator import Row, operator
from lanewise.language.shapes import same_shape
from lanewise.language.sorts import Sort, f32, i64
from lanewise.operators.onnx.rows import EVERYTHING, EVERYTHING_13, FLOATS, onnx, single, versions

Tensor = tuple[Any, Sort | None]


def _absent(name: str) -> Attribute:
    """An attribute of ONNX whose values lanewise does not have."""

    def read(value: Any) -> None:
        if value is not None:
            raise UnsupportedError(f"is given; lanewise has no {name}")

    return Attribute("nothing", read, None)


def _singles() -> Attribute:
    number = single()

    def read(value: Any) -> tuple[float, ...] | None:
        return None if value is None else tuple(number.read(item) for item in value)

    return Attribute("a list of numbers", read, None)


VALUE = {"value": anything("an array")}
TENSORS = {"value": anything("an array", default=None), "sparse_value": _absent("sparse tensors")}
LISTS = {
    **TENSORS,
    "value_int": whole(i64.lowest, i64.highest, default=None),
    "value_ints": wholes(default=None),
    "value_float": single(default=None),
    "value_floats": _singles(),
    "value_string": _absent("strings"),
    "value_strings": _absent("strings"),
}


def _rows(types: tuple[Sort, ...]) -> list[Row]:
    return [Row((), sort) for sort in types]


@versions(
    (25, 24, 23, 21, 19, 13), "Constant", rows=_rows(EVERYTHING_13), attributes=LISTS, shape=same_shape, constant=True
)
@operator("Constant", onnx(12, "Constant"), rows=_rows(EVERYTHING), attributes=LISTS, shape=same_shape, constant=True)
def constant(*, value: Any, value_int: Any, value_ints: Any, value_float: Any, value_floats: Any) -> Tensor:
    """The tensor that exactly one attribute gives: an array, int64 or float32 numbers."""
    given = {"value_int": value_int, "value_ints": value_ints, "value_float": value_float, "value_floats": value_floats}
    given = {name: item for name, item in {"value": value, **given}.items() if item is not None}
    if len(given) != 1:  # O14
        listing = ", ".join(given) or "none"
        raise InvalidError(f"takes one of value, value_int, value_ints, value_float, value_floats; given: {listing}")
    ((name, item),) = given.items()
    return constant_from_value(value=item) if name == "value" else (item, i64 if "int" in name else f32)


@operator("Constant", onnx(11, "Constant"), rows=_rows(EVERYTHING), attributes=TENSORS, shape=same_shape, constant=True)
@operator("Constant", onnx(9, "Constant"), rows=_rows(EVERYTHING), attributes=VALUE, shape=same_shape, constant=True)
@operator("Constant", onnx(1, "Constant"), rows=_rows(FLOATS), attributes=VALUE, shape=same_shape, constant=True)
def constant_from_value(*, value: Any) -> Tensor:
    """The tensor that the attribute gives."""
    if value is None:
        raise InvalidError("attribute value is missing; it is an array")
    if isinstance(value, bool | int | float | str | list | tuple):
        raise InvalidError(f"value is {value!r}: give an array, which has an element type")
    return value, None
