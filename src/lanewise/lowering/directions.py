"""Every direction that there are rules for, and which one a request means."""

from __future__ import annotations

from collections.abc import Iterator

from lanewise.lowering.onnx_opsets import OnnxToOnnx
from lanewise.lowering.onnx_to_tosa import OnnxToTosa
from lanewise.lowering.rule import Direction
from lanewise.lowering.tosa_releases import TosaToTosa
from lanewise.lowering.tosa_to_onnx import TosaToOnnx
from lanewise.operators.tosa.rows import VERSIONS

PAIRS = "pairs"
FIRST_SHIFT = 11  # the opset that brought BitShift


def directions() -> Iterator[Direction]:
    """Each way between two versions whose rules are its own."""
    for version in VERSIONS:
        yield OnnxToTosa(version)
    yield OnnxToTosa("0.23.0", wide=PAIRS)
    yield OnnxToTosa("1.0", wide=PAIRS)
    yield OnnxToOnnx(FIRST_SHIFT)
    yield OnnxToOnnx(18)
    yield TosaToTosa("0.23.0", "1.0")
    yield TosaToTosa("0.23.0", "1.1")
    for version in VERSIONS:
        yield TosaToOnnx(version)
