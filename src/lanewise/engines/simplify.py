"""Shorter expressions of the same meaning: rules that are theorems, applied from the leaves up.

`identities` lists the rules. Nothing else changes an expression but computing what has only
constants. Every rule is proven by itself, and tried on every input at small widths in the tests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property

from lanewise.engines.exact import RULES as EXACT
from lanewise.engines.exact import Evaluator
from lanewise.engines.rules import MIDDLE, NARROW, WIDE, Pattern, Rule, Sorts, literals_of
from lanewise.language.nodes import TRUE, Node, constant, node, postorder
from lanewise.language.sorts import AnySort, Sort, boolean, integer
from lanewise.language.words import Function, Requirement

FIRINGS = 8  # rules that may fire for each node, so that work is bounded whatever the rules
DEPTH = 60  # rules that may fire within each other

Make = Callable[[str, tuple[Node, ...], Node], Node]  # kind, arguments, and a node that has the data and the sort


# --- finding what applies -------------------------------------------------------------------


class Match:
    """Where a pattern stands in an expression: its operands, its literals, and the sorts of its levels."""

    __slots__ = ("literals", "operands", "sorts")

    def __init__(self, operands: list[Node | None], literals: dict[int, Node], sorts: list[AnySort | None]) -> None:
        self.operands = operands
        self.literals = literals
        self.sorts = sorts

    def fits(self, goals: list[tuple[Pattern, Node]]) -> bool:
        """Whether every pattern fits its node; what was found is kept. `goals` is used up."""
        operands, sorts = self.operands, self.sorts
        while goals:
            pattern, current = goals.pop()
            kind, level = pattern.kind, pattern.level
            have = sorts[level]
            if have is None:
                sorts[level] = current.sort
            elif have is not current.sort:  # sorts of words are single objects
                return False
            if kind == current.kind:
                arguments, nodes = pattern.arguments, current.args
                if pattern.swaps and arguments[0].may_be(nodes[1].kind) and arguments[1].may_be(nodes[0].kind):
                    straight = Match(operands.copy(), self.literals.copy(), sorts.copy())
                    if straight.fits([*goals, (arguments[0], nodes[0]), (arguments[1], nodes[1])]):
                        self.operands, self.literals, self.sorts = straight.operands, straight.literals, straight.sorts
                        return True
                    nodes = nodes[::-1]
                for part, argument in zip(arguments, nodes, strict=True):
                    if not part.may_be(argument.kind):
                        return False
                    goals.append((part, argument))
            elif kind == "word" or (kind == "constant" and current.kind == "const"):
                operand = operands[pattern.data]
                if operand is None:
                    operands[pattern.data] = current
                elif operand is not current:
                    return False
            elif kind == "literal" and current.kind == "const":
                self.literals[pattern.data] = current
            else:
                return False
        return True


class _Exact:
    """A rule read at given sorts: its literals, its condition, and how its right side is built."""

    def __init__(self, rule: Rule, sorts: Sorts) -> None:
        left = rule.left_at(sorts)
        self.literals = literals_of(left.results[0])
        self.holds = Evaluator([left.requirements[0].condition]) if left.requirements else None
        self._rule, self._sorts = rule, sorts

    @cached_property
    def steps(self) -> list[Node]:
        """The nodes of the right side, the whole of it last."""
        return list(postorder(self._rule.right_at(self._sorts).results))

    def build(self, operands: Sequence[Node | None], make: Make) -> Node:
        """The right side for these operands."""
        done: dict[Node, Node] = {}
        for step in self.steps:
            if step.kind == "input":
                assert step.data is not None
                operand = operands[step.data]
                assert operand is not None
                done[step] = operand
            else:
                done[step] = make(step.kind, tuple([done[arg] for arg in step.args]), step)
        return done[self.steps[-1]]


@cache
def _read_at(rule: Rule, *sorts: AnySort | None) -> _Exact | None:
    """The rule for a match's sorts, in the order of its levels; None if it does not speak of such."""
    wide = sorts[0]
    if wide is None:  # about conditions alone
        return _Exact(rule, Sorts(WIDE, MIDDLE, NARROW))
    assert isinstance(wide, Sort)
    if wide.kind not in rule.kinds or wide.width > 64:
        return None
    read = [sort if isinstance(sort, Sort) else wide for sort in sorts[:3]]
    return _Exact(rule, Sorts(*[integer(sort.width, True) if sort.kind == "bits" else sort for sort in read]))


class RuleBook:
    """Rules in an index by the kinds of their root, its operands, and theirs."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._by_root: dict[str, list[tuple[Rule, Pattern]]] = defaultdict(list)
        self._found: dict[object, list[tuple[Rule, Pattern]]] = {}
        for rule in rules:
            self._by_root[rule.pattern.kind].append((rule, rule.pattern))

    def _candidates(self, current: Node) -> list[tuple[Rule, Pattern]]:
        key = (current.kind, *[(arg.kind, *[inner.kind for inner in arg.args]) for arg in current.args])
        found = self._found.get(key)
        if found is None:
            found = [entry for entry in self._by_root[current.kind] if _plausible(entry[1], current, 2)]
            self._found[key] = found
        return found

    def apply(self, current: Node, make: Make) -> Node | None:
        """What the first rule that fits makes of a node; `make` builds nodes of the right side."""
        for rule, pattern in self._candidates(current):
            match = Match([None] * rule.operands, {}, [None, None, None, boolean])
            if not match.fits([(pattern, current)]):
                continue
            exact = _read_at(rule, *match.sorts)
            if exact is None or any(match.literals[k] is not literal for k, literal in enumerate(exact.literals)):
                continue
            operands = match.operands
            if exact.holds is not None:
                (holds,) = exact.holds([None if operand is None else operand.data for operand in operands])
                if not holds:
                    continue
            return exact.build(operands, make)
        return None


def _plausible(pattern: Pattern, current: Node, depth: int) -> bool:
    """Whether the kinds alone rule a pattern out, so many levels down."""
    if not pattern.may_be(current.kind):
        return False
    if depth == 0 or not pattern.arguments:
        return True

    def fit(nodes: Sequence[Node]) -> bool:
        return all(_plausible(part, arg, depth - 1) for part, arg in zip(pattern.arguments, nodes, strict=True))

    return fit(current.args) or (pattern.swaps and fit(current.args[::-1]))


# --- applying -------------------------------------------------------------------------------


@cache
def rule_book() -> RuleBook:
    from lanewise.engines.identities import RULES

    return RuleBook(RULES)


def simplify(function: Function) -> Function:
    """The same results for every input, and the same elements that break a requirement, by a shorter way."""
    roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
    changed = Simplifier(rule_book()).rewrite(roots)
    results = tuple(changed[: len(function.results)])
    requirements = tuple(
        Requirement(condition, requirement.reason)
        for condition, requirement in zip(changed[len(results) :], function.requirements, strict=True)
        if condition is not TRUE
    )
    return Function(function.inputs, function.outputs, results, requirements)


class Simplifier:
    """One pass over some expressions; remembers what it made of every node."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._done: dict[Node, Node] = {}
        self.fired = 0
        self._most = 0
        self._depth = 0

    def rewrite(self, roots: Sequence[Node]) -> list[Node]:
        order = list(postorder(roots))
        self._most = self.fired + FIRINGS * len(order)
        done: dict[Node, Node] = {}
        for current in order:
            if current.args:
                done[current] = self._make(current.kind, tuple(done[arg] for arg in current.args), current)
            else:
                done[current] = current
        return [done[root] for root in roots]

    def _make(self, kind: str, arguments: tuple[Node, ...], like: Node) -> Node:
        """The node of that kind, or what is shorter; the arguments are as short as they get."""
        if not arguments:
            return like
        made = node(kind, *arguments, data=like.data, sort=like.sort)
        found = self._done.get(made)
        if found is None:
            found = self._done[made] = self._shortest(made)
        return found

    def _shortest(self, made: Node) -> Node:
        if all(arg.kind == "const" for arg in made.args):
            assert isinstance(made.sort, Sort)
            return constant(EXACT[made.kind](made, *(arg.data for arg in made.args)), made.sort)
        if self.fired >= self._most or self._depth >= DEPTH:
            return made
        self._depth += 1
        shorter = self._book.apply(made, self._make)
        self._depth -= 1
        if shorter is None:
            return made
        self.fired += 1
        return shorter


__all__ = ["Rule", "RuleBook", "Simplifier", "simplify"]
