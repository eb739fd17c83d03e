"""What all TOSA operators share in their shapes: no zero, rank 0, equal ranks, broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.graph.call import python_name
from lanewise.operators.catalogue import find, versions_of

NEEDED = {
    "CLAMP": {"min_val": 0, "max_val": 1},
    "CAST": {"output_type": "bool"},
    "RESCALE": {"output_type": "int8", "multiplier": [1], "shift": [2]},
}
RECORDS = {name: find("tosa", name, "0.23.0") for name in versions_of("tosa")}


def tensors(name: str) -> int:
    """How many operands have elements that meet those of the others."""
    return [argument.use for argument in RECORDS[name].arguments.values()].count("elements")


ONE = [name for name in RECORDS if tensors(name) == 1 and name != "RESHAPE"]
SEVERAL = [name for name in RECORDS if tensors(name) > 1]


def call(name: str, *shapes: tuple[int, ...]) -> Any:
    """The operator on ones, of the first types in its record that give no float (POW, RECIPROCAL: of the first)."""
    record, keywords = RECORDS[name], dict(NEEDED.get(name, {}))
    output = keywords.get("output_type")
    rows = [row for row in record.rows if row.output.kind != "float" and output in (None, row.output.name)]
    row = (rows or record.rows)[0]
    operands = [
        np.ones(shapes[k], dtype_of(sort)) if argument.use == "elements" else [1] * sort.length
        for k, (argument, sort) in enumerate(zip(record.arguments.values(), row.inputs, strict=True))
        if argument.use in ("elements", "table")
    ]
    return getattr(lw.tosa, python_name(name))(*operands, **keywords)


@pytest.mark.parametrize("name", ONE)
def test_one_tensor_keeps_its_shape(name: str):
    for shape in ((3,), (1, 1), (2, 3, 1, 4)):
        assert call(name, shape).shape == shape


@pytest.mark.parametrize("name", SEVERAL)
def test_axes_of_one_stretch(name: str):
    count = tensors(name)
    shapes = [(2, 3, 1), (1, 3, 4), (1, 1, 1)][:count]
    for turn in range(count):
        assert call(name, *shapes[turn:], *shapes[:turn]).shape == (2, 3, 4)


@pytest.mark.parametrize("name", SEVERAL)
def test_ranks_must_be_equal(name: str):
    rest = [(2, 3)] * (tensors(name) - 2)
    with pytest.raises(
        lw.InvalidError,
        match=rf"{name}: input1 has shape \[2, 3\] and input2 has shape \[3\].*TOSA needs equal ranks. Reshape",
    ):
        call(name, (2, 3), (3,), *rest)


@pytest.mark.parametrize("name", SEVERAL)
def test_other_sizes_do_not_meet(name: str):
    rest = [(2, 3)] * (tensors(name) - 2)
    with pytest.raises(
        lw.InvalidError,
        match=rf"{name}: input1 has shape \[2, 3\] and input2 has shape \[2, 2\].*broadcasting needs equal sizes",
    ):
        call(name, (2, 3), (2, 2), *rest)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_no_dimension_is_zero(name: str):
    count = tensors(name)
    for shapes in ([(2, 0)] * count, [(2, 1)] * (count - 1) + [(2, 0)]):
        with pytest.raises(
            lw.InvalidError, match=rf"{name}: input[123]? has shape \[2, 0\]; TOSA needs every dimension to be at"
        ):
            call(name, *shapes)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_rank_zero_is_one_element(name: str):
    count = tensors(name)
    if name in ("POW", "RESCALE"):
        with pytest.raises(lw.InvalidError, match=r"has rank 0; TOSA 0.23.0 allows 1 to 4"):
            call(name, *[()] * count)
    else:
        assert call(name, *[()] * count).shape == ()
