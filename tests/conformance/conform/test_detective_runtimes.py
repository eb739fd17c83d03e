"""Rules that runtimes' vector code follows, against NumPy's own arithmetic on the bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanewise.conformance.detective import rules
from lanewise.conformance.detective.detect import detect, evaluated
from lanewise.conformance.judging.subject import Subject
from tests.conformance.conform.test_detective import named

Array = np.ndarray[Any, Any]


def of(subject: Subject, name: str) -> Array:
    """A rule's results for all inputs."""
    (rule,) = [rule for rule in rules.for_cell(subject.cell) if rule.name == name]
    found = evaluated(rule, subject, np.arange(len(subject.columns[0])))
    assert found is not None
    return found


def same(found: Array, want: Array) -> bool:
    """Bit for bit, any NaN as good as another."""
    bits = np.dtype(f"u{want.itemsize}")
    return bool(((found.view(bits) == want.view(bits)) | (np.isnan(found) & np.isnan(want))).all())


def flushed(x: Array) -> Array:
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, np.copysign(x.dtype.type(0), x), x)


@pytest.mark.parametrize("kind", ["float16", "float32"])
@pytest.mark.parametrize("operator", ["maximum", "minimum"])
def test_one_comparison_that_decides(operator: str, kind: str) -> None:
    subject = Subject(named(operator, kind))
    a, b = subject.columns
    first = np.greater if operator == "maximum" else np.less
    name = "the second unless the first is ahead"
    assert same(of(subject, name), np.where(first(a, b), a, b))
    a, b = flushed(a), flushed(b)
    assert same(of(subject, f"{name}, without subnormal numbers"), np.where(first(a, b), a, b))


def test_a_negative_that_is_a_difference() -> None:
    subject = Subject(named("neg", "float32"))
    want = flushed(np.float32(0) - flushed(subject.columns[0]))
    assert same(of(subject, "subtracted from 0"), want)
    assert not np.signbit(want[subject.columns[0] == 0]).any()


def test_powers_beside_nan() -> None:
    subject = Subject(named("pow", "float32"))
    a, b = subject.columns
    found = of(subject, "pow of IEEE 754")
    assert (found[(b == 0) | (a == 1)] == 1).all()
    assert np.isnan(found[np.isnan(a) & (b != 0)]).all()
    assert (np.isnan(a) & (b == 0)).any()
    tiny = of(subject, "subnormal numbers are 0")
    a, b = flushed(a), flushed(b)
    assert np.isnan(tiny[(a == 0) & (b == 0)]).all()
    assert (tiny[(a == 0) & (b > 0)] == 0).all()
    assert not ((tiny != 0) & (np.abs(tiny) < np.finfo(np.float32).tiny)).any()


def test_a_product_that_is_0_before_it_is_rounded_up_to_a_normal_number() -> None:
    subject = Subject(named("mul", "float32"))
    a, b = subject.columns
    found = of(subject, "subnormal numbers are 0")
    least = np.finfo(np.float32).tiny
    with np.errstate(all="ignore"):
        rounded_up = (a * b == least) & (a.astype(np.float64) * b < least)
    assert rounded_up.any()
    assert (found[rounded_up] == 0).all()
    assert (found[(a == 1) & (b == least)] == least).all()


def test_a_logical_shift_whose_count_is_clamped() -> None:
    subject = Subject(named("logical_right_shift", "int8"))
    x, n = subject.columns
    want = x.view(np.uint8) >> np.minimum(n.view(np.uint8), 7)
    good = n >= 0
    assert (of(subject, "count clamped")[good] == want.view(np.int8)[good]).all()


@pytest.mark.parametrize("kind", ["int8", "int16", "int32"])
def test_a_shift_by_the_exponent_of_a_float(kind: str) -> None:
    subject = Subject(named("bit_shift", kind, direction="LEFT"))
    x, n = (column.astype(np.int64) for column in subject.columns)
    bits = ((n << 23) + 0x3F800000).astype(np.uint32)
    real = bits.view(np.float32).astype(np.float64)
    whole = np.where(np.abs(real) < 2.0**31, np.trunc(np.where(np.abs(real) < 2.0**31, real, 0)), -(2.0**31))
    want = (x * whole.astype(np.int64)).astype(kind)
    assert (of(subject, "multiplied by a float's power") == want).all()


def test_quantised_numbers_without_a_scale() -> None:
    subject = Subject(named("mul", "uint8"))
    rows = np.flatnonzero(~subject.open[1])
    (found,) = detect(subject, rows, np.zeros(len(rows), np.uint8))
    assert (found.name, found.explained) == ("no scale", found.of)
