"""Cast, ONNX: second opinion in plain integers and Python floats."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import onnx
import pytest

import lanewise as lw
from lanewise.engines.storage import dtype_of
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases
from tests.operators.onnx.plain import is_real, older, wrapped

CAST = find("onnx", "Cast", 28)
TYPES = sorted({row.output for row in CAST.rows}, key=lambda sort: sort.name)
CASES = list(cases(CAST, [{"to": sort} for sort in TYPES]))
OLD = older("Cast", 1, 6, 9, 13, 19, 21, 23, 24, 25, attributes=[{"to": sort} for sort in TYPES[::4]])


def in_plain_numbers(input, *, to, row, **attributes):
    if is_real(to):
        return input  # the nearest float of that type
    if to.kind == "bool":
        return input != 0
    if not is_real(row.inputs[0]):
        return wrapped(int(input), to)
    if math.isnan(input):
        return 0
    if math.isinf(input):
        return to.highest if input > 0 else to.lowest
    return min(max(math.trunc(input), to.lowest), to.highest)


def all_patterns(case: Case) -> bool:
    """Of casts from 16-bit types, those that differ in kind."""
    source, target = case.row.inputs[0], case.row.output
    return target.name in ("float16", "bfloat16") or (is_real(source) and target.name in ("int8", "uint32", "float32"))


@pytest.mark.parametrize("case", [*CASES, *OLD], ids=str)
def test_meaning(case: Case):
    case.check_meaning(
        in_plain_numbers,
        any_nan=case.row.inputs[0] == case.row.output,
        exhaustive=16 if all_patterns(case) else 8,
    )


@pytest.mark.parametrize("case", CASES[::3], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("sort", TYPES, ids=str)
def test_the_target_has_a_number_and_several_names(sort):
    x = np.array([0, 1, 2, 3], np.int16)
    want = lw.onnx.cast(x, to=sort.name)
    number = onnx.helper.np_dtype_to_tensor_dtype(want.dtype)
    name = onnx.TensorProto.DataType.Name(number)
    for to in (number, name, name.encode(), want.dtype, want.dtype.type):
        found = lw.onnx.cast(x, to=to)
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(found, want)
    if sort.name != "bfloat16":
        np.testing.assert_array_equal(lw.onnx.cast(x, to=name, opset=1), want)


@pytest.mark.parametrize(
    ("to", "name"),
    [(8, "string"), ("STRING", "string"), (17, "float8e4m3fn"), (22, "int4"), ("complex64", "complex64")],
)
def test_types_that_are_not_there_are_named(to, name):
    message = f"Cast-28: attribute to is {to!r}: element type {name} is not one of lanewise's"
    with pytest.raises(lw.UnsupportedError, match=message):
        lw.onnx.cast(np.array([1]), to=to)


@pytest.mark.parametrize("to", [99, -1, "int9", True, float, None, 1.0])
def test_other_targets_are_refused(to):
    with pytest.raises(lw.InvalidError, match=r"Cast-28: attribute to is .*; allowed: the number or the name of"):
        lw.onnx.cast(np.array([1]), to=to)


def test_every_type_of_onnx_is_known_by_its_number():
    have = {onnx.helper.np_dtype_to_tensor_dtype(dtype_of(sort)) for sort in TYPES}
    for name, number in onnx.TensorProto.DataType.items():
        if number in have:
            lw.onnx.cast(np.array([1]), to=number)
        else:
            with pytest.raises(lw.UnsupportedError, match=f"element type {name.lower()} is not one of lanewise's"):
                lw.onnx.cast(np.array([1]), to=number)


def test_the_target_is_required():
    with pytest.raises(lw.InvalidError, match="Cast-28: attribute to is missing"):
        lw.onnx.cast(np.array([1]))


def test_bfloat16_came_with_opset_13():
    x = np.array([1.5], np.float32)
    with pytest.raises(lw.InvalidError, match=r"Cast-9: no row for inputs \(float32\) -> bfloat16"):
        lw.onnx.cast(x, to="bfloat16", opset=12)
    assert lw.onnx.cast(x, to="bfloat16", opset=13).dtype == ml_dtypes.bfloat16


def test_attributes_for_small_floats_change_nothing():
    x = np.array([-300.5, 2.5, 70000.0, np.inf, np.nan])
    for to in ("int8", "float16", "float32"):
        want = lw.onnx.cast(x, to=to)
        np.testing.assert_array_equal(lw.onnx.cast(x, to=to, saturate=0, opset=19), want)
        for mode in ("up", "down", "nearest"):
            np.testing.assert_array_equal(lw.onnx.cast(x, to=to, round_mode=mode), want)
    with pytest.raises(lw.InvalidError, match="Cast-28: attribute round_mode is 'odd'; allowed: 'up', 'down'"):
        lw.onnx.cast(x, to="int8", round_mode="odd")
    with pytest.raises(lw.InvalidError, match="Cast-13: unknown attribute 'saturate'; it has: to"):
        lw.onnx.cast(x, to="int8", saturate=0, opset=13)


@pytest.mark.parametrize("engine", ["native", "exact"])
def test_every_conversion_rounds_once(engine):
    """Numbers just beside a tie, which a detour over float32 or float64 makes a tie."""
    cases = [
        (np.float64(1 + 2.0**-11 + 2.0**-40), "float16", 1 + 2.0**-10),
        (np.float64(1 + 2.0**-11 - 2.0**-40), "float16", 1.0),
        (np.float64(65520 - 2.0**-30), "float16", 65504.0),
        (np.float64(2.0**-25 + 2.0**-70), "float16", 2.0**-24),
        (np.float64(1 + 2.0**-8 + 2.0**-40), "bfloat16", 1 + 2.0**-7),
        (np.float64(1 + 2.0**-24 + 2.0**-50), "float32", 1 + 2.0**-23),
        (np.int32(2**24 + 2**13 + 1), "float16", math.inf),
        (np.int32(32768 + 16 + 1), "float16", 32800.0),
        (np.int32(2**30 + 2**22 + 1), "bfloat16", 2.0**30 + 2.0**23),
        (np.int64(2**62 + 2**54 + 1), "bfloat16", 2.0**62 + 2.0**55),
        (np.uint64(2**63 + 2**39 + 1), "float32", 2.0**63 + 2.0**40),
        (np.int64(-(2**62) - 2**38 - 1), "float32", -(2.0**62) - 2.0**39),
        (np.uint64(2**64 - 1), "float64", 2.0**64),
        (np.int64(2**53 + 1), "float64", 2.0**53),
        (np.uint64(2**64 - 1), "float16", math.inf),
    ]
    for value, to, want in cases:
        for length in (1, 37):  # a lone element, and vectors with a tail
            found = lw.onnx.cast(np.full(length, value), to=to, engine=engine)
            assert (found.astype(np.float64) == want).all(), (value, to)
