"""What TOSA 1.0 and 1.1 say otherwise than 0.23.0: second opinions in plain integers and fractions."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find, versions_of
from tests.operators.battery import UNPREDICTABLE, Case, cases
from tests.operators.tosa import test_pow as old_pow
from tests.operators.tosa.plain import check_unpredictable, exactly, fits, wrapped

VERSIONS = ("1.0", "1.1")
BOTH = pytest.mark.parametrize("version", VERSIONS)

# Operators whose definition is the one of 0.23.0: its own tests speak for it, but for int64.
UNCHANGED = (
    "ADD SUB INTDIV ARITHMETIC_RIGHT_SHIFT BITWISE_AND BITWISE_OR BITWISE_XOR BITWISE_NOT LOGICAL_AND LOGICAL_OR "
    "LOGICAL_XOR LOGICAL_NOT ABS CLZ RECIPROCAL SELECT EQUAL GREATER GREATER_EQUAL CONST IDENTITY"
).split()


@BOTH
@pytest.mark.parametrize("name", UNCHANGED)
def test_the_definition_is_that_of_0_23(name: str, version: str):
    assert find("tosa", name, version).meaning is find("tosa", name, "0.23.0").meaning


# -- opinions --------------------------------------------------------------------------------


def checked(number: int, width: int) -> Any:
    return number if fits(number, width) else UNPREDICTABLE


def towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def arithmetic_right_shift(a, b, *, round, row):
    if not 0 <= b < row.output.width:
        return UNPREDICTABLE
    return math.floor(Fraction(a, 2**b) + (Fraction(1, 2) if round else 0))


def leading_zeros(a, *, row):
    return row.output.width - (a % 2**row.output.width).bit_length()


WIDE: dict[str, Callable[..., Any]] = {
    "ADD": lambda a, b, *, row: checked(a + b, 64),
    "SUB": lambda a, b, *, row: checked(a - b, 64),
    "INTDIV": lambda a, b, *, row: checked(towards_zero(a, b), 64) if b else UNPREDICTABLE,
    "ARITHMETIC_RIGHT_SHIFT": arithmetic_right_shift,
    "BITWISE_AND": lambda a, b, *, row: a & b,
    "BITWISE_OR": lambda a, b, *, row: a | b,
    "BITWISE_XOR": lambda a, b, *, row: a ^ b,
    "BITWISE_NOT": lambda a, *, row: -1 - a,
    "ABS": lambda a, *, row: checked(abs(a), 64),
    "CLZ": leading_zeros,
    "SELECT": lambda c, a, b, *, row: a if c else b,
    "EQUAL": lambda a, b, *, row: a == b,
    "GREATER": lambda a, b, *, row: a > b,
    "GREATER_EQUAL": lambda a, b, *, row: a >= b,
    "IDENTITY": lambda a, *, row: a,
    "RESHAPE": lambda a, shape, *, row: a,
}


def mul(a, b, shift, *, row):
    sort = row.inputs[0]
    if sort.name != "int32" and shift != 0:
        return UNPREDICTABLE
    if sort.kind == "float":
        return exactly(operator.mul, a, b)
    if shift == 0:
        return wrapped(a * b, row.output.width)
    if not 0 <= shift <= 63:
        return UNPREDICTABLE
    return checked(math.floor(Fraction(a * b, 2**shift) + Fraction(1, 2)), 32)


def table(value, entries, *, row):
    if len(entries) == 256:
        return entries[value + 128]
    place = Fraction(value + 32768, 128)
    below = math.floor(place)
    step = entries[below + 1] - entries[below]
    return int((entries[below] + step * (place - below)) * 128) if fits(step, 16) else UNPREDICTABLE


def pow_(a, b, *, row):
    if not (math.isfinite(a) and math.isfinite(b) and (a > 0 or (a == 0 and b > 0))):
        return UNPREDICTABLE
    return old_pow.in_plain_numbers(a, b, row=row)


def extreme(first_wins: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def opinion(a, b, *, nan_mode, row):
        if a != a or b != b:  # noqa: PLR0124  # NaN
            there = [value for value in (a, b) if value == value] if nan_mode == "IGNORE" else []  # noqa: PLR0124
            return there[0] if there else math.nan
        return a if first_wins(a, b) else b

    return opinion


def clamp(a, *, min_val, max_val, nan_mode, row):
    low, high = (float(v) if row.output.kind == "float" else int(v) for v in (min_val, max_val))
    if a != a:  # noqa: PLR0124  # NaN
        return low if nan_mode == "IGNORE" else math.nan
    raised = a if a >= low else low
    return raised if raised < high else high


def left(a, b, *, row):
    return wrapped(a * 2**b, row.output.width) if 0 <= b < row.output.width else UNPREDICTABLE


def right(a, b, *, row):
    width = row.output.width
    return wrapped(a % 2**width // 2**b, width) if 0 <= b < width else UNPREDICTABLE


def negate(a, input1_zp, output_zp, *, row):
    sort = row.output
    if sort.name != "int8" and (input1_zp != 0 or output_zp != 0):  # not as numbers of the graph, so no error
        return UNPREDICTABLE
    if sort.kind == "float":
        return math.copysign(a, -math.copysign(1.0, a))
    negated = output_zp - (a - input1_zp)
    if sort.width >= 32:
        return checked(negated, sort.width)
    limit = 2 ** (sort.width - 1)
    return min(max(negated, -limit), limit - 1)


def rescale(value, multiplier, shift, input_zp, output_zp, *, row, output_type, **attributes):
    def read(number: int, sort: Any, unsigned: bool) -> int:
        return number % 2**sort.width if unsigned else number

    def wrong(point: int, sort: Any, unsigned: bool) -> bool:
        allowed = (0, 32768) if sort.name == "int16" and unsigned else (0,)
        return sort.name != "int8" and read(point, sort, unsigned) not in allowed

    unsigned = attributes["input_unsigned"], attributes["output_unsigned"]
    source = row.inputs[0]
    if wrong(input_zp, source, unsigned[0]) or wrong(output_zp, output_type, unsigned[1]):
        return UNPREDICTABLE
    if multiplier < 0 or not 2 <= shift <= 62:
        return UNPREDICTABLE
    value = read(value, source, unsigned[0]) - read(input_zp, source, unsigned[0])
    if attributes["scale32"] and not -(2 ** (shift - 1)) <= value < 2 ** (shift - 1):
        return UNPREDICTABLE
    twice = attributes["rounding_mode"] == "DOUBLE_ROUND" and shift > 31
    nudge = Fraction(2**30 if value >= 0 else -(2**30), 2**shift) if twice else 0
    scaled = math.floor(Fraction(value * multiplier, 2**shift) + Fraction(1, 2) + nudge)
    total = scaled + read(output_zp, output_type, unsigned[1])
    if not fits(scaled, 32) or not fits(total, 32):
        return UNPREDICTABLE
    width = output_type.width
    low, high = (0, 2**width - 1) if unsigned[1] else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    return wrapped(min(max(total, low), high), width)


def cast(a, *, output_type, row, input_unsigned=False):
    source = row.inputs[0]
    if output_type.kind == "bool":
        return a != 0
    if input_unsigned and source.kind == "int":
        a %= 2**source.width
    if output_type.kind == "float":
        return a if source.kind == "float" else Fraction(a)
    if source.kind != "float":
        return wrapped(int(a), output_type.width)
    if math.isnan(a):
        return UNPREDICTABLE
    limit = 2 ** (output_type.width - 1)
    whole = round(Fraction(a)) if math.isfinite(a) else math.copysign(2**40, a)
    return int(min(max(whole, -limit), limit - 1))


# -- cases -----------------------------------------------------------------------------------

_random = random.Random(10)
TABLES = {
    256: [[_random.randint(-128, 127) for _ in range(256)]],
    513: [
        [min(128 * index - 32768, 32767) for index in range(513)],
        [_random.randint(-32768, 32767) for _ in range(513)],
        [0 if index % 4 else (-32768, 32767)[index % 8 // 4] for index in range(513)],  # as steep as is allowed
        [(-1) ** index * 32767 - (index % 2) for index in range(513)],  # twice as steep
    ],
}
BOUNDS = {
    "int": [(-128, 127), (-10, 20), (5, 5)],
    "float": [(0.0, 6.0), (-math.inf, math.inf), (-1.5, -0.0), (2.5, 2.5)],
}
ZERO_POINTS = [(0, 0), (-128, 127), (127, -128), (3, -7)]
NAN_MODES = [{"nan_mode": mode} for mode in ("PROPAGATE", "IGNORE")]
SCALES = {"int32": [(1 << 30, 30), (2**31 - 1, 33), (1 << 14, 12)], "int16": [(1 << 14, 14), (32767, 40), (1, 2)]}


def rescales(version: str) -> Iterator[Case]:
    """Free multipliers and shifts with known zero points; and a few scales, with zero points that are not known."""
    record = find("tosa", "RESCALE", version)
    for number, row in enumerate(record.rows):
        source, multiplier = row.inputs[0], row.inputs[1].name
        scale32 = multiplier == "int32"
        if scale32 and source.name == "int48":
            continue
        signs = [(False, False)]
        if source.width <= 16 and row.output.width <= 16:
            signs += [(True, False), (False, True)]
        for unsigned in signs:
            mode = ("SINGLE_ROUND", "INEXACT_ROUND", "DOUBLE_ROUND")[number % 3] if scale32 else "SINGLE_ROUND"
            attributes = {
                "scale32": scale32,
                "rounding_mode": mode,
                "input_unsigned": unsigned[0],
                "output_unsigned": unsigned[1],
                "output_type": row.output,
            }
            points = {}
            for name, sort, flag in (("input_zp", source, unsigned[0]), ("output_zp", row.output, unsigned[1])):
                listed = (-128, 127, -3) if sort.width == 8 else (-32768, 0) if sort.width == 16 and flag else (0,)
                points[name] = listed[number % len(listed)]
            yield Case(record, row, attributes, points)
            scale = SCALES[multiplier][number % 3]
            yield Case(record, row, attributes, {"multiplier": scale[0], "shift": scale[1]})


def all_cases(version: str) -> Iterator[tuple[Case, Callable[..., Any], dict[str, Any]]]:
    def record(name: str) -> Any:
        return find("tosa", name, version)

    for name, opinion in WIDE.items():
        settings = [{"round": False}, {"round": True}] if name == "ARITHMETIC_RIGHT_SHIFT" else [{}]
        wide = (case for case in cases(record(name), settings) if case.row.profiles == {"EXT-INT64"})
        yield from ((case, opinion, {}) for case in wide)
    for case in [*cases(record("MUL"), shift=(0, 1, 2, 31, 62, 63)), *cases(record("MUL"))]:
        if case.row.inputs[0].name == "int32" or case.fixed.get("shift", 0) in (0, 31):
            yield case, mul, {}
    for length, tables in TABLES.items():
        for case in cases(record("TABLE"), table=tables):
            if case.row.inputs[1].length == length:
                yield case, table, {}
    yield from ((case, pow_, {"ulps": 1}) for case in cases(record("POW")))
    for name, wins in (("MAXIMUM", operator.ge), ("MINIMUM", operator.lt)):
        yield from ((case, extreme(wins), {}) for case in cases(record(name), NAN_MODES))
    for kind, bounds in BOUNDS.items():
        settings = [{"min_val": low, "max_val": high, **mode} for low, high in bounds for mode in NAN_MODES]
        yield from ((case, clamp, {}) for case in cases(record("CLAMP"), settings) if case.row.output.kind == kind)
    for name, opinion in (("LOGICAL_LEFT_SHIFT", left), ("LOGICAL_RIGHT_SHIFT", right)):
        yield from ((case, opinion, {}) for case in cases(record(name)))
    for points in ZERO_POINTS:
        for case in cases(record("NEGATE"), input1_zp=points[:1], output_zp=points[1:]):
            if case.row.output.name == "int8" or points == (0, 0):
                yield case, negate, {}
    yield from ((case, negate, {}) for case in cases(record("NEGATE")))
    yield from ((case, rescale, {}) for case in rescales(version))
    targets = list(dict.fromkeys(row.output for row in record("CAST").rows))
    unsigned = [{}] if version == "1.0" else [{}, {"input_unsigned": True}]
    settings = [{"output_type": sort, **more} for sort in targets for more in unsigned]
    yield from ((case, cast, {}) for case in cases(record("CAST"), settings))


CASES = [pytest.param(*found, id=str(found[0])) for version in VERSIONS for found in all_cases(version)]


@pytest.mark.parametrize(("case", "opinion", "options"), CASES)
def test_meaning(case: Case, opinion: Callable[..., Any], options: dict[str, Any]):
    case.check_meaning(opinion, **options)


LAYOUTS = list({(case.operator.name, case.row): case for case, *_ in all_cases("1.1")}.values())


@pytest.mark.parametrize("case", LAYOUTS[::2], ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@BOTH
def test_every_row_is_tried_but_those_that_0_23_has_under_the_same_definition(version: str):
    tried = {(case.operator.name, case.row) for case, *_ in all_cases(version)}
    for name, records in versions_of("tosa").items():
        old = {(row.inputs, row.output) for row in records[0].rows}
        for row in find("tosa", name, version).rows:
            known = name in UNCHANGED and (row.inputs, row.output) in old
            never = name == "RESCALE" and (row.inputs[0].name, row.inputs[1].name) == ("int48", "int32")
            moved = name == "RESHAPE" or (
                name in ("CONST", "IDENTITY") and row.inputs == (row.output,) * len(row.inputs)
            )
            assert known or never or moved or (name, row) in tried, f"{name} {row}"


def test_the_one_product_that_64_bits_cannot_round():
    lowest = np.int32([-(2**31)])
    for engine in ("native", "exact"):
        assert lw.tosa.mul(lowest, lowest, shift=63, version="1.0", engine=engine).tolist() == [1]


@pytest.mark.parametrize(
    ("value", "shift", "output_zp", "requirement"),
    [
        (2, 2, 0, "-2 ** (shift - 1) <= value < 2 ** (shift - 1)"),
        (-3, 2, 0, "-2 ** (shift - 1) <= value < 2 ** (shift - 1)"),
        (1, 1, 0, "2 <= shift <= 62"),
        (1, 63, 0, "2 <= shift <= 62"),
    ],
)
@BOTH
def test_what_rescale_requires(version: str, value: int, shift: int, output_zp: int, requirement: str):
    call = {"output_type": "int8", "output_zp": output_zp, "version": version}
    values = {"input": value, "multiplier": 1 << 30, "shift": shift, "input_zp": 0, "output_zp": output_zp}
    check_unpredictable(lambda: lw.tosa.rescale(np.int32([value]), 1 << 30, shift, **call), requirement, values)


@BOTH
def test_the_sum_with_the_output_zero_point_must_fit_int32(version: str):
    value = np.int64([(1 << 31) - 1])
    call = {"scale32": False, "output_type": "int8", "version": version}
    assert lw.tosa.rescale(value, 1 << 14, 14, **call).tolist() == [127]
    with pytest.raises(lw.UnpredictableError, match="the scaled result \\+ output_zp fits int32"):
        lw.tosa.rescale(value, 1 << 14, 14, output_zp=1, **call)
