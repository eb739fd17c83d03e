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

    def function(*operands: Any, out: Any = None, **keywords: Any) -> Any:
        try:
            (operand,) = operands
            if type(operand) is ndarray:
                if not keywords:
                    loops = usual
                elif keywords == (latest := calls.latest_texts)[0]:
                    loops = latest[1]
                else:
                    loops = _latest(calls, keywords)
                loop, shared, limit, owner = loops[operand.dtype]
                if operand.size > limit:
                    loop, shared = owner.wide(operand) if out is None else owner.wide(operand, out)
                if operand.size:
                    if out is None:
                        result = loop(operand)
                    elif _is_apart(out, owner, operand.shape, operand, operand):
                        result = loop(operand, out)
                    else:
                        result = None
                    if type(result) is ndarray and not shared[0]:
                        return result
                    del result  # its memory is wanted for the next attempt
        except Exception:  # whatever it is, the general way says it better
            pass
        return calls.general(operands, out, **keywords)

    return function


def _of_two(calls: OperatorCalls) -> Callable[..., Any]:
    usual = calls.loops

    def function(first: Any = _ABSENT, second: Any = _ABSENT, /, *more: Any, out: Any = None, **keywords: Any) -> Any:
        if type(first) is ndarray and type(second) is ndarray and not more:
            try:
                dtype, shape = first.dtype, first.shape
                if dtype is second.dtype and shape == second.shape:
                    if not keywords:
                        loops = usual
                    elif keywords == (latest := calls.latest_texts)[0]:
                        loops = latest[1]
                    else:
                        loops = _latest(calls, keywords)
                    loop, shared, limit, owner = loops[dtype]
                    if first.size > limit:
                        loop, shared = owner.wide(first, second) if out is None else owner.wide(first, second, out)
                    if first.size:
                        if out is None:
                            result = loop(first, second)
                        elif _is_apart(out, owner, shape, first, second):
                            result = loop(first, second, out)
                        else:
                            result = None
                        if type(result) is ndarray and not shared[0]:
                            return result
                        del result  # its memory is wanted for the next attempt
            except Exception:  # whatever it is, the general way says it better
                pass
        given = [operand for operand in (first, second, *more) if operand is not _ABSENT]
        return calls.general(tuple(given), out, **keywords)

    return function


def _is_apart(out: Any, owner: Any, shape: tuple[int, ...], first: Any, second: Any) -> bool:
    """Whether `out` is an array for the result, and need not be kept from the operands or shares no memory with them.

    NumPy finds out if it is read-only, and copies operands that it overlaps where one loop does all. But nothing
    may be overwritten that is looked at again after a failure, or that another part has yet to read.
    """
    if type(out) is not ndarray or out.dtype is not owner.result or out.shape != shape:
        return False
    if not owner.checks and first.size <= owner.limit:
        return True
    # Two arrays that own their memory overlap only if they are one.
    if out.base is None and first.base is None and second.base is None:
        return out is not first and out is not second
    return not (may_share_memory(out, first) or may_share_memory(out, second))


def _latest(calls: OperatorCalls, keywords: dict[str, Any]) -> Loops:
    """The loops of the latest keywords, if these are the same; 1.0 equals True, but is not alike."""
    known, loops = calls.latest
    if keywords == known:
        for name, value in known.items():
            if keywords[name] is not value and type(keywords[name]) is not type(value):
                return _NONE
        return loops
    return _NONE
