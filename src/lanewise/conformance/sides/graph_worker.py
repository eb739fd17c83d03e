"""The process behind a runtime of whole graphs: `graph_worker RUNTIME [FOLDER OF ITS TOOLS]`.

It speaks the protocol of targets; a request names a folder with the graph, and its tensors as files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Died
from lanewise.conformance.targets.protocol import Message
from lanewise.conformance.targets.worker import serve, words
from lanewise.formats.tensors import read_tensors

Array = np.ndarray[Any, Any]


def main() -> None:
    runtime, *tools = sys.argv[1:]
    # Libraries are imported with the first graph: where that fails, it is an answer like others.
    serve(lambda: ({}, lambda message: _answer(runtime, tools, Path(message["folder"]))))


def _answer(runtime: str, tools: list[str], folder: Path) -> Message:
    names = json.loads((folder / "names.json").read_text())
    try:
        stored = stored_tensors(folder / "in.npz")
        given = {name: stored[f"t{k}"] for k, name in enumerate(names["inputs"])}
        results = RUNTIMES[runtime](folder, given, names["outputs"], *tools)
        np.savez(folder / "out.npz", **{f"t{k}": np.asarray(array) for k, array in enumerate(results)})  # type: ignore[arg-type]
    except Died as error:
        return {"died": str(error)}
    except Exception as error:  # whatever the runtime raises is its answer
        return {"refuses": words(error)}
    return {"written": "out.npz"}


def stored_tensors(path: Path) -> dict[str, Array]:
    """What NumPy has written, uncompressed, to a file of ours."""
    return read_tensors(path, max_tensor_bytes=path.stat().st_size)


def _onnxruntime(folder: Path, given: Mapping[str, Array], outputs: Mapping[str, str]) -> list[Any]:
    import onnxruntime

    from lanewise.conformance.targets.ort_values import run_session

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    # As the graph is written: what is looked for is the node that differs.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = (folder / "model").read_bytes()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return run_session(session, given, list(outputs))


def _onnx(folder: Path, given: Mapping[str, Array], outputs: Mapping[str, str]) -> list[Any]:
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator: Any = ReferenceEvaluator(onnx.load_from_string((folder / "model").read_bytes()))
    return list(evaluator.run(list(outputs), dict(given)))


def _tosa(folder: Path, given: Mapping[str, Array], outputs: Mapping[str, str], tools: str) -> list[Any]:
    from lanewise.conformance.targets.tosa_model import Program

    return Program(Path(tools)).run(folder, (folder / "model").read_bytes(), given, outputs)


def _iree(folder: Path, given: Mapping[str, Array], _: Mapping[str, str]) -> list[Any]:
    from lanewise.conformance.targets.iree_modules import compiled, results

    module = compiled((folder / "model").read_bytes())
    if isinstance(module, Exception):
        raise module
    return results(module, list(given.values()))


RUNTIMES: Mapping[str, Any] = {"onnxruntime": _onnxruntime, "onnx": _onnx, "tosa": _tosa, "iree": _iree}


if __name__ == "__main__":
    main()
