"""Bounds of old versions of Clip: the text is silent where they are crossed, as numbers and not as patterns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanewise.conformance.vectors.choices import Choice
from lanewise.conformance.vectors.corpus import Corpus
from lanewise.conformance.vectors.silence import decided_by
from lanewise.language import floats
from lanewise.language.sorts import f32
from lanewise.operators.catalogue import find


@pytest.mark.parametrize(("low", "high", "silent"), [(-1.0, 1.0, False), (1.0, -1.0, True), (-1.0, -2.0, True)])
def test_crossed_bounds_are_told_by_their_numbers(low: float, high: float, silent: bool) -> None:
    record = find("onnx", "Clip", 12)
    (row,) = [row for row in record.rows if row.output == f32]
    vectors = next(Corpus().sets(record, row, lambda name: True))
    fixed = {"min": floats.encode(low, f32), "max": floats.encode(high, f32)}
    decided = decided_by(replace(vectors, choice=Choice({}, fixed)))
    column = np.array(vectors.columns[0].patterns, np.uint32).view(np.float32)
    (ordinary,) = np.flatnonzero(column == 1)[:1].tolist()
    assert ("O7" in decided.get(ordinary, ())) is silent
