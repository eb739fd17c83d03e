"""Tables: built ones are right through the operator itself, and each kind of fault is found."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.tables.build import Quantised
from lanewise.conformance.tables.check import check_table
from tests.cli.test_commands import lanewise

TANH = Quantised(math.tanh, 0.05, 3, 1 / 128, -2)
WIDE = Quantised(math.tanh, 0.0002, 0, 1 / 32768, 0, "int16")


def build(wanted: Quantised) -> np.ndarray:
    return lw.build_table(
        wanted.function,
        wanted.input_scale,
        wanted.input_zero_point,
        wanted.output_scale,
        wanted.output_zero_point,
        wanted.type,
    )


def faults(table: np.ndarray, wanted: Quantised | None) -> list[str]:
    return [finding.check for finding in check_table(table, wanted)[0] if not finding.good]


def test_int8_gives_the_rounded_function_through_the_operator():
    codes = np.arange(-128, 128).astype(np.int8)
    found = lw.tosa.table(codes, build(TANH))
    real = np.tanh((codes.astype(float) - 3) * 0.05) * 128 - 2
    assert np.array_equal(found, np.clip(np.rint(real), -128, 127).astype(np.int8))


def test_int16_has_seven_more_fraction_bits():
    codes = np.arange(-32768, 32768).astype(np.int16)
    found = lw.tosa.table(codes, build(WIDE), version="1.0").astype(float) / 128
    real = np.clip(np.tanh(codes.astype(float) * 0.0002) * 32768, -32768, 32767)
    assert abs(found - real).max() < 3.5  # a straight line over 128 codes is that near
    assert abs(found - real)[::128].max() <= 0.5
    _, errors = check_table(build(WIDE), WIDE)
    assert errors is not None
    assert np.allclose(errors.found, found)
    assert errors.report()["max"] == pytest.approx(abs(found - real).max())


@pytest.mark.parametrize("wanted", [TANH, WIDE])
def test_built_tables_pass(wanted: Quantised):
    assert faults(build(wanted), wanted) == []
    assert faults(build(wanted), None) == []


def test_halves_go_to_the_even_code_and_ends_saturate():
    table = lw.build_table("identity", 0.5, 0, 1.0, 0)
    assert table[[127, 128, 129, 130, 131]].tolist() == [0, 0, 0, 1, 2]
    assert lw.build_table("identity", 4.0, 0, 1.0, 0)[[0, 255]].tolist() == [-128, 127]
    assert lw.build_table("exp", 10.0, 0, 1.0, 0)[255] == 127  # infinite in float64


def test_a_table_in_the_order_of_unsigned_codes_is_found():
    assert "code order" in faults(np.roll(build(TANH), 128), TANH)
    assert faults(np.roll(build(TANH), 128), None) == ["code order"]
    wide = build(WIDE)
    turned = np.concatenate([wide[256:512], wide[:257]])
    assert "code order" in faults(turned, WIDE)
    assert "code order" in faults(turned, None)


def test_other_faults():
    one = build(TANH)
    one[130] -= 30
    assert set(faults(one, TANH)) == {"monotone", "error"}
    end = build(TANH)
    end[-1] -= 1
    assert set(faults(end, TANH)) == {"monotone", "end points", "error"}
    steep = np.zeros(513, np.int16)
    steep[1::2], steep[::2] = 32767, -32768
    findings, _ = check_table(steep)
    (fault,) = [finding for finding in findings if not finding.good]
    assert fault.check == "slopes"
    assert "512 steps leave int16, first from entry 0 (-32768) to 1 (32767): 65535" in fault.text
    with pytest.raises(lw.UnpredictableError):
        lw.tosa.table(np.array([5], np.int16), steep, version="1.0")
    lw.tosa.table(np.array([5], np.int16), steep, version="0.23.0")


def test_wrong_use_is_refused():
    for arguments, message in [
        (("tanhh", 1.0, 0, 1.0, 0), "did you mean tanh?"),
        (("tanh", 0.0, 0, 1.0, 0), "input_scale is 0.0; allowed: numbers above 0"),
        (("tanh", 1.0, 200, 1.0, 0), "input_zero_point is 200; int8 has -128 … 127"),
        (("tanh", 1.0, 0, 1.0, 0, "int32"), "type is 'int32'; a table is of int8 or int16"),
        (("log", 1.0, 0, 1.0, 0), "the function has no value at -128.0, which is input code -128"),
        (("no_such_module:f", 1.0, 0, 1.0, 0), "ModuleNotFoundError"),
        ((3, 1.0, 0, 1.0, 0), "function is 3"),
    ]:
        with pytest.raises(lw.InvalidError) as caught:
            lw.build_table(*arguments)  # type: ignore[arg-type]
        assert message in str(caught.value)
    with pytest.raises(lw.InvalidError, match=r"shape \[255\] of int8; allowed: 256 entries of int8"):
        check_table(np.zeros(255, np.int8))


def test_an_overflow_on_the_way_is_no_value():
    """exp overflows where a sigmoid written with it is nearly 0, so infinity would be the wrong end of the table."""
    with pytest.raises(lw.InvalidError, match="nothing on the way to its value overflows"):
        lw.build_table(lambda x: 1 / (1 + math.exp(-x)), 8.0, 0, 0.00390625, -128)
    with pytest.raises(lw.InvalidError, match="AttributeError"):
        lw.build_table(lambda x: x.missing, 1.0, 0, 1.0, 0)


def test_commands(tmp_path: Path):
    scales = ("--input-scale", 0.05, "--output-scale", 1 / 128)
    file = tmp_path / "tanh.npy"
    printed, _ = lanewise("table", "build", "tanh", file, *scales)
    assert "256 entries of int8, from -128 to 127" in printed
    picture = tmp_path / "error.svg"
    arguments = ["table", "check", file, "--function", "tanh", *scales]
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        lanewise(*arguments)
    else:
        lanewise(*arguments, "--plot", picture)
        assert b"<svg" in picture.read_bytes()
    np.save(file, np.roll(np.load(file), 128))
    printed, _ = lanewise(*arguments, code=1)
    assert "FAIL code order: fits when rolled by half" in printed
    report = json.loads(lanewise(*arguments, "--json", code=1)[0])
    assert {entry["check"] for entry in report["checks"]} >= {"length", "code order", "monotone", "end points", "error"}
    assert report["error"]["max"] > 100
