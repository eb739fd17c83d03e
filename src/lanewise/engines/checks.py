"""Functions derived from a function's requirements: where it is unpredictable, and which rule breaks."""

from __future__ import annotations

from lanewise.language.nodes import FALSE, Node, constant, node
from lanewise.language.sorts import boolean, carrier, u64
from lanewise.language.words import Function

CODES = 64  # requirements that one code word can tell apart


def masked(function: Function) -> Function:
    """The same results and, last, a boolean: some requirement fails for this element."""
    return Function(
        function.inputs,
        (*function.outputs, boolean),
        (*function.results, broken(function)),
    )


def broken(function: Function) -> Node:
    """True where some requirement fails."""
    result = FALSE
    for requirement in function.requirements:
        fails = node("not", requirement.condition)
        result = fails if result is FALSE else node("or", result, fails)
    return result


def codes(function: Function, start: int) -> Function:
    """One word for each element: bit k is set where requirement start + k fails."""
    word = carrier(u64)
    assert not isinstance(word, type(None))
    zero = constant(0, word)  # type: ignore[arg-type]
    result = zero
    for position, requirement in enumerate(function.requirements[start : start + CODES]):
        bit = constant(1 << position, word)  # type: ignore[arg-type]
        result = node("or", result, node("ite", requirement.condition, zero, bit))
    return Function(function.inputs, (u64,), (result,))
