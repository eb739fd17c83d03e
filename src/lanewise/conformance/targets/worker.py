"""The process behind a library, a Python function or the TOSA reference model: answers until its input ends."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from lanewise.conformance.targets.case import Case, Died, NotThere
from lanewise.conformance.targets.protocol import PROTOCOL, Array, Message, array_of, line, tensor

MODULES = {
    "numpy": "spelt_numpy",
    "torch": "spelt_torch",
    "jax": "spelt_jax",
    "onnx": "onnx_models",
    "onnxruntime": "onnx_models",
    "tosa": "tosa_model",
    "litert": "spelt_litert",
    "iree": "iree_modules",
}


def main() -> None:
    name, *rest = sys.argv[1:]
    serve(lambda: _started(name, rest))


def serve(start: Callable[[], tuple[Message, Callable[[Message], Message]]]) -> None:
    """Answers requests until they end; `start` gives what is told about the target, and what answers them."""
    requests, answers = _own_streams()
    with contextlib.suppress(ImportError, OSError):  # a death is expected and leaves no memory image on the disk
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    about, answer = start()
    for request in requests:
        message = json.loads(request)
        answers.write(line({"protocol": PROTOCOL, **about} if message["do"] == "hello" else answer(message)))
        answers.flush()


def _started(name: str, rest: list[str]) -> tuple[Message, Callable[[Message], Message]]:
    """A target that is asked about one operator at a time."""
    if name in MODULES:
        module = importlib.import_module(f"lanewise.conformance.targets.{MODULES[name]}")
        runner = module.runner(name, *rest)
    else:
        runner = _function(name)
    about = {"version": str(getattr(runner, "version", "")), "layouts": list(getattr(runner, "layouts", ()))}
    return about, lambda message: _answer(runner, message)


def _own_streams() -> tuple[Any, Any]:
    """Input and output of the protocol; whatever a library prints goes to the errors."""
    faulthandler.disable()
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return requests, answers


def _answer(runner: Any, message: Message) -> Message:
    case = Case(*(message[key] for key in Case._fields))
    operands = [None if given is None else _laid_out(array_of(given), message["layout"]) for given in message["inputs"]]
    try:
        return {"output": tensor(np.asarray(runner(case, operands)))}
    except NotThere as error:
        return {"absent": str(error) or "no such operator"}
    except Died as error:
        return {"died": str(error)}
    except Exception as error:  # whatever a target raises is its answer
        return {"refuses": words(error)}


def words(error: Exception) -> str:
    """An exception as an answer has it."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:400]


def _laid_out(array: Array, layout: str) -> Array:
    """The same elements in another layout of memory."""
    if array.ndim != 1 or layout == "contiguous":
        return array
    if layout == "reversed":
        return array[::-1].copy()[::-1]
    wide = np.zeros((array.shape[0], 3), array.dtype)
    wide[:, 1] = array
    return wide[:, 1]


def _function(text: str) -> Any:
    """A Python function as a target: function(case, *arrays) gives an array; NotImplementedError: not there."""
    module, _, name = text.partition(":")
    found = getattr(importlib.import_module(module), name)
    if not callable(found):  # asked, it would be told as one that refuses everything
        raise TypeError(f"{text} is a {type(found).__name__}, not a function")

    def run(case: Case, operands: list[Array | None]) -> Any:
        try:
            return found(case, *operands)
        except NotImplementedError as error:
            raise NotThere(str(error)) from None

    run.layouts = ("strided", "reversed")  # type: ignore[attr-defined]
    return run


if __name__ == "__main__":
    main()
