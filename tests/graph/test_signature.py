"""What help() says of an operator."""

from __future__ import annotations

import inspect

import lanewise as lw
from lanewise.graph.signature import documentation
from lanewise.operators.catalogue import SPECIFICATIONS, default_version, find, versions_of


def test_the_result_comes_first_then_everything_that_decides_it():
    text = documentation(find("tosa", "MUL", "0.23.0"))
    titles = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert titles[0].startswith("input1 * input2 as out_t")
    assert titles[1:] == ["Shapes:", "Element types:", "Arguments:", "Requires:", "Raises:", "Section:"]
    assert "equal ranks, and an axis of 1 stretches" in text
    assert "    (int32, int32, uint6) -> int32  BI, MI, MT" in text
    assert "    shift: one number (uint6); default 0" in text
    assert "    2 <= shift <= 62  [int32]" in text
    assert "UnpredictableError: an element breaks a requirement" in text
    assert text.endswith("    TOSA 0.23.0, Elementwise Binary Operators")
    assert inspect.getdoc(lw.tosa.mul) == text


def test_attributes_and_long_tables():
    shift = documentation(find("onnx", "BitShift", 28))
    assert "    direction: 'LEFT', 'RIGHT'; required" in shift
    rescale = documentation(find("tosa", "RESCALE", "0.23.0"))
    assert "more: lanewise ops RESCALE" in rescale
    assert "    output_type: the name of an element type, such as 'int8'; required" in rescale


def test_every_operator_has_one_and_total_ones_raise_nothing_unpredictable():
    for specification in SPECIFICATIONS:
        for name in versions_of(specification):
            record = find(specification, name, default_version(specification))
            text = documentation(record)
            assert all(len(line) < 160 for line in text.splitlines()), name
            assert ("UnpredictableError" in text) == ("\nRequires:" in text), name
