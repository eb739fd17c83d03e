"""The exact meaning of elementwise tensor operators, and the fastest exact way to run them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lanewise.language.errors import InvalidError, LanewiseError, UnpredictableError, UnsupportedError

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lanewise import onnx, tosa, words
    from lanewise.conformance.detective.explain import explain_results
    from lanewise.conformance.first_difference import first_difference
    from lanewise.conformance.tables.build import build_table
    from lanewise.engines.native.threads import get_threads, set_threads
    from lanewise.formats import load
    from lanewise.graph.build import Builder
    from lanewise.graph.compiled import compile_model as compile
    from lanewise.graph.emit import emit
    from lanewise.graph.model import Model
    from lanewise.graph.run import Outcome, Status
    from lanewise.lowering.request import lower
    from lanewise.lowering.shift_finder import find_shifts, repair_shifts
    from lanewise.lowering.simplify import simplify
    from lanewise.proof.equal import prove_equal

# Where each public name lives; it is imported when it is first used, so that importing lanewise is quick.
_PLACES = {
    "Builder": ("lanewise.graph.build", "Builder"),
    "Model": ("lanewise.graph.model", "Model"),
    "Outcome": ("lanewise.graph.run", "Outcome"),
    "Status": ("lanewise.graph.run", "Status"),
    "build_table": ("lanewise.conformance.tables.build", "build_table"),
    "compile": ("lanewise.graph.compiled", "compile_model"),
    "emit": ("lanewise.graph.emit", "emit"),
    "explain_results": ("lanewise.conformance.detective.explain", "explain_results"),
    "find_shifts": ("lanewise.lowering.shift_finder", "find_shifts"),
    "first_difference": ("lanewise.conformance.first_difference", "first_difference"),
    "get_threads": ("lanewise.engines.native.threads", "get_threads"),
    "load": ("lanewise.formats", "load"),
    "lower": ("lanewise.lowering.request", "lower"),
    "prove_equal": ("lanewise.proof.equal", "prove_equal"),
    "onnx": ("lanewise.onnx", None),
    "repair_shifts": ("lanewise.lowering.shift_finder", "repair_shifts"),
    "set_threads": ("lanewise.engines.native.threads", "set_threads"),
    "simplify": ("lanewise.lowering.simplify", "simplify"),
    "tosa": ("lanewise.tosa", None),
    "words": ("lanewise.words", None),
}

__all__ = [
    "Builder",
    "InvalidError",
    "LanewiseError",
    "Model",
    "Outcome",
    "Status",
    "UnpredictableError",
    "UnsupportedError",
    "__version__",
    "build_table",
    "compile",
    "emit",
    "explain_results",
    "find_shifts",
    "first_difference",
    "get_threads",
    "load",
    "lower",
    "onnx",
    "prove_equal",
    "repair_shifts",
    "set_threads",
    "simplify",
    "tosa",
    "words",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'lanewise' has no attribute {name!r}")
    import importlib

    place, attribute = _PLACES[name]
    module = importlib.import_module(place)
    found = module if attribute is None else getattr(module, attribute)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
