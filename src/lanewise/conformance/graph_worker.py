"""The process that runs an ONNX graph on another runtime: `graph_worker RUNTIME FOLDER`, with files in the folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

RAISED = 1  # the exit code where the runtime raised an exception, and so said why it has no results


def main(runtime: str, folder: Path) -> None:
    model = (folder / "model.onnx").read_bytes()
    with np.load(folder / "in.npz") as archive:
        given = {name: archive[key] for key, name in json.loads((folder / "in.json").read_text()).items()}
    names, arrays = _run(runtime, model, given)
    np.savez(folder / "out.npz", **{f"t{k}": np.asarray(array) for k, array in enumerate(arrays)})  # type: ignore[arg-type]
    (folder / "out.json").write_text(json.dumps(names))


def _run(runtime: str, model: bytes, given: dict[str, Any]) -> tuple[list[str], list[Any]]:
    if runtime == "onnxruntime":
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        # As the graph is written: what is looked for is the node that differs.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return [output.name for output in session.get_outputs()], list(session.run(None, given))
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load_from_string(model))
    with np.errstate(all="ignore"):
        return list(evaluator.output_names), list(evaluator.run(None, given))


if __name__ == "__main__":
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except Exception as error:  # whatever the runtime raises is its answer
        print(f"{type(error).__name__}: {' '.join(str(error).split())[:400]}", file=sys.stderr)
        sys.exit(RAISED)
