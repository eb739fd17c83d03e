"""A set as ONNX node tests: model.onnx, and test_data_set_0 with input_k.pb and output_0.pb.

These folders cannot say that an element has no defined result, so such elements are left out. Elements about which
the text is silent and lanewise has a reading (docs/readings.md) are a test of their own, named after the reading:
a runtime that fails there, or dies, is not at odds with the specification.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.readings import open_elements
from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.graphs import Array, graph_of, operands, results
from lanewise.engines.exact_kernel import from_patterns
from lanewise.formats import onnx_writer


def files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """Paths below the output folder, and what is in them; none where no element has a result."""
    if vectors.operator.release.specification != "onnx":
        return
    reading, silent = _silent(vectors)
    kept = vectors.predictable
    yield from _test(vectors, f"test_{vectors.name}", [at for at in kept if at not in silent])
    yield from _test(vectors, f"test_{vectors.name}_{reading}", [at for at in kept if at in silent])


def _silent(vectors: VectorSet) -> tuple[str, set[int]]:
    """The number of a reading, and the elements that nothing but it decides."""
    cell = Cell(vectors.operator, vectors.row, vectors.choice.attributes, vectors.choice.fixed)
    columns = [from_patterns(column.patterns, column.sort) for column in vectors.columns]
    # Readings are about two operands; of more, any two may be what nothing else decides.
    several = itertools.combinations(columns, 2) if vectors.operator.variadic and len(columns) > 2 else [columns]
    number, silent = "", set[int]()
    for given in several:
        if len(given) == len(cell.free):
            number, found = open_elements(cell, list(given))
            silent |= set(found.nonzero()[0].tolist())
    return number, silent


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
