"""What a target is asked, whoever asks: one element for `explain`, or all inputs of a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.protocol import array_of
from lanewise.conformance.targets.request import request
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import i8, i32
from lanewise.operators.catalogue import named
from tests.conformance.conform.test_detective import named as cell_named


def test_a_lone_number_has_rank_0_only_where_onnx_asks_for_it() -> None:
    one = np.array([3], np.int8)
    shapes = [part and part["shape"] for part in request(named("Clip"), i8, {}, [one, one, None])["inputs"]]
    assert shapes == [[1], [], None]
    wide, shift = np.array([3], np.int32), np.array(5, np.uint8)
    message = request(named("MUL"), i32, {}, [wide, wide, shift])
    assert [part["shape"] for part in message["inputs"]] == [[1], [1], [1]]
    assert (message["operator"], message["version"], message["output"]) == ("MUL", "0.23.0", "int32")


def test_a_cell_asks_in_the_same_words() -> None:
    subject = Subject(cell_named("clip", "int8"))
    x = np.array([1, 2], np.int8)
    low, high = (np.array(subject.cell.fixed[name], np.int8) for name in ("min", "max"))
    message = subject.request([x], "strided")
    assert message == request(subject.cell.record, i8, subject.cell.attributes, [x, low, high], "strided")
    assert array_of(message["inputs"][0]).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ([10**30, 0], "whole numbers from 0 to"),
        ([-1], "whole numbers from 0 to"),
        ([True], "whole numbers from 0 to"),
        ([1.0], "whole numbers from 0 to"),
        ("1", "whole numbers from 0 to"),
        ([1] * 65, "at most 64"),
        ([2**62, 2**62, 0], "no array can have"),
        ([2], "it takes"),
    ],
    ids=str,
)
@pytest.mark.parametrize("sort", ["uint8", "bool"])
def test_a_shape_that_no_array_has_is_refused(sort: str, shape: Any, said: str) -> None:
    data = "AA==" if isinstance(shape, list) and 0 not in shape else ""
    with pytest.raises(InvalidError, match=said):
        array_of({"type": sort, "shape": shape, "data": data})


def test_a_size_of_zero_is_one() -> None:
    assert array_of({"type": "uint8", "shape": [3, 0], "data": ""}).shape == (3, 0)
