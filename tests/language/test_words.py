"""What an author may write, and what is refused while tracing."""

from __future__ import annotations

import pytest

from lanewise.engines.exact import Evaluator, number
from lanewise.language import words
from lanewise.language.errors import InvalidError
from lanewise.language.nodes import FALSE, TRUE
from lanewise.language.sorts import boolean, f32, from_pattern, i4, i8, i16, i32, i48, i64, to_pattern, u8, u16
from lanewise.language.words import Value, literal, trace


def value_of(meaning, sorts, output, *numbers):
    """A definition evaluated for one element."""
    function = trace(meaning, sorts, output)
    patterns = [to_pattern(n, s) for n, s in zip(numbers, sorts, strict=True)]
    (result,) = Evaluator(function.results)(patterns)
    return number(result, output)


def refuses(meaning, *sorts, error=TypeError) -> str:
    with pytest.raises(error) as caught:
        trace(meaning, sorts, sorts[0])
    return str(caught.value)


def test_python_control_flow_on_values_is_refused():
    advice = (
        "a traced value has no truth yet: use select() instead of if/and/or/not, and within() instead of a <= x <= b"
    )
    assert refuses(lambda a: a if a > 0 else a, i8) == advice
    assert refuses(lambda a: a * (0 <= a <= 3), i8) == advice
    assert refuses(lambda a, b: a and b, i8, i8) == advice
    assert refuses(lambda a: not a, i8) == advice
    assert refuses(lambda a: min(a, 3), i8) == advice
    assert refuses(lambda a: a in (1, 2), i8) == advice


def test_sorts_never_mix_silently():
    assert refuses(lambda a, b: a + b, i8, i16) == (
        "operands differ: int8 and int16; convert one with widen(), wrap(), reinterpret() or convert()"
    )
    assert refuses(lambda a: a / a, i8) == "no such arithmetic on int8; for integers see quotient_towards_zero()"
    assert refuses(lambda a: a + a, boolean).startswith("no such arithmetic on bool")
    assert "int16 does not widen to int8" in refuses(lambda a: words.widen(a, i8), i16)
    assert "int8 does not widen to uint16" in refuses(lambda a: words.widen(a, u16), i8)
    assert "between integers, not from float32 to int8" in refuses(lambda a: words.wrap(a, i8), f32)
    assert "of one width, not from int8 to int16" in refuses(lambda a: words.reinterpret(a, i16), i8)
    assert "select() chooses between 7 and 0, which have no type" in refuses(lambda a: words.select(a < 0, 7, 0), i8)
    with pytest.raises(AssertionError, match="the definition gives int16, its row says int8"):
        trace(lambda a: words.widen(a, i16), (i8,), i8)


def test_constants_fit_or_are_refused():
    assert refuses(lambda a: a + 300, i8, error=InvalidError) == "constant 300 does not fit int8 (-128 … 127)"
    assert refuses(lambda a: a + -1, u8, error=InvalidError) == "constant -1 does not fit uint8 (0 … 255)"
    assert refuses(lambda a: a + 1.5, i8, error=InvalidError) == "constant 1.5 does not fit int8 (-128 … 127)"


def test_values_are_no_keys():
    with pytest.raises(TypeError, match="unhashable"):
        hash(literal(1, i8))


@pytest.mark.parametrize("a", range(-128, 128, 5))
def test_sign_comes_from_the_sort(a):
    assert value_of(lambda x: words.shift_right(x, 1), (i8,), i8, a) == a >> 1
    assert value_of(lambda x: words.shift_right(x, 1), (u8,), u8, a & 255) == (a & 255) >> 1
    assert value_of(lambda x: words.select(x > 100, 1, x * 0), (i8,), i8, a) == (a > 100)
    assert value_of(lambda x: words.select(x > 100, 1, x * 0), (u8,), u8, a & 255) == ((a & 255) > 100)
    assert value_of(lambda x: words.widen(x, i32), (i8,), i32, a) == a
    assert value_of(lambda x: words.widen(x, i32), (u8,), i32, a & 255) == a & 255
    assert value_of(lambda x: words.wrap(x, i4), (i8,), i4, a) == from_pattern(a & 15, i4)
    assert value_of(lambda x: words.wrap(x, u16), (i8,), u16, a) == a & 0xFFFF
    assert value_of(words.absolute, (i8,), i8, a) == (-128 if a == -128 else abs(a))
    assert value_of(lambda x: words.saturate(x, i4), (i8,), i4, a) == min(max(a, -8), 7)
    assert value_of(lambda x: words.saturate(x, u8), (i8,), u8, a) == max(a, 0)


@pytest.mark.parametrize(("low", "high"), [(0, 31), (-300, 300), (-300, 5), (5, 300), (5, 4), (200, 300)])
def test_within_takes_bounds_of_any_size(low, high):
    for a in range(-128, 128):
        assert value_of(lambda x: words.within(x, low, high), (i8,), boolean, a) == (low <= a <= high)


def test_within_knows_what_the_sort_decides():
    function = trace(lambda x: words.within(x, -128, 127), (i8,), boolean)
    assert function.results == (TRUE,)
    function = trace(lambda x: words.within(x, 128, 999), (i8,), boolean)
    assert function.results == (FALSE,)


def test_requirements_are_recorded_under_their_premise():
    def meaning(x: Value) -> Value:
        with words.when(x > 0):
            words.require(x < 10, "x below 10")
            with words.when(x > 5):
                words.require(x != 7, "not 7")
        words.require(x != -1, "not -1")
        return x

    function = trace(meaning, (i8,), i8)
    assert [r.reason for r in function.requirements] == ["x below 10", "not 7", "not -1"]
    holds = Evaluator([r.condition for r in function.requirements])
    assert holds([to_pattern(20, i8)]) == [0, 1, 1]
    assert holds([to_pattern(-20, i8)]) == [1, 1, 1]
    assert holds([7]) == [1, 0, 1]
    assert holds([to_pattern(-1, i8)]) == [1, 1, 0]


def test_require_belongs_to_a_definition():
    with pytest.raises(AssertionError, match="while a definition is traced"):
        words.require(True, "never")


def test_conversions():
    assert value_of(lambda x: words.convert(x, f32), (i48,), f32, -(2**47)) == -(2.0**47)
    assert value_of(lambda x: words.convert(x, boolean), (i8,), boolean, 3) is True
    assert value_of(lambda x: words.convert(x, i8), (boolean,), i8, 1) == 1
    assert value_of(lambda x: words.convert(x, i8), (i64,), i8, 0x1FF) == -1
    assert value_of(words.count_leading_zeros, (i32,), i32, 1) == 31
