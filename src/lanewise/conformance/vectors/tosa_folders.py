"""A set as a folder with desc.json, the graph as .tosa and tensors as .npy: what `lanewise suite` and TOSA's tools run.

A whole graph is valid or not there, so elements without a defined result are left out. Elements that a reading decides
(docs/readings.md: T5 on subnormal numbers and rounding, T11 on zeros of either sign) stay among the others: a tool that
reads the text otherwise there fails the folder.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import numpy as np

from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.graphs import Array, graph_of, operands, results
from lanewise.formats import tosa_writer
from lanewise.language.errors import UnsupportedError


def files(vectors: VectorSet) -> Iterator[tuple[str, bytes]]:
    """Paths below the output folder, and what is in them; none where no element has a result."""
    kept = vectors.predictable
    if vectors.operator.release.specification != "tosa" or not kept:
        return
    model = graph_of(vectors, kept)
    try:
        content = tosa_writer.model_bytes(model)
    except UnsupportedError:
        return  # the format of this version has no field for it
    given, output = operands(vectors, kept), vectors.operator.output
    shape = model.types[model.outputs[output].tensor].known_shape
    assert shape is not None
    description = {
        "tosa_file": "test.tosa",
        "ifm_name": list(given),
        "ifm_file": [f"{name}.npy" for name in given],
        "ofm_name": [output],
        "ofm_file": [f"{output}_result.npy"],
        "expected_failure": False,
        "title": vectors.title,
    }
    yield f"{vectors.name}/desc.json", (json.dumps(description, indent=2) + "\n").encode()
    yield f"{vectors.name}/test.tosa", content
    for name, array in given.items():
        yield f"{vectors.name}/{name}.npy", npy(array)
    yield f"{vectors.name}/{output}_result.npy", npy(results(vectors, kept).reshape(shape))


def npy(array: Array) -> bytes:
    """The bytes of a .npy file."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()
