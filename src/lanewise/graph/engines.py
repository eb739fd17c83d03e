"""The engines by name; the compiling one is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from lanewise.language.errors import InvalidError, brief
from lanewise.language.words import Function

ENGINES = ("native", "exact")


def kernel_maker(engine: str) -> Callable[[Function], Any]:
    """What turns a function into something that runs on arrays."""
    if not isinstance(engine, str) or engine not in ENGINES:
        raise InvalidError(f"engine is {brief(engine)}; allowed: {', '.join(map(repr, ENGINES))}")
    return _maker(engine)


@cache
def _maker(engine: str) -> Callable[[Function], Any]:
    if engine == "native":
        from lanewise.engines.native.kernel import kernel

        return kernel
    from lanewise.engines.exact_kernel import ExactKernel

    return ExactKernel
