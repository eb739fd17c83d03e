"""One operator as a Python function on arrays.

Calls on a few elements are all about what surrounds the loop, so the usual ones (arrays of one dtype
and shape, the keywords of the call before) take the shortest way there is: the loop itself, which
remembers whether a requirement ever failed. Everything else, and every failure, goes the general way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import may_share_memory, ndarray

from lanewise.graph.call import Loops, OperatorCalls
from lanewise.graph.signature import documentation, python_name, signature

_ABSENT: Any = object()
_NONE: Loops = {}


def operator_function(specification: str, name: str) -> Callable[..., Any]:
    """The function of an operator; versions and attributes are its keywords."""
    calls = OperatorCalls(specification, name)
    usual = calls.usual
    elements = sum(1 for argument in usual.arguments.values() if argument.use == "elements")
    made: Any = {1: _of_one, 2: _of_two}.get(0 if usual.variadic else elements, _of_any)(calls)
    made.__name__ = made.__qualname__ = python_name(name)
    made.__module__ = f"lanewise.{specification}"
    made.__doc__ = documentation(usual)
    made.__signature__ = signature(usual, calls.version_keyword, calls.default)
    return made  # type: ignore[no-any-return]


def _of_any(calls: OperatorCalls) -> Callable[..., Any]:
    def function(*operands: Any, **keywords: Any) -> Any:
        return calls.general(operands, **keywords)

    return function


def _of_one(calls: OperatorCalls) -> Callable[..., Any]:
    usual = calls.loops

    def function(*operands: Any, **keywords: Any) -> Any:
        try:
            (operand,) = operands
            if type(operand) is ndarray:
                if not keywords:
                    loop, shared, limit, _ = usual[operand.dtype]
                    result = loop(operand) if 0 < operand.size <= limit else None
                elif keywords == calls.latest_texts[0]:
                    loop, shared, limit, _ = calls.latest_texts[1][operand.dtype]
                    result = loop(operand) if 0 < operand.size <= limit else None
                else:
                    out = keywords.get("out")
                    loop, shared, limit, owner = _latest(calls, keywords)[operand.dtype]
                    if not 0 < operand.size <= limit:
                        result = None
                    else:
                        result = loop(operand) if out is None else _into(out, owner, loop, operand)
                if type(result) is ndarray and not shared[0]:
                    return result
                del result  # its memory is wanted for the next attempt
        except Exception:  # whatever it is, the general way says it better
            pass
        return calls.general(operands, **keywords)

    return function


def _of_two(calls: OperatorCalls) -> Callable[..., Any]:
    usual = calls.loops

    def function(first: Any = _ABSENT, second: Any = _ABSENT, /, *more: Any, **keywords: Any) -> Any:
        if type(first) is ndarray and type(second) is ndarray and not more:
            try:
                dtype = first.dtype
                if dtype is second.dtype and first.shape == second.shape:
                    if not keywords:
                        loop, shared, limit, _ = usual[dtype]
                        result = loop(first, second) if 0 < first.size <= limit else None
                    elif keywords == calls.latest_texts[0]:
                        loop, shared, limit, _ = calls.latest_texts[1][dtype]
                        result = loop(first, second) if 0 < first.size <= limit else None
                    else:
                        out = keywords.get("out")
                        loop, shared, limit, owner = _latest(calls, keywords)[dtype]
                        if not 0 < first.size <= limit:
                            result = None
                        else:
                            result = loop(first, second) if out is None else _into(out, owner, loop, first, second)
                    if type(result) is ndarray and not shared[0]:
                        return result
                    del result  # its memory is wanted for the next attempt
            except Exception:  # whatever it is, the general way says it better
                pass
        given = [operand for operand in (first, second, *more) if operand is not _ABSENT]
        return calls.general(tuple(given), **keywords)

    return function


def _into(out: Any, owner: Any, loop: Any, *operands: Any) -> Any:
    """The result in `out`, if that is an array for it which shares no memory with the operands."""
    if type(out) is not ndarray or out.dtype is not owner.result or not out.flags.writeable:
        return None
    shape = out.shape
    for operand in operands:
        # Two arrays that own their memory overlap only if they are one.
        owned = out.base is None and operand.base is None
        if operand.shape != shape or operand is out or not (owned or not may_share_memory(out, operand)):
            return None
    return loop(*operands, out)


def _latest(calls: OperatorCalls, keywords: dict[str, Any]) -> Loops:
    """The loops of the latest keywords, if these are the same but for `out`; 1.0 equals True, but is not alike."""
    if "out" in keywords:
        if len(keywords) == 1:
            return calls.loops
        keywords = {name: value for name, value in keywords.items() if name != "out"}
    known, loops = calls.latest
    if keywords == known:
        for name, value in known.items():
            if keywords[name] is not value and type(keywords[name]) is not type(value):
                return _NONE
        return loops
    return _NONE
