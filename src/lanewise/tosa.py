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

_FUNCTIONS = {python_name(name): operator_function("tosa", name) for name in versions_of("tosa")}

__all__ = sorted(_FUNCTIONS)  # noqa: PLE0605  # the catalogue says which


globals().update(_FUNCTIONS)  # found at once, without a detour through __getattr__


def __getattr__(name: str) -> Callable[..., Any]:
    raise AttributeError(f"lanewise has no TOSA operator {name!r}; it has: {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
