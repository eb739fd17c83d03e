"""What does not depend on operands, although it has some: replaced by its value before text is written.

Compilers warn of comparisons that always hold, and of variables that nothing needs.
"""

from __future__ import annotations

from lanewise.engines.exact import fold
from lanewise.language.nodes import FALSE, TRUE, Node, constant, postorder, rewrite
from lanewise.language.sorts import Sort
from lanewise.language.words import Function, Requirement


def settle(function: Function) -> Function:
    """The same function without parts whose value is known."""
    while True:
        function = fold(function)
        roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
        known = {node: value for node in postorder(roots) if (value := _value(node)) is not None}
        if not known:
            return function
        changed = rewrite(roots, known)
        results = tuple(changed[: len(function.results)])
        requirements = tuple(
            Requirement(condition, requirement.reason)
            for condition, requirement in zip(changed[len(results) :], function.requirements, strict=True)
        )
        function = Function(function.inputs, function.outputs, results, requirements)


def _value(node: Node) -> Node | None:
    """The constant that a node is whatever its operands are; None if it depends on them."""
    if node.kind in ("eq", "ult", "ule", "slt", "sle"):
        return _comparison(node)
    if node.kind in ("shl", "lshr"):
        count = _pattern(node.args[1])
        assert isinstance(node.sort, Sort)
        return constant(0, node.sort) if count is not None and count >= node.sort.width else None
    if node.kind in ("and", "or") and node.sort == TRUE.sort:
        decides = FALSE if node.kind == "and" else TRUE
        if decides in node.args:
            return decides
        return next((node.args[1 - k] for k in (0, 1) if node.args[k] in (TRUE, FALSE)), None)
    return None


def _comparison(node: Node) -> Node | None:
    a, b = node.args
    if a is b:
        return TRUE if node.kind in ("eq", "ule", "sle") else FALSE
    if node.kind == "eq":
        return None
    assert isinstance(a.sort, Sort)
    size = a.sort.width
    flip = 1 << (size - 1) if node.kind[0] == "s" else 0  # signed words stand in order once the sign is flipped
    low, high = flip, ((1 << size) - 1) ^ flip
    if node.kind in ("ult", "slt"):
        return FALSE if _pattern(a) == high or _pattern(b) == low else None
    return TRUE if _pattern(a) == low or _pattern(b) == high else None


def _pattern(node: Node) -> int | None:
    return node.data if node.kind == "const" else None
