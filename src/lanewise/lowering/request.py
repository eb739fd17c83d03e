"""`lower`: the public request, and the direction that it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lanewise.graph.model import Model, title
from lanewise.language.errors import InvalidError, brief
from lanewise.lowering.arguments import check_graph, shapes_of_inputs
from lanewise.lowering.lower import Lowered, lower_graph
from lanewise.lowering.onnx_opsets import OnnxToOnnx
from lanewise.lowering.onnx_to_tosa import OnnxToTosa
from lanewise.lowering.report import Report
from lanewise.lowering.rule import Direction
from lanewise.lowering.tosa_releases import TosaToTosa
from lanewise.lowering.tosa_to_onnx import TosaToOnnx
from lanewise.operators.catalogue import SPECIFICATIONS, default_version, known_opset, known_version
from lanewise.operators.onnx.rows import NEWEST_OPSET


def lower(
    model: Model,
    *,
    to: str,
    version: int | str | None = None,
    wide: str | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> Lowered:
    """The graph in another specification's operators, or in another version's: a `Lowered`.

    `to` is "tosa" or "onnx"; `version` the TOSA version ("0.23.0", "1.0", "1.1") or the ONNX opset (11 to
    28), the default version of the specification if left out. `wide="pairs"` carries 64-bit integers as two
    int32 tensors, NAME.high and NAME.low, where TOSA has no such type. `shapes` fixes inputs whose sizes are
    open, which TOSA's RESHAPE needs.

    `Lowered` has the `model`, the `report` (each node's rule, how it is proven, what changes at the
    interface, what is only bounded), and `encode` and `decode` between the arrays of both interfaces.
    Every rule is exact for all operands that meet the source's requirements, but for floats that the report
    calls bounded. UnsupportedError names the node that has no exact form and the reason; InvalidError a
    request that cannot be.
    """
    check_graph(model, "lower")
    sizes = shapes_of_inputs(shapes, "lower")
    if to not in SPECIFICATIONS:
        raise InvalidError(f"lower: to is {brief(to)}; allowed: {', '.join(map(repr, SPECIFICATIONS))}")
    wanted = default_version(to) if version is None else version
    if to == "onnx":
        if wide is not None:
            raise InvalidError(
                f"lower: wide is {brief(wide)} and to is 'onnx'; wide='pairs' (--pairs) is for TOSA, as ONNX has "
                "integers of 64 bits. Leave it out"
            )
        number = isinstance(wanted, str) and wanted.isascii() and wanted.isdecimal()
        opset = known_opset(int(wanted) if number else wanted)
        if model.specification == "tosa":
            lowered = lower_graph(model, TosaToOnnx(str(model.version)), sizes)
            return lowered if opset == NEWEST_OPSET else _then(lowered, OnnxToOnnx(opset))
        return lower_graph(model, OnnxToOnnx(opset), sizes)
    release = known_version(str(wanted))
    if model.specification == "onnx":
        return lower_graph(model, OnnxToTosa(release, wide), sizes)
    if wide is not None:
        raise InvalidError(f"lower: wide is for ONNX graphs; {title(model)} has no wide integers to carry in pairs")
    return lower_graph(model, TosaToTosa(str(model.version), release), sizes)


def _then(first: Lowered, direction: Direction) -> Lowered:
    """A second lowering, which leaves the interface as it is."""
    second = lower_graph(first.model, direction)
    report = Report(
        first.report.source,
        second.report.target,
        first.report.steps,
        first.report.changes,
        [*first.report.notes, f"by way of {first.report.target}: {second.report}"],
    )
    return replace(first, model=second.model, report=report)
