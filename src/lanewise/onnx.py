"""Every ONNX operator as a function on arrays, its name in snake case.

Operands are NumPy arrays (or anything that speaks DLPack or `__array__`), read where they lie. All
functions take `out`, `engine` ("native" or "exact") and `on_unpredictable`: "raise" (the default)
raises UnpredictableError, "mask" gives (result, unpredictable), "value" gives a total reading.
"""

from __future__ import annotations

from lanewise.graph.call import OperatorFunction
from lanewise.graph.signature import python_name
from lanewise.operators.catalogue import versions_of

_FUNCTIONS = {python_name(name): OperatorFunction("onnx", name) for name in versions_of("onnx")}

__all__ = sorted(_FUNCTIONS)  # noqa: PLE0605  # the catalogue says which


def __getattr__(name: str) -> OperatorFunction:
    try:
        return _FUNCTIONS[name]
    except KeyError:
        raise AttributeError(f"lanewise has no ONNX operator {name!r}; it has: {', '.join(__all__)}") from None


def __dir__() -> list[str]:
    return __all__
