"""Operators by their name alone."""

from __future__ import annotations

import pytest

from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.operators.catalogue import find, named, specification_of


def test_a_name_says_which_specification_is_meant() -> None:
    assert named("BitShift") is find("onnx", "BitShift", 28)
    assert named("BitShift", "11") is named("BitShift", 11) is find("onnx", "BitShift", 11)
    assert named("MUL") is find("tosa", "MUL", "0.23.0")
    assert named("MUL", "1.0") is find("tosa", "MUL", "1.0")
    assert (specification_of("Mul"), specification_of("MUL")) == ("onnx", "tosa")


def test_unknown_names_get_a_hint() -> None:
    with pytest.raises(UnsupportedError, match=r"^bitshfit: no such operator; did you mean BitShift"):
        named("bitshfit")
    with pytest.raises(UnsupportedError, match="QQQ: no such operator; see 'lanewise ops'"):
        named("QQQ")
    with pytest.raises(InvalidError):
        named("BitShift", "eleven")
