"""RESHAPE, TOSA 0.23.0: the same elements under another shape."""

from __future__ import annotations

import numpy as np
import pytest

import lanewise as lw
from lanewise.operators.catalogue import find
from tests.operators.battery import Case, cases, check_examples

RESHAPE = find("tosa", "RESHAPE", "0.23.0")
CASES = list(cases(RESHAPE, [{"new_shape": (1,)}]))
X = np.arange(6, dtype=np.int32).reshape(2, 3)


def in_plain_numbers(a, *, new_shape, row):
    return a


def test_examples():
    check_examples(RESHAPE)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    case.check_meaning(in_plain_numbers, any_nan=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_layouts(case: Case):
    case.check_layouts()


@pytest.mark.parametrize("engine", ["native", "exact"])
@pytest.mark.parametrize(
    ("value", "new_shape"),
    [
        (X, (3, 2)),
        (X, [6]),
        (X, np.array([1, 6])),
        (X, np.array([6, 1])),
        (X, 6),
        (X.T, (2, 3)),
        (X[::-1, ::2], (4,)),
        (X[:1, :1], ()),
        (np.int8(7), (1, 1)),
    ],
)
def test_elements_keep_their_order(value, new_shape, engine: str):
    found = lw.tosa.reshape(value, new_shape=new_shape, engine=engine)
    assert found.shape == tuple(np.atleast_1d(new_shape).tolist())
    assert found.ravel().tolist() == value.ravel().tolist()
    assert not np.shares_memory(found, value)


@pytest.mark.parametrize(
    ("new_shape", "reason"),
    [
        ((4, 2), "shape [2, 3] has 6 elements, shape [4, 2] has 8"),
        ((), "shape [2, 3] has 6 elements, shape [] has 1"),
        ((-1, -1), "shape [-1, -1] leaves more than one dimension (-1) open"),
        ((4, -1), "6 elements do not fill shape [4, -1]"),
        ((-2, -3), "shape [-2, -3] has the dimension -2"),
        ((6, 0), "shape [2, 3] has 6 elements, shape [6, 0] has 0"),
        (None, "attribute new_shape is None; allowed: a list of whole numbers"),
        ((2.0, 3), "attribute new_shape is 2.0; allowed: a list of whole numbers"),
    ],
)
def test_errors(new_shape, reason):
    with pytest.raises(lw.InvalidError) as caught:
        lw.tosa.reshape(X, new_shape=new_shape)
    assert str(caught.value) == f"RESHAPE: {reason}"


def test_one_size_may_be_left_open_at_this_version_only():
    assert lw.tosa.reshape(X, new_shape=(-1,)).shape == (6,)
    assert lw.tosa.reshape(X, new_shape=(3, -1)).shape == (3, 2)
    with pytest.raises(lw.InvalidError, match=r"shape \[-1\] has the dimension -1"):
        lw.tosa.reshape(X, [-1], version="1.0")


def test_a_dimension_of_zero_is_an_error():
    with pytest.raises(lw.InvalidError, match=r"input1 has shape \[0\]; TOSA needs every dimension to be at least 1"):
        lw.tosa.reshape(np.zeros(0, np.int8), new_shape=(0,))


def test_in_a_graph_it_lets_ranks_meet():
    graph = lw.Builder(tosa="0.23.0")
    x, row = graph.input("x", "int32", (2, 3)), graph.input("row", "int32", (3,))
    graph.output("y", graph.node("ADD", x, graph.node("RESHAPE", row, new_shape=(1, 3))))
    assert graph.model().run(X, np.int32([10, 20, 30])).outputs["y"].tolist() == [[10, 21, 32], [13, 24, 35]]
