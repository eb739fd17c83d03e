"""Every TOSA operator as a function on arrays, its name in snake case.

Operands are NumPy arrays (or anything that speaks DLPack or `__array__`), read where they lie. All
functions take `out`, `where` (a mask: only selected elements are computed, and held to requirements),
`engine` ("native" or "exact") and `on_unpredictable`: "raise" (the default) raises UnpredictableError,
"mask" gives (result, unpredictable), "value" gives a total reading. Arrays of libraries that define
`__array_ufunc__` (dask, xarray) are offered the call as they are offered a ufunc's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lanewise.graph.function import operator_function
from lanewise.graph.signature import python_name
from lanewise.operators.catalogue import versions_of

_NAMES = {python_name(name): name for name in versions_of("tosa")}

__all__ = sorted(_NAMES)  # noqa: PLE0605  # the catalogue says which


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _NAMES:
        raise AttributeError(f"lanewise has no TOSA operator {name!r}; it has: {', '.join(__all__)}")
    # Made when it is first asked for: a docstring lists requirements, which are found by tracing the definition.
    made = operator_function("tosa", _NAMES[name])
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return __all__
