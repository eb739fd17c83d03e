"""Tables: built ones are right through the operator itself, and each kind of fault is found."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.conformance.tables.build import Quantised
from lanewise.conformance.tables.check import check_table
from lanewise.conformance.tables.entries import entries_of
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
    return [finding.check for finding in check_table(table, wanted)[0] if finding.good is False]


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
    (fault,) = [finding for finding in findings if finding.good is False]
    assert fault.check == "slopes"
    assert "512 steps leave int16, first from entry 0 (-32768) to 1 (32767): 65535" in fault.text
    with pytest.raises(lw.UnpredictableError):
        lw.tosa.table(np.array([5], np.int16), steep, version="1.0")
    lw.tosa.table(np.array([5], np.int16), steep, version="0.23.0")


def test_wrong_use_is_refused():
    for arguments, message in [
        (("tanhh", 1.0, 0, 1.0, 0), "did you mean tanh?"),
        (("tanh", 0.0, 0, 1.0, 0), "input_scale is 0.0; allowed: finite numbers above 0"),
        (("tanh", 1.0, 200, 1.0, 0), "input_zero_point is 200; int8 has -128 … 127"),
        (("tanh", 1.0, 0, 1.0, 0, "int32"), "type is 'int32'; a table is of int8 or int16"),
        (("log", 1.0, 0, 1.0, 0), "the function has no value at -128.0, which is input code -128"),
        (("no_such_module:f", 1.0, 0, 1.0, 0), "ModuleNotFoundError"),
        ((3, 1.0, 0, 1.0, 0), "function is 3"),
    ]:
        with pytest.raises(lw.InvalidError) as caught:
            lw.build_table(*arguments)  # type: ignore[arg-type]
        assert message in str(caught.value)
    with pytest.raises(lw.InvalidError, match="the table is of int16; the function is asked for as int8"):
        check_table(build(WIDE), TANH)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (np.zeros(255, np.int8), "length: 255 entries of int8; a table of int8 is a list of 256 entries"),
        (np.zeros((16, 16), np.int8), "length: an array of shape [16, 16] of int8; a table of int8 is a list of 256"),
        (np.zeros(512, np.int16), "length: 512 entries of int16; a table of int16 is a list of 513 entries"),
        (np.zeros(256, np.uint8), "type: uint8; a table is of int8 (256 entries) or int16 (513 entries)"),
        (np.int8(3), "length: an array of shape [] of int8"),
    ],
)
def test_what_is_no_table_fails_and_names_what_is_not_checked(tmp_path: Path, table: np.ndarray, text: str):
    np.save(tmp_path / "t.npy", table)
    printed, _ = lanewise("table", "check", tmp_path / "t.npy", code=1)
    first, *others, last = printed.splitlines()
    assert first.startswith(f"FAIL {text}")
    assert all(line.startswith("-    ") and "not made, since the " in line for line in others)
    assert last.endswith(f"0 checks passed, 1 failed, {len(others)} without a verdict")
    assert "code order" in printed
    assert ("slopes" in printed) == (table.dtype == np.int16)
    asked = ("--function", "tanh", "--input-scale", 0.05, "--output-scale", 0.01, "--json")
    report = json.loads(lanewise("table", "check", tmp_path / "t.npy", *asked, code=1)[0])
    assert {one["check"] for one in report["checks"] if one["good"] is None} >= {"monotone", "end points", "error"}
    assert (report["error"], report["entries"]) == (None, None)
    file = tmp_path / "errors.csv"
    printed, _ = lanewise("table", "check", tmp_path / "t.npy", *asked[:-1], "--errors", file, code=1)
    assert f"not written, as there are no errors to show: {file}" in printed
    assert not file.exists()


def test_every_entry_is_listed(tmp_path: Path):
    table = build(TANH)
    table[130] -= 30
    np.save(tmp_path / "tanh.npy", table)
    scales = ("--input-scale", 0.05, "--input-zero-point", 3, "--output-scale", 1 / 128, "--output-zero-point", -2)
    arguments = ("table", "check", tmp_path / "tanh.npy", "--function", "tanh", *scales)
    printed = lanewise(*arguments, "--errors", tmp_path / "errors.csv", code=1)[0].splitlines()
    at = next(k for k, line in enumerate(printed) if line.startswith("the 5 entries farthest off"))
    assert printed[at + 1].split() == ["entry", "code", "input", "found", "value", "exact", "right", "error"]
    exact = math.tanh(-0.05) * 128 - 2
    numbers = ["130", "2", "-0.05", "-38", f"{math.tanh(-0.05):.6g}", f"{exact:.6g}", "-8", f"{-38 - exact:.6g}"]
    assert printed[at + 2].split() == numbers
    listed = lanewise(*arguments, "--list", code=1)[0].splitlines()
    begin = next(k for k, line in enumerate(listed) if line.startswith("every entry"))
    assert [line.split()[0] for line in listed[begin + 2 : begin + 258]] == [str(k) for k in range(256)]
    rows = (tmp_path / "errors.csv").read_text().splitlines()
    assert rows[0] == "entry,code,input,found,value,exact,right,error"
    assert len(rows) == 257
    entries = json.loads(lanewise(*arguments, "--json", code=1)[0])["entries"]
    assert [entry["right"] for entry in entries] == build(TANH).tolist()
    assert [float(row.split(",")[-1]) for row in rows[1:]] == [entry["error"] for entry in entries]
    for option in ("--list",), ("--errors", tmp_path / "e.csv"), ("--plot", tmp_path / "e.png"):
        assert f"{option[0]}" in lanewise("table", "check", tmp_path / "tanh.npy", *option, code=4)[1]
    for scale in ("--input-scale", "--input-zero-point", "--output-scale", "--output-zero-point"):
        for given in (3, 0):
            said = lanewise("table", "check", tmp_path / "tanh.npy", scale, given, code=4)[1]
            assert f"{scale}: there is no error without a function; give --function" in said


def test_entries_between_and_without_a_value(tmp_path: Path):
    wide = build(WIDE)
    _, errors = check_table(wide, WIDE)
    assert errors is not None
    entries = entries_of(wide, errors.errors, WIDE)
    assert [entry.right for entry in entries] == wide.tolist()
    assert entries[-1].between is None
    between = [entry.between for entry in entries if entry.between is not None]
    assert len(between) == 512
    largest = [abs(errors.errors[k * 128 + 1 : (k + 1) * 128]).max() for k in range(512)]
    assert [abs(one) for one in between] == largest
    np.save(tmp_path / "log.npy", np.zeros(256, np.int8))
    scales = ("--input-scale", 1.0, "--output-scale", 1.0)
    arguments = ("table", "check", tmp_path / "log.npy", "--function", "log", *scales)
    report = json.loads(lanewise(*arguments, "--json", code=1)[0])["entries"]
    assert report[128] == dict.fromkeys(report[128]) | {"entry": 128, "code": 0, "input": 0.0, "found": 0}
    assert report[129]["value"] == 0.0
    # No value anywhere: nothing to list, and nothing to take the largest of.
    nowhere = (*arguments, "--input-zero-point", 127)
    assert (
        "FAIL error: 0 of 256 entries compared: the function has no value at 256 entries"
        in lanewise(*nowhere, code=1)[0]
    )
    assert json.loads(lanewise(*nowhere, "--json", code=1)[0])["error"] is None


def test_an_overflow_on_the_way_is_no_value():
    """exp overflows where a sigmoid written with it is nearly 0, so infinity would be the wrong end of the table."""
    with pytest.raises(lw.InvalidError, match="nothing on the way to its value overflows"):
        lw.build_table(lambda x: 1 / (1 + math.exp(-x)), 8.0, 0, 0.00390625, -128)
    with pytest.raises(lw.InvalidError, match="AttributeError"):
        lw.build_table(lambda x: x.missing, 1.0, 0, 1.0, 0)


def test_a_function_or_module_that_ends_the_program_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "ends_when_called.py").write_text("import sys\ndef f(x):\n    sys.exit(0)\n")
    (tmp_path / "ends_when_imported.py").write_text("import sys\nsys.exit(0)\n")
    monkeypatch.chdir(tmp_path)
    scales = ("--input-scale", 0.05, "--output-scale", 0.01)
    for name, message in [
        ("ends_when_called", "the function, at -6.4: SystemExit: 0"),
        ("ends_when_imported", "function 'ends_when_imported:f': SystemExit: 0"),
    ]:
        _, said = lanewise("table", "build", f"{name}:f", tmp_path / "t.npy", *scales, code=4)
        assert message in said
    assert not (tmp_path / "t.npy").exists()


def test_the_last_entry_of_int16_counts():
    wanted = Quantised(math.tanh, 1 / 32768, 0, 1 / 32768, 0, "int16")
    table = build(wanted)
    assert table[512] == 24956
    table[512] = 32767
    assert faults(table, wanted) == ["end points", "error"]
    (error,) = [finding for finding in check_table(table, wanted)[0] if finding.check == "error"]
    assert error.text.startswith(f"max {32767 - math.tanh(1) * 32768:.4g} steps, at code 32768 ")


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        ("1.5", "str"),
        ("abc", "str"),
        (b"1", "bytes"),
        (1j, "complex"),
        (np.complex64(1), "complex64"),
        (None, "NoneType"),
        (np.zeros(2), "ndarray"),
        (np.array("1"), "ndarray"),
        ([1.0], "list"),
    ],
)
def test_what_is_no_real_number_is_no_value_of_a_function(found: object, kind: str):
    with pytest.raises(lw.InvalidError, match=rf"at -128\.0: gives .* \({kind}\); it takes a float and gives one"):
        lw.build_table(lambda x: found, 1.0, 0, 1.0, 0)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("found", [2, True, Fraction(3, 2), np.float32(1.5), np.array([3]), np.array(2.5)])
def test_any_real_number_is_a_value(found: Any):
    assert set(lw.build_table(lambda x: found, 1.0, 0, 1.0, 0).tolist()) == {round(float(np.asarray(found).item()))}


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


@pytest.mark.parametrize("option", ["--errors", "--plot"])
def test_what_is_checked_is_not_written_over(option: str, tmp_path: Path) -> None:
    table = tmp_path / "table.npy"
    np.save(table, np.arange(-128, 128).astype(np.int8))
    before = table.read_bytes()
    scales = ("--input-scale", "1", "--output-scale", "1")
    _, errors = lanewise("table", "check", table, "--function", "identity", *scales, option, table, code=4)
    assert f"{option} {table}: that is the table itself" in errors
    assert table.read_bytes() == before
    both = ("--errors", tmp_path / "same", "--plot", tmp_path / "same")
    assert "give two" in lanewise("table", "check", table, "--function", "identity", *scales, *both, code=4)[1]
