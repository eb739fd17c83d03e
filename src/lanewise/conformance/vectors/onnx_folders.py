"""A set as ONNX node tests: model.onnx, and test_data_set_0 with input_k.pb and output_0.pb.

These folders cannot say that an element has no defined result, so such elements are left out. Elements about which
the text is silent and lanewise has a reading (docs/readings.md) are a test of their own, named after the reading, or
the readings that they need together: a runtime that fails there, or dies, is not at odds with the specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.graphs import Array, graph_of, operands, results
from lanewise.conformance.vectors.silence import decided_by
from lanewise.formats import onnx_writer


def files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """Paths below the output folder, and what is in them; none where no element has a result."""
    if vectors.operator.release.specification != "onnx":
        return
    readings = decided_by(vectors)
    groups: dict[tuple[str, ...], list[int]] = {(): []}
    for at in vectors.predictable:
        groups.setdefault(readings.get(at, ()), []).append(at)
    for numbers, elements in sorted(groups.items()):
        yield from _test(vectors, "_".join(["test", vectors.name, *numbers]), elements)


def _test(vectors: VectorSet, folder: str, elements: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    if not elements:
        return
    model = graph_of(vectors, elements)
    yield f"{folder}/model.onnx", onnx_writer.model_bytes(model)
    for k, (name, array) in enumerate(operands(vectors, elements).items()):
        yield f"{folder}/test_data_set_0/input_{k}.pb", _tensor(name, array)
    output = vectors.operator.output
    shape = model.types[model.outputs[output].tensor].known_shape
    assert shape is not None
    yield f"{folder}/test_data_set_0/output_0.pb", _tensor(output, results(vectors, elements).reshape(shape))


def _tensor(name: str, array: Array) -> bytes:
    from onnx import numpy_helper

    return bytes(numpy_helper.from_array(array, name).SerializeToString(deterministic=True))
