"""Functions derived from a function and its requirements: on which elements it counts, and which rule breaks where."""

from __future__ import annotations

from lanewise.engines.storage import stored_sort
from lanewise.language.nodes import FALSE, Node, constant, node
from lanewise.language.sorts import boolean, carrier, u64
from lanewise.language.words import Function, Requirement

CODES = 64  # requirements that one code word can tell apart


def masked(function: Function) -> Function:
    """The same results and, last, a boolean: some requirement fails for this element."""
    return Function(
        function.inputs,
        (*function.outputs, boolean),
        (*function.results, broken(function)),
    )


def checking(function: Function) -> Function:
    """The requirements alone; the result says nothing."""
    return Function(function.inputs, (boolean,), (FALSE,), function.requirements)


def selecting(function: Function) -> Function:
    """The function where one more operand, a boolean, holds; elsewhere the value of a last operand, and no requirement.

    That last operand and the result are of the type that is stored. Booleans among further results are false elsewhere.
    """
    sort = stored_sort(function.outputs[0])
    count = len(function.inputs)
    where = node("input", data=count, sort=boolean)
    other = node("input", data=count + 1, sort=carrier(sort))
    result, *more = function.results
    if result.sort != other.sort:
        result = node("sext" if sort.signed else "zext", result, sort=carrier(sort))
    return Function(
        (*function.inputs, boolean, sort),
        (sort, *function.outputs[1:]),
        (node("ite", where, result, other), *(node("and", where, root) for root in more)),
        tuple(
            Requirement(node("or", requirement.condition, node("not", where)), requirement.reason)
            for requirement in function.requirements
        ),
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
