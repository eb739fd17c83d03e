"""RESCALE, TOSA 0.23.0: second opinion in plain integers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw
from lanewise.language.operator import Row
from lanewise.operators.catalogue import find
from tests.operators.battery import UNPREDICTABLE, Case, check_examples
from tests.operators.tosa.plain import check_unpredictable, fits

RESCALE = find("tosa", "RESCALE", "0.23.0")
ZERO_POINTS = {"int8": (0, -128, 127), "uint8": (0, 255, 128)}


def settings(row: Row) -> list[dict]:
    """Sets of attributes that the row may have."""
    scale32 = row.inputs[1].name == "int32"
    if scale32 and row.inputs[0].name == "int48":
        return []
    points = [ZERO_POINTS.get(sort.name, (0,)) for sort in (row.inputs[0], row.output)]
    pairs = dict.fromkeys((points[0][k % len(points[0])], points[1][k % len(points[1])]) for k in range(3))
    return [
        {
            "input_zp": a,
            "output_zp": b,
            "scale32": scale32,
            "double_round": double_round,
            "output_type": row.output,
        }
        for (a, b), double_round in itertools.product(pairs, (False, True) if scale32 else (False,))
    ]


# All three operands vary; and a few usual scales, for which 8 and 16 bits are tried exhaustively.
SCALES = {"int32": [(1 << 30, 30), (1 << 14, 21), (2**31 - 1, 33)], "int16": [(1 << 14, 14), (32767, 40), (1, 2)]}
CASES = [Case(RESCALE, row, attributes, {}) for row in RESCALE.rows for attributes in settings(row)]
USUAL = [
    Case(RESCALE, row, attributes, {"multiplier": multiplier, "shift": shift})
    for row in RESCALE.rows
    for (multiplier, shift), attributes in zip(
        SCALES[row.inputs[1].name], itertools.cycle(settings(row)[-1:]), strict=False
    )
    if row.inputs[0].width == 8 or (row.inputs[0].name, row.output.name, shift) == ("int16", "int8", 21)
]


def in_plain_numbers(value, multiplier, shift, *, input_zp, output_zp, scale32, double_round, output_type, row, **_):
    if multiplier < 0 or not 2 <= shift <= 62:
        return UNPREDICTABLE
    value -= input_zp
    twice = double_round and shift > 31
    nudge = Fraction(2**30 if value >= 0 else -(2**30), 2**shift) if twice else 0
    scaled = math.floor(Fraction(value * multiplier, 2**shift) + Fraction(1, 2) + nudge)
    if not fits(scaled, 32):
        return UNPREDICTABLE
    low, high = (
        (0, 255) if output_type.name == "uint8" else (-(2 ** (row.output.width - 1)), 2 ** (row.output.width - 1) - 1)
    )
    return min(max(scaled + output_zp, low), high)


def test_examples():
    check_examples(RESCALE)


@pytest.mark.parametrize("case", [*CASES, *USUAL], ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", {case.row: case for case in CASES}.values(), ids=str)
def test_layouts(case: Case):
    case.check_layouts()


def test_every_row_that_may_be_used_is_tried():
    assert {case.row for case in CASES} == {
        row for row in RESCALE.rows if (row.inputs[0].name, row.inputs[1].name) != ("int48", "int32")
    }


@pytest.mark.parametrize("shift", range(32, 63))
def test_rounding_twice_is_rounding_at_31_bits_first(shift: int):
    values = np.int32([1, 2, 3, 1000003, 2**31 - 1])
    found = lw.tosa.rescale(values, 2**31 - 1, shift, output_type="int32", double_round=True)
    high = [math.floor(Fraction(int(v) * (2**31 - 1), 2**31) + Fraction(1, 2)) for v in values]
    assert found.tolist() == [math.floor(Fraction(h, 2 ** (shift - 31)) + Fraction(1, 2)) for h in high]


def test_a_scale_of_one_changes_nothing():
    values = np.int32([-(2**31), -1, 0, 1, 2**31 - 1])
    assert lw.tosa.rescale(values, 1 << 30, 30, output_type="int32").tolist() == values.tolist()
    narrow = values.astype(np.int64)
    assert lw.tosa.rescale(narrow, 1 << 14, 14, output_type="int32", scale32=False).tolist() == values.tolist()


def test_unsigned_bytes_become_signed_ones_and_come_back():
    codes = np.arange(256, dtype=np.uint8)
    signed = lw.tosa.rescale(codes, 1 << 30, 30, input_zp=128, output_type="int8")
    assert signed.tolist() == [code - 128 for code in range(256)]
    assert lw.tosa.rescale(signed, 1 << 30, 30, output_zp=128, output_type="uint8").tolist() == codes.tolist()


@pytest.mark.parametrize(
    ("value", "multiplier", "shift", "requirement"),
    [
        (1, -1, 30, "multiplier >= 0"),
        (1, 1, 1, "2 <= shift <= 62"),
        (1, 1, 63, "2 <= shift <= 62"),
        (1 << 30, 1 << 30, 2, "the scaled result fits int32"),
    ],
)
@pytest.mark.parametrize("scale32", [True, False])
def test_unpredictable(value: int, multiplier: int, shift: int, requirement: str, scale32: bool):
    multiplier = multiplier if scale32 else min(multiplier, 1 << 14)
    check_unpredictable(
        lambda: lw.tosa.rescale(np.int32([value]), multiplier, shift, output_type="int8", scale32=scale32),
        requirement,
        {"input": value, "multiplier": multiplier, "shift": shift},
    )


X = np.int32([[1, 2, 3], [4, 5, 6]])
USUAL_SCALE = {"multiplier": [1 << 30], "shift": [30], "output_type": "int8"}


@pytest.mark.parametrize(
    ("value", "changes", "reason"),
    [
        (X, {"input_zp": 1}, "input_zp is 1, but int32 has 0; others are for int8 and uint8"),
        (X.astype(np.int16), {"input_zp": -1}, "input_zp is -1, but int16 has 0; others are for int8 and uint8"),
        (X, {"output_zp": 1, "output_type": "int32"}, "output_zp is 1, but int32 has 0; others are for int8 and uint8"),
        (X, {"output_zp": 128}, "output_zp is 128, which is outside int8 (-128 … 127)"),
        (X.astype(np.uint8), {"input_zp": -1}, "input_zp is -1, which is outside uint8 (0 … 255)"),
        (X, {"input_zp": 256}, "attribute input_zp is 256; allowed: whole numbers from -128 to 255"),
        (X.astype(np.int64), {}, "scale32 is True; an int48 input is scaled by 16-bit multipliers only"),
        (
            X,
            {"scale32": False, "double_round": True, "multiplier": [1]},
            "double_round is True; only scale32 rounds twice",
        ),
        (X, {"multiplier": np.int16([1])}, "multiplier is int16; with scale32=True it is int32"),
        (X, {"multiplier": np.int32([1]), "scale32": False}, "multiplier is int32; with scale32=False it is int16"),
        (X, {"multiplier": [1 << 15], "scale32": False}, "multiplier: holds values outside int16 (-32768 … 32767)"),
        (X, {"shift": [64]}, "shift: holds values outside uint6 (0 … 63)"),
        (X, {"scale32": "yes"}, "attribute scale32 is 'yes'; allowed: True, False"),
        (X, {"output_type": "uint8"}, "no row for inputs (int32, int32, uint6) -> uint8"),
        (
            X.astype(np.int64) << 47,
            {"scale32": False, "multiplier": [1]},
            "input: holds 844424930131968, which is outside",
        ),
    ],
)
def test_errors(value, changes, reason):
    with pytest.raises(lw.InvalidError) as caught:
        lw.tosa.rescale(value, **{**USUAL_SCALE, **changes})
    assert str(caught.value).startswith(f"RESCALE: {reason}")


@pytest.mark.parametrize(
    ("multiplier", "shift", "per_channel", "reason"),
    [
        (
            [1, 2],
            [2],
            False,
            "multiplier has shape [2] and shift has shape [1]; without per_channel each is a list of length 1",
        ),
        (
            [1],
            [2, 2, 2],
            True,
            "multiplier has shape [1] and shift has shape [3]; "
            "with per_channel and input of shape [2, 3] each is a list of length 3",
        ),
        (
            [[1]],
            [2],
            False,
            "multiplier has shape [1, 1] and shift has shape [1]; without per_channel each is a list of length 1",
        ),
    ],
)
def test_lists_of_the_wrong_length(multiplier, shift, per_channel, reason):
    with pytest.raises(lw.InvalidError) as caught:
        lw.tosa.rescale(X, multiplier, shift, output_type="int8", per_channel=per_channel)
    assert str(caught.value) == f"RESCALE: {reason}"


def test_the_input_has_one_to_four_dimensions():
    for shape in ((), (1, 1, 1, 1, 1)):
        with pytest.raises(lw.InvalidError, match=f"input has rank {len(shape)}; TOSA 0.23.0 allows 1 to 4"):
            lw.tosa.rescale(np.ones(shape, np.int32), **USUAL_SCALE)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 1, 3), (5, 2, 2, 3)])
@pytest.mark.parametrize("engine", ["native", "exact"])
def test_one_scale_for_each_channel(shape: tuple[int, ...], engine: str):
    values = np.arange(math.prod(shape), dtype=np.int32).reshape(shape) * 1000
    multiplier, shift = [1 << 30, 1 << 29, 3 << 28], [30, 31, 32]
    found = lw.tosa.rescale(values, multiplier, shift, per_channel=True, output_type="int32", engine=engine)
    for channel, (m, s) in enumerate(zip(multiplier, shift, strict=True)):
        want = [math.floor(Fraction(v * m, 2**s) + Fraction(1, 2)) for v in values[..., channel].ravel().tolist()]
        assert found[..., channel].ravel().tolist() == want


def test_where_one_channel_is_unpredictable():
    check_unpredictable(
        lambda: lw.tosa.rescale(X, [1, 1, 1], [30, 1, 30], per_channel=True, output_type="int32"),
        "2 <= shift <= 62",
        {"input": 2, "multiplier": 1, "shift": 1},
        index=(0, 1),
        count=2,
    )


@pytest.mark.parametrize("profile", ["BI", "MI", "MT"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_a_graph_takes_the_lists_as_attributes_and_in_training_as_inputs(profile: str, per_channel: bool):
    multiplier, shift = ([1 << 30] * 3, [30, 31, 32]) if per_channel else ([1 << 30], [31])
    want = lw.tosa.rescale(X, multiplier, shift, per_channel=per_channel, output_type="int8")

    graph = lw.Builder(tosa="0.23.0", profile=profile)
    x = graph.input("x", "int32", X.shape)
    keywords = {"per_channel": per_channel, "output_type": "int8"}
    graph.output("y", graph.node("RESCALE", x, multiplier=multiplier, shift=shift, **keywords))
    assert graph.model().run(X).outputs["y"].tolist() == want.tolist()

    graph = lw.Builder(tosa="0.23.0", profile=profile)
    x = graph.input("x", "int32", X.shape)
    m, s = graph.input("m", "int32", (len(multiplier),)), graph.input("s", "uint6", (len(shift),))
    graph.output("y", graph.node("RESCALE", x, m, s, **keywords))
    if profile == "MT":
        outcome = graph.model().run(X, np.int32(multiplier), np.uint8(shift))
        assert outcome.outputs["y"].tolist() == want.tolist()
        with pytest.raises(lw.InvalidError, match="outside uint6"):
            graph.model().run(X, np.int32(multiplier), np.uint8(shift) + np.uint8(40))
    else:
        with pytest.raises(lw.InvalidError, match=f"in profile {profile} it is an attribute"):
            graph.model()


def test_a_graph_with_the_wrong_multiplier_type_is_an_error():
    graph = lw.Builder(tosa="0.23.0")
    x, m, s = (graph.input(name, sort, (1,)) for name, sort in (("x", "int32"), ("m", "int16"), ("s", "uint6")))
    graph.output("y", graph.node("RESCALE", x, m, s, output_type="int8"))
    with pytest.raises(lw.InvalidError, match="multiplier is int16; with scale32=True it is int32"):
        graph.model()
