"""TABLE, TOSA 0.23.0: second opinion in plain lists and fractions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

TABLE = find("tosa", "TABLE", "0.23.0")

_random = random.Random(23)
TABLES = {
    256: [list(range(-128, 128)), [_random.randint(-128, 127) for _ in range(256)]],
    513: [
        [min(128 * index - 32768, 32767) for index in range(513)],
        [_random.randint(-32768, 32767) for _ in range(513)],
        [(-1) ** index * 32767 - (index % 2) for index in range(513)],  # every step as steep as it can be
    ],
}
CASES = [
    case
    for length, tables in TABLES.items()
    for case in cases(TABLE, table=tables)
    if case.row.inputs[1].length == length
]


def in_plain_numbers(value, table, *, row):
    if len(table) == 256:
        return table[value - (-128)]
    place = Fraction(value + 32768, 128)
    below = math.floor(place)
    between = table[below] + (table[below + 1] - table[below]) * (place - below)
    assert (between * 128).denominator == 1
    return int(between * 128)


def test_examples():
    check_examples(TABLE)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


# https://github.com/pytorch/executorch/pull/21629
def test_the_last_entry_takes_part():
    identity = [*range(-32768, 32768, 128), 32767]
    values = np.int16([32767, 32640, 32639, -32768, -1, 0, 64])
    want = [4194049, 4177920, 4177792, -4194304, -128, 0, 8192]
    assert lw.tosa.table(values, identity).tolist() == want
    assert lw.tosa.table(values, np.array(identity, np.int16)).dtype == np.int32


# https://github.com/pytorch/executorch/issues/18873
def test_entry_k_belongs_to_code_k_less_128():
    values = np.int8([-128, -127, -1, 0, 1, 127])
    assert lw.tosa.table(values, list(range(-128, 128))).tolist() == values.tolist()


# https://github.com/tensorflow/tensorflow/pull/42671
def test_another_length_is_an_error():
    with pytest.raises(lw.InvalidError, match=r"no row for inputs \(int16, int16\[512\]\).*int16\[513\]"):
        lw.tosa.table(np.int16([32767]), list(range(512)))
    with pytest.raises(lw.InvalidError, match=r"no row for inputs \(int8, int8\[257\]\).*int8\[256\]"):
        lw.tosa.table(np.int8([1]), np.zeros(257, np.int8))


def test_a_table_is_one_list_of_the_inputs_type():
    with pytest.raises(lw.InvalidError, match="table has shape"):
        lw.tosa.table(np.int8([1]), np.zeros((16, 16), np.int8))
    with pytest.raises(lw.InvalidError, match="table: holds values outside int8"):
        lw.tosa.table(np.int8([1]), list(range(256)))
    with pytest.raises(lw.InvalidError, match="table: float64 values are no int16"):
        lw.tosa.table(np.int16([1]), np.zeros(513))


@pytest.mark.parametrize("profile", ["BI", "MI", "MT"])
def test_a_graph_takes_the_table_as_an_attribute_and_in_training_as_an_input(profile: str):
    graph = lw.Builder(tosa="0.23.0", profile=profile)
    x = graph.input("x", "int8", (2,))
    graph.output("y", graph.node("TABLE", x, table=list(range(127, -129, -1))))
    assert graph.model().run(np.int8([-128, 3])).outputs["y"].tolist() == [127, -4]

    graph = lw.Builder(tosa="0.23.0", profile=profile)
    x, table = graph.input("x", "int8", (2,)), graph.input("table", "int8", (256,))
    graph.output("y", graph.node("TABLE", x, table))
    if profile == "MT":
        outputs = graph.model().run(np.int8([-128, 3]), np.arange(127, -129, -1, np.int8)).outputs
        assert outputs["y"].tolist() == [127, -4]
    else:
        with pytest.raises(lw.InvalidError, match=f"in profile {profile} it is an attribute"):
            graph.model()
