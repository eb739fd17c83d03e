"""One operator as a Python function on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from lanewise.graph.call import OperatorCalls
from lanewise.graph.signature import documentation, python_name, signature


def operator_function(specification: str, name: str) -> Callable[..., Any]:
    """The function of an operator; versions and attributes are its keywords."""
    calls = OperatorCalls(specification, name)
    usual = calls.usual

    def function(*operands: Any, out: Any = None, **keywords: Any) -> Any:
        result = calls.short(operands, out, keywords)
        if type(result) is ndarray:
            return result
        if result is not None:
            result = calls.long(result, operands, out)
            if result is not None:
                return result
        return calls.general(operands, out, **keywords)

    function.__name__ = function.__qualname__ = python_name(name)
    function.__module__ = f"lanewise.{specification}"
    function.__doc__ = documentation(usual)
    function.__signature__ = signature(usual, calls.version_keyword, calls.default)  # type: ignore[attr-defined]
    return function
