"""A set as an ONNX node test: model.onnx, and test_data_set_0 with input_k.pb and output_0.pb.

These folders cannot say that an element has no defined result, so such elements are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.graphs import Array, graph_of, operands, results
from lanewise.formats import onnx_writer


def files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """Paths below the output folder, and what is in them; none where no element has a result."""
    kept = vectors.predictable
    if vectors.operator.release.specification != "onnx" or not kept:
        return
    folder = f"test_{vectors.name}"
    model = graph_of(vectors, kept)
    yield f"{folder}/model.onnx", onnx_writer.model_bytes(model)
    for k, (name, array) in enumerate(operands(vectors, kept).items()):
        yield f"{folder}/test_data_set_0/input_{k}.pb", _tensor(name, array)
    output = vectors.operator.output
    shape = model.types[model.outputs[output].tensor].known_shape
    assert shape is not None
    yield f"{folder}/test_data_set_0/output_0.pb", _tensor(output, results(vectors, kept).reshape(shape))


def _tensor(name: str, array: Array) -> bytes:
    from onnx import numpy_helper

    return bytes(numpy_helper.from_array(array, name).SerializeToString(deterministic=True))
