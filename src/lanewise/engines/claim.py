"""A theorem as one function of an element: does it hold here?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lanewise.engines.exact import Evaluator, fold
from lanewise.language.nodes import FALSE, TRUE, Node, constant, node, postorder
from lanewise.language.sorts import AnySort, Sort, boolean
from lanewise.language.words import Function, Requirement


@dataclass(frozen=True, eq=False)
class Claim:
    """For all inputs that meet the source's requirements, the target's hold and the results agree."""

    source: Function
    target: Function
    choices: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # operands that take a few patterns only
    tables: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # operands that are one table, entry by entry

    def __post_init__(self) -> None:
        assert self.source.inputs == self.target.inputs and self.source.outputs == self.target.outputs

    @property
    def inputs(self) -> tuple[AnySort, ...]:
        return self.source.inputs

    @property
    def input_bits(self) -> int | None:
        """How many bits an element's inputs have together; None if there are open tables among them."""
        total = 0
        for k, sort in enumerate(self.inputs):
            if k in self.choices:
                total += (len(self.choices[k]) - 1).bit_length()
            elif isinstance(sort, Sort):
                total += sort.width
            elif k not in self.tables:
                return None
        return total

    @cached_property
    def holds(self) -> Node:
        """True where an element does not contradict the claim."""
        assumed = _all([requirement.condition for requirement in self.source.requirements])
        wanted = [requirement.condition for requirement in self.target.requirements]
        wanted += [agree(a, b) for a, b in zip(self.source.results, self.target.results, strict=True)]
        return node("or", node("not", assumed), _all(wanted))

    @cached_property
    def check(self) -> Function:
        """The claim as a requirement, for engines that run over arrays."""
        return fold(Function(self.inputs, (boolean,), (FALSE,), (Requirement(self.holds, "the claim holds"),)))

    @cached_property
    def verdict(self) -> Function:
        """The claim as a result: True where it holds."""
        return fold(Function(self.inputs, (boolean,), (self.holds,)))

    @cached_property
    def is_evident(self) -> bool:
        """Both sides are one expression, and the target requires nothing that the source does not."""
        source, target = fold(self.source), fold(self.target)
        assumed = {requirement.condition for requirement in source.requirements}
        return source.results == target.results and all(r.condition in assumed for r in target.requirements)

    @cached_property
    def has_slivers(self) -> bool:
        """Whether words of 2 to 7 bits take part: LLVM gives up on some expressions of such vectors.

        Those that constants alone decide, such as a fixed shift of 6 bits, are none any more where the claim is run.
        """
        roots = [*self.check.results, *(requirement.condition for requirement in self.check.requirements)]
        return any(isinstance(n.sort, Sort) and 1 < n.sort.width < 8 for n in postorder(roots))

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator([self.holds])

    def holds_for(self, operands: tuple[object, ...]) -> bool:
        """Whether the oracle agrees with the claim for one element's patterns."""
        return bool(self._evaluator(operands)[0])


def agree(a: Node, b: Node) -> Node:
    """The same pattern; floats: the same value and sign of zero, or both NaN."""
    sort = a.sort
    assert isinstance(sort, Sort)
    if sort.kind != "float":
        return node("eq", a, b)
    one, zero = constant(_one(sort), sort), constant(0, sort)
    signs = node("feq", node("fdiv", one, a), node("fdiv", one, b))  # 1 / 0 and 1 / -0 differ
    same = node("and", node("feq", a, b), node("or", node("not", node("feq", a, zero)), signs))
    nans = node("and", node("not", node("feq", a, a)), node("not", node("feq", b, b)))
    return node("or", same, nans)


def _one(sort: Sort) -> int:
    from lanewise.language import floats

    return floats.encode(1, sort)


def _all(conditions: list[Node]) -> Node:
    result = TRUE
    for condition in conditions:
        result = condition if result is TRUE else node("and", result, condition)
    return result
