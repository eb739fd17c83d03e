"""One operator as a Python function on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lanewise.graph.call import OperatorCalls
from lanewise.graph.signature import documentation, python_name, signature


def operator_function(specification: str, name: str) -> Callable[..., Any]:
    """The function of an operator; versions and attributes are its keywords."""
    calls = OperatorCalls(specification, name)
    usual = calls.usual

    def function(*operands: Any, out: Any = None, **keywords: Any) -> Any:
        result = calls.short(operands, out, keywords)
        if result is None:
            result = calls.long(operands, out, keywords)
            if result is None:
                return calls.general(operands, out, **keywords)
        return result

    function.__name__ = function.__qualname__ = python_name(name)
    function.__module__ = f"lanewise.{specification}"
    function.__doc__ = documentation(usual)
    function.__signature__ = signature(usual, calls.version_keyword, calls.default)  # type: ignore[attr-defined]
    return function
