"""The engines by name; the compiling one is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from lanewise.language.errors import InvalidError
from lanewise.language.words import Function

ENGINES = ("native", "exact")


@cache
def kernel_maker(engine: str) -> Callable[[Function], Any]:
    """What turns a function into something that runs on arrays."""
    if engine == "native":
        from lanewise.engines.native.kernel import kernel

        return kernel
    if engine == "exact":
        from lanewise.engines.exact_kernel import ExactKernel

        return ExactKernel
    raise InvalidError(f"engine is {engine!r}; allowed: {', '.join(map(repr, ENGINES))}")
