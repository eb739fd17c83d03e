"""How far a result may be from its reference: integers not at all, floats by what is stated, infinities never."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanewise.conformance.comparison import difference, distance, exact_bound, inexact_bound, power_bound
from lanewise.language.sorts import f32, i32
from tests.conformance.test_suite import A, B, make, verdict
from tests.formats.test_tosa_file import adder, file, operator, tensor

FLOATS = [tensor(name, "float32") for name in "abc"]
MOST = np.finfo(np.float32).max


def stated(mode: str, ulp: Any = None, output: str = "c") -> dict[str, Any]:
    return {"compliance": {"tensors": {output: {"mode": mode, "ulp_info": {"ulp": ulp}}}}}


def powers() -> bytes:
    """POW feeds c, d, and e through an integer; f, g and h come from elsewhere or are no floats."""
    return file(
        [
            operator("POW", ["a", "b"], ["c"]),
            operator("ADD", ["c", "a"], ["d"]),
            operator("CAST", ["c"], ["g"]),
            operator("CAST", ["g"], ["e"]),
            operator("ADD", ["a", "b"], ["f"]),
            operator("GREATER", ["c", "b"], ["h"]),
        ],
        [*(tensor(name, "float32") for name in "abcdef"), tensor("g"), tensor("h", "bool")],
        ["a", "b"],
        list("cdefgh"),
    )


def test_only_floats_that_a_power_feeds_have_its_bound(tmp_path: Path):
    a, b = np.array([1.5, 2, 3, 4], np.float32), np.array([2, 3, 2, 1], np.float32)
    c = a**b
    right = {"c": c, "d": c + a, "e": np.trunc(c + 0.25), "f": a + b, "g": np.trunc(c + 0.25), "h": c > b}
    right["g"] = right["g"].astype(np.int32)
    right["e"] = right["e"].astype(np.float32)
    for name, values in right.items():
        exact = make(tmp_path / f"{name}0", powers(), a=a, b=b, ofm_name=[name], reference=values)
        assert verdict(exact).verdict == "passed", (name, verdict(exact))
        if values.dtype == np.float32:
            off = np.nextafter(values, np.float32(99), dtype=np.float32)
        else:
            off = ~values if values.dtype == np.bool_ else values + 1
        near = make(tmp_path / f"{name}1", powers(), a=a, b=b, ofm_name=[name], reference=off)
        assert verdict(near).verdict == ("passed" if name in "cde" else "failed"), name
    meta = stated("EXACT")
    off = np.nextafter(c, np.float32(99), dtype=np.float32)
    assert verdict(make(tmp_path / "stated", powers(), a=a, b=b, reference=off, meta=meta)).verdict == "failed"


def test_units_in_the_last_place_are_for_floats(tmp_path: Path):
    for ulp in (0.5, 1, 100):
        meta = stated("ULP", ulp)
        assert verdict(make(tmp_path / f"off{ulp}", adder(), reference=A + B + 1, meta=meta)).verdict == "failed"
        assert verdict(make(tmp_path / f"equal{ulp}", adder(), reference=A + B, meta=meta)).verdict == "passed"
    kinds = [tensor(name, "bool") for name in "abc"]
    content = adder(operators=[operator("LOGICAL_AND", ["a", "b"], ["c"])], tensors=kinds)
    truth = np.array([True, False, True, False])
    for mode in ("ULP", "RESCALE_INEXACT"):
        folder = make(tmp_path / mode, content, a=truth, b=truth, reference=~truth, meta=stated(mode, 1))
        assert verdict(folder).verdict == "failed"


def test_inexact_rounding_is_for_integers(tmp_path: Path):
    x = A.astype(np.float32)
    meta, near = stated("RESCALE_INEXACT"), np.nextafter(x + x, np.float32(99), dtype=np.float32)
    folder = make(tmp_path / "t", adder(tensors=FLOATS), a=x, b=x, reference=near, meta=meta)
    assert verdict(folder).verdict == "failed"


@pytest.mark.parametrize("ulp", [math.inf, math.nan, -1, None, "many", [], pytest.param(10**400, id="huge")])
def test_a_bound_that_is_none_fails(ulp: Any, tmp_path: Path):
    found = verdict(make(tmp_path / "t", adder(), reference=A + B, meta=stated("ULP", ulp)))
    assert found.verdict == "failed"
    assert "mode ULP with ulp" in found.reason
    assert "a finite number from 0 on" in found.reason


@pytest.mark.parametrize("meta", [None, [], {"compliance": 1}, {"compliance": {"tensors": {"c": "ULP"}}}])
def test_what_states_no_bound_has_none(meta: Any, tmp_path: Path):
    x = A.astype(np.float32)
    near = np.nextafter(x + x, np.float32(99), dtype=np.float32)
    changes: dict[str, Any] = {"a": x, "b": x, "meta": meta}
    assert verdict(make(tmp_path / "t", adder(tensors=FLOATS), reference=near, **changes)).verdict == "failed"
    assert verdict(make(tmp_path / "u", adder(tensors=FLOATS), reference=x + x, **changes)).verdict == "passed"


@pytest.mark.parametrize("ulp", [0.5, 1, 1e30])
def test_no_bound_reaches_an_infinity_or_nan(ulp: float, tmp_path: Path):
    x = np.array([MOST, 1, 2, 3], np.float32)
    with np.errstate(over="ignore"):
        right = x + x
    assert right[0] == np.inf
    for name, value, expected in (
        ("equal", np.inf, "passed"),
        ("finite", MOST, "failed"),
        ("other", -np.inf, "failed"),
        ("nan", np.nan, "failed"),
    ):
        reference = right.copy()
        reference[0] = value
        folder = make(tmp_path / name, adder(tensors=FLOATS), a=x, b=x, reference=reference, meta=stated("ULP", ulp))
        assert verdict(folder).verdict == expected, name


def test_distance():
    def bits(value: float) -> int:
        return int(np.array(value, np.float32).view(np.uint32))

    assert distance(bits(0.0), bits(-0.0), f32) == 0
    assert distance(bits(1e-45), bits(-1e-45), f32) == 2
    assert distance(bits(np.nan), bits(-np.nan), f32) == 0
    assert distance(bits(np.inf), bits(np.inf), f32) == 0
    for other in (MOST, np.nan, -np.inf):
        assert distance(bits(np.inf), bits(other), f32) == math.inf


def test_integers_are_compared_with_floats_exactly(tmp_path: Path):
    for name, change, expected in (("same", 0, "passed"), ("near", 1e-7, "failed"), ("half", 0.5, "failed")):
        reference = (A + B).astype(np.float64)
        reference[1] += change
        found = verdict(make(tmp_path / name, adder(), reference=reference))
        assert found.verdict == expected
        if change:
            assert found.difference is not None
            assert found.difference["expected"] == str(8 + change)
            assert found.difference["expected_bits"] is None  # int32 has no such value


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_references_that_no_integer_has(value: float, tmp_path: Path):
    reference = (A + B).astype(np.float64)
    reference[2] = value
    for meta in ({}, stated("ULP", 1), stated("RESCALE_INEXACT")):
        found = verdict(make(tmp_path / str(len(str(meta))), adder(), reference=reference, meta=meta))
        assert (found.verdict, found.reason) == ("failed", "output 'c' differs from the reference")
        assert found.difference is not None
        assert (found.difference["index"], found.difference["expected"]) == ([2], str(value))
    undefined = np.array([1, 2, 2**31 - 1, 3], np.int32)
    reference = undefined + B.astype(np.float64)
    reference[2] = value
    assert verdict(make(tmp_path / "undefined", adder(), a=undefined, reference=reference)).verdict == "passed"


@pytest.mark.parametrize(
    ("found", "reference", "equal"),
    [
        (np.array([2**53 + 1]), np.array([2.0**53]), False),
        (np.array([2**53]), np.array([2.0**53]), True),
        (np.array([2**63 - 1]), np.array([2.0**63]), False),
        (np.array([-(2**63)]), np.array([-(2.0**63)]), True),
        (np.array([-1]), np.array([2**64 - 1], np.uint64), False),
        (np.array([2**63 - 1]), np.array([2**63 - 1], np.uint64), True),
        (np.array([2**53 + 1]), np.array([2**53], np.uint64), False),
        (np.array([2**64 - 1], np.uint64), np.array([2.0**64]), False),
        (np.array([2**64 - 1], np.uint64), np.array([-1]), False),
        (np.array([2**63], np.uint64), np.array([2.0**63]), True),
        (np.array([-1], np.int8), np.array([255], np.uint8), False),
        (np.array([7], np.int8), np.array([7], np.float16), True),
        (np.array([7], np.int8), np.array([7], ">i4"), True),
        (np.array([True]), np.array([1.0]), True),
        (np.array([True]), np.array([0.5]), False),
        (np.array([False]), np.array([np.nan]), False),
        (np.array([True]), np.array([2], np.int8), True),  # T6: what is not zero counts as true
        (np.array([False]), np.array([2], np.int8), False),
    ],
)
def test_integers_of_all_widths(found: np.ndarray, reference: np.ndarray, equal: bool):
    differs = difference("c", found, np.zeros(1, np.bool_), reference, exact_bound)
    assert (differs is None) == equal
    for shape in ((), (1, 1)):
        shaped = difference("c", found.reshape(shape), np.zeros(shape, np.bool_), reference.reshape(shape), exact_bound)
        assert (shaped is None) == equal


def test_bounds():
    assert [inexact_bound(value, i32) for value in (0, -(2**23) + 1, -(2**23), 2**31, 2.5)] == [1, 1, 2, 257, 1]
    assert [power_bound(value, f32) for value in (1.0, math.e, 0.0, math.inf)] == [3, 10, 3, 3]
