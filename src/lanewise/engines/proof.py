"""Expressions as z3 terms, and the question whether two definitions can differ.

Words are bit vectors with SMT-LIB's meaning, which the node kinds share; floats are z3's IEEE 754
floats, which have one NaN. What z3 has no theory of (`fpow`, `frem`), and on request wide products,
quotients and float arithmetic, are unknown functions with a few facts about them: what is proven so
holds for the real ones, but a counterexample need not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from lanewise.language import floats
from lanewise.language.nodes import Node, postorder
from lanewise.language.sorts import AnySort, ArraySort, Sort, carrier
from lanewise.language.words import Function

Term = Any
Patterns = tuple[Any, ...]  # one pattern for each operand; a sequence of patterns for a table

ABSTRACT_FROM = 12  # width from which a product or a quotient may be left abstract
NEVER_KNOWN = {"fpow", "frem"}
HARD_WORDS = {"mul", "udiv", "urem", "sdiv", "srem"}
COMPUTED_AT = 32  # narrower products and quotients are read as the low bits of ones of this width, which they are
HARD_FLOATS = {"fadd", "fsub", "fmul", "fdiv", "fcvt", "stof", "utof", "ftos", "ftou", "frint"}

_RNE, _RTZ = z3.RNE, z3.RTZ


def solver_version() -> str:
    return f"z3 {z3.get_version_string()}"


def _sort(sort: Sort) -> Any:
    if sort.kind == "bool":
        return z3.BoolSort()
    if sort.kind == "float":
        return z3.FPSort(sort.exponent_bits, sort.width - sort.exponent_bits)
    return z3.BitVecSort(sort.width)


def _element(node: Node) -> Sort:
    assert isinstance(node.sort, Sort)
    return node.sort


def _const(node: Node) -> Term:
    sort = _element(node)
    if sort.kind == "bool":
        return z3.BoolVal(bool(node.data))
    if sort.kind == "float":
        return z3.fpBVToFP(z3.BitVecVal(node.data, sort.width), _sort(sort))
    return z3.BitVecVal(node.data, sort.width)


def _clz(node: Node, a: Term) -> Term:
    width = _element(node).width
    result = z3.BitVecVal(width, width)
    for place in range(width):  # the highest one decides last
        result = z3.If(z3.Extract(place, place, a) == 1, z3.BitVecVal(width - 1 - place, width), result)
    return result


def _both(words: Callable[[Term, Term], Term], booleans: Callable[[Term, Term], Term]) -> Callable[..., Term]:
    return lambda node, a, b: (booleans if _element(node).kind == "bool" else words)(a, b)


def _to_integer(node: Node, a: Term, signed: bool) -> Term:
    """Towards zero, saturated, 0 for NaN; z3 leaves what does not fit open."""
    width, source = _element(node).width, _element(node.args[0])
    lowest, highest = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)

    def bound(value: int) -> Term:
        pattern = floats.encode(value, source)  # beyond the format it is infinite, and only infinity reaches it
        return z3.fpBVToFP(z3.BitVecVal(pattern, source.width), _sort(source))

    converted = (z3.fpToSBV if signed else z3.fpToUBV)(_RTZ(), a, z3.BitVecSort(width))
    inside = z3.If(
        z3.fpGEQ(a, bound(highest + 1)),
        z3.BitVecVal(highest, width),
        z3.If(z3.fpLEQ(a, bound(lowest)), z3.BitVecVal(lowest, width), converted),
    )
    return z3.If(z3.fpIsNaN(a), z3.BitVecVal(0, width), inside)


def _lookup(node: Node, table: Term, index: Term) -> Term:
    array = node.args[0].sort
    assert isinstance(array, ArraySort)
    width = _element(node.args[1]).width
    entry = z3.Select(table, z3.ZeroExt(TABLE_INDEX - width, index))
    if array.length >= 1 << width:
        return entry
    return z3.If(z3.ULT(index, array.length), entry, z3.BitVecVal(0, array.element.width))


TABLE_INDEX = 16  # bits of a table's index; the longest table has 513 entries

RULES: dict[str, Callable[..., Term]] = {
    "const": _const,
    "add": lambda node, a, b: a + b,
    "sub": lambda node, a, b: a - b,
    "mul": lambda node, a, b: a * b,
    "udiv": lambda node, a, b: z3.UDiv(a, b),
    "urem": lambda node, a, b: z3.URem(a, b),
    "sdiv": lambda node, a, b: a / b,
    "srem": lambda node, a, b: z3.SRem(a, b),
    "shl": lambda node, a, b: a << b,
    "lshr": lambda node, a, b: z3.LShR(a, b),
    "ashr": lambda node, a, b: a >> b,
    "clz": _clz,
    "and": _both(lambda a, b: a & b, z3.And),
    "or": _both(lambda a, b: a | b, z3.Or),
    "xor": _both(lambda a, b: a ^ b, z3.Xor),
    "not": lambda node, a: z3.Not(a) if _element(node).kind == "bool" else ~a,
    "eq": lambda node, a, b: a == b,
    "ult": lambda node, a, b: z3.ULT(a, b),
    "ule": lambda node, a, b: z3.ULE(a, b),
    "slt": lambda node, a, b: a < b,
    "sle": lambda node, a, b: a <= b,
    "zext": lambda node, a: z3.ZeroExt(_element(node).width - a.size(), a),
    "sext": lambda node, a: z3.SignExt(_element(node).width - a.size(), a),
    "trunc": lambda node, a: z3.Extract(_element(node).width - 1, 0, a),
    "ite": lambda node, condition, a, b: z3.If(condition, a, b),
    "fadd": lambda node, a, b: z3.fpAdd(_RNE(), a, b),
    "fsub": lambda node, a, b: z3.fpSub(_RNE(), a, b),
    "fmul": lambda node, a, b: z3.fpMul(_RNE(), a, b),
    "fdiv": lambda node, a, b: z3.fpDiv(_RNE(), a, b),
    "fneg": lambda node, a: z3.fpNeg(a),
    "fabs": lambda node, a: z3.fpAbs(a),
    "frint": lambda node, a: z3.fpRoundToIntegral(_RNE(), a),
    "feq": lambda node, a, b: z3.fpEQ(a, b),
    "flt": lambda node, a, b: z3.fpLT(a, b),
    "fle": lambda node, a, b: z3.fpLEQ(a, b),
    "fcvt": lambda node, a: z3.fpFPToFP(_RNE(), a, _sort(_element(node))),
    "stof": lambda node, a: z3.fpSignedToFP(_RNE(), a, _sort(_element(node))),
    "utof": lambda node, a: z3.fpUnsignedToFP(_RNE(), a, _sort(_element(node))),
    "ftos": lambda node, a: _to_integer(node, a, signed=True),
    "ftou": lambda node, a: _to_integer(node, a, signed=False),
    "lookup": _lookup,
    # Unknown functions: z3 has no theory of them.
    "frem": lambda node, a, b: _unknown(node)(a, b),
    "fpow": lambda node, a, b: _unknown(node)(a, b),
}


def _unknown(node: Node) -> Any:  # a function of the node's sorts
    sorts = [_sort(_element(arg)) for arg in node.args]
    names = "_".join(_element(arg).name for arg in node.args)
    return z3.Function(f"{node.kind}_{names}_{_element(node).name}", *sorts, _sort(_element(node)))


class Reader:
    """Terms of nodes over given operands; what is left abstract brings its facts along."""

    def __init__(self, operands: Sequence[Term], abstract: bool) -> None:
        self.operands = operands
        self.abstract = abstract
        self.facts: list[Term] = []
        self.left_abstract = False
        self._terms: dict[Node, Term] = {}

    def terms(self, roots: Sequence[Node]) -> list[Term]:
        for current in postorder(roots):
            if current not in self._terms:
                arguments = [self._terms[arg] for arg in current.args]
                self._terms[current] = self._term(current, arguments)
        return [self._terms[root] for root in roots]

    def _term(self, node: Node, arguments: list[Term]) -> Term:
        if node.kind == "input":
            assert node.data is not None
            return self.operands[node.data]
        if node.kind in NEVER_KNOWN:
            self.left_abstract = True
        elif self.abstract and self._is_hard(node):
            self.left_abstract = True
            if node.kind in HARD_WORDS and arguments[0].size() < COMPUTED_AT:
                return self._computed_wider(node, *arguments)
            result = _unknown(node)(*arguments)
            if node.kind in ("mul", "fadd", "fmul"):
                self.facts.append(result == _unknown(node)(*reversed(arguments)))
            if node.kind in HARD_WORDS:
                self._state_facts(node.kind, _element(node).name, result, *arguments)
            return result
        return RULES[node.kind](node, *arguments)

    def _is_hard(self, node: Node) -> bool:
        if node.kind in HARD_WORDS:
            # With a constant it is a few shifts and sums, which the solver sees through.
            return _element(node).width >= ABSTRACT_FROM and not any(arg.kind == "const" for arg in node.args)
        return node.kind in HARD_FLOATS

    def _computed_wider(self, node: Node, a: Term, b: Term) -> Term:
        """A narrow product or quotient as the low bits of a wide one, so that all widths have one function."""
        missing = COMPUTED_AT - a.size()
        signed, unsigned = (tuple(extend(missing, term) for term in (a, b)) for extend in (z3.SignExt, z3.ZeroExt))
        highest = _element(node).width - 1
        results = []
        # The low bits of a product are the same with and without signs.
        for operands in {"mul": (signed, unsigned), "s": (signed,), "u": (unsigned,)}[
            "mul" if node.kind == "mul" else node.kind[0]
        ]:
            words = f"bits{COMPUTED_AT}"
            wide = z3.Function(f"{node.kind}_{words}_{words}_{words}", *[operands[0].sort()] * 3)
            self._state_facts(node.kind, words, wide(*operands), *operands)
            if node.kind == "mul":
                self.facts.append(wide(*operands) == wide(*reversed(operands)))
            results.append(z3.Extract(highest, 0, wide(*operands)))
        self.facts += [result == results[0] for result in results[1:]]
        return results[0]

    def _state_facts(self, kind: str, words: str, result: Term, a: Term, b: Term) -> None:
        """What is true of products and quotients for special operands, and how a remainder belongs to a quotient."""
        zero, one = z3.BitVecVal(0, a.size()), z3.BitVecVal(1, a.size())
        if kind == "mul":
            for x, y in ((a, b), (b, a)):
                self.facts += [z3.Implies(x == 0, result == 0), z3.Implies(x == 1, result == y)]
                self.facts += [z3.Implies(x == -1, result == -y)]
            # Numbers of half the width have a product that fits, with the sign that signs make.
            half = 1 << (a.size() // 2 - 1)
            halves = z3.And(*[z3.And(x >= -half, x <= half - 1) for x in (a, b)])
            signs = z3.Or(result == 0, (result < 0) == z3.Xor(a < 0, b < 0))
            self.facts.append(z3.Implies(halves, z3.And(result >= -half * half, result <= half * half, signs)))
            return
        for_one, for_minus_one, for_zero = {
            "udiv": (a, None, ~zero),
            "urem": (zero, None, a),
            "sdiv": (a, -a, z3.If(a < 0, one, ~zero)),
            "srem": (zero, zero, a),
        }[kind]
        self.facts += [z3.Implies(b == 0, result == for_zero), z3.Implies(b == 1, result == for_one)]
        if kind.endswith("div"):
            sizes = [z3.If(x < 0, -x, x) if kind == "sdiv" else x for x in (a, b)]
            self.facts.append(z3.Implies(z3.ULT(*sizes), result == 0))
            size = z3.If(result < 0, -result, result) if kind == "sdiv" else result
            self.facts.append(z3.Implies(z3.UGE(sizes[1], 2), z3.ULE(size, z3.LShR(sizes[0], 1))))
        if kind.startswith("s"):  # without signs there is no difference
            same = z3.Function(f"u{kind[1:]}_{words}_{words}_{words}", *[a.sort()] * 3)(a, b)
            self.facts.append(z3.Implies(z3.And(a >= 0, b >= 0), result == same))
        if for_minus_one is not None:
            self.facts.append(z3.Implies(b == -1, result == for_minus_one))
        if kind.endswith("rem"):
            self._relate(kind, words, result, a, b)

    def _relate(self, kind: str, words: str, rest: Term, a: Term, b: Term) -> None:
        quotient = z3.Function(f"{kind[0]}div_{words}_{words}_{words}", *[a.sort()] * 3)(a, b)
        product = z3.Function(f"mul_{words}_{words}_{words}", *[a.sort()] * 3)
        self.facts += [rest == a - product(quotient, b), product(quotient, b) == product(b, quotient)]
        if kind == "urem":
            self.facts.append(z3.Implies(b != 0, z3.ULT(rest, b)))
        else:
            self.facts.append(z3.Or(rest == 0, (rest < 0) == (a < 0)))
            size = z3.If(rest < 0, -rest, rest)
            self.facts.append(z3.Implies(b != 0, z3.ULT(size, z3.If(b < 0, -b, b))))


# z3 counts its work in units of its own. As many are done in about a second: 1.2 to 7 million were, of 20 questions.
UNITS = 2_000_000
MOST_UNITS = (1 << 32) - 1  # that z3 takes for a limit
LONGEST = 10  # times as long, by the clock, as the work is to take: whatever z3 does not count ends, too


@dataclass(frozen=True)
class Answer:
    """`status`: "proven", "refuted" (then `operands` are patterns for which it fails) or "unknown".

    `seconds` is the work that was done for it, see `Question.ask`.
    """

    status: str
    operands: Patterns | None = None
    seconds: float = 0.0


class Question:
    """Can the operands meet all requirements of `source`, and yet `target` differ or break a requirement?"""

    def __init__(self, source: Function, target: Function, tables: Mapping[int, Sequence[int]], abstract: bool) -> None:
        assert source.inputs == target.inputs and source.outputs == target.outputs
        self.inputs = source.inputs
        self.operands = [_operand(k, sort) for k, sort in enumerate(source.inputs)]
        reader = Reader(self.operands, abstract)
        assumed = reader.terms([requirement.condition for requirement in source.requirements])
        wanted = reader.terms([requirement.condition for requirement in target.requirements])
        pairs = zip(reader.terms(source.results), reader.terms(target.results), strict=True)
        wanted += [a == b for a, b in pairs]  # for floats: the same value and sign, or both NaN
        self.left_abstract = reader.left_abstract
        entries = [
            z3.Select(self.operands[k], z3.BitVecVal(index, TABLE_INDEX)) == entry
            for k, table in tables.items()
            for index, entry in enumerate(table)
        ]
        self.claims = [*assumed, *entries, *reader.facts, z3.Not(z3.And(wanted))]

    def ask(self, seconds: float, more: Sequence[Term] = ()) -> Answer:
        """Whether the claims can hold together: then the theorem is refuted.

        `seconds` are those of a processor of its own, counted as work, so that the answer is the same on a machine that
        has more to do.
        """
        # z3's luck depends on what its context was asked before: each question has one of its own.
        context = z3.Context()
        solver = z3.Solver(ctx=context)
        solver.set("rlimit", min(max(1, int(seconds * UNITS)), MOST_UNITS))
        solver.set("timeout", min(max(1, int(seconds * LONGEST * 1000)), MOST_UNITS))
        solver.add(*(claim.translate(context) for claim in (*self.claims, *more)))
        found = solver.check()
        spent = _work(solver)
        if found == z3.unsat:
            return Answer("proven", seconds=spent)
        if found != z3.sat:
            return Answer("unknown", seconds=spent)
        model = solver.model()
        terms = [term.translate(context) for term in self.operands]
        operands = tuple(_pattern(model, term, sort) for term, sort in zip(terms, self.inputs, strict=True))
        return Answer("refuted", operands, spent)

    def smaller(self, operands: Patterns, seconds: float) -> Patterns:
        """A counterexample with operands as near to zero as so much work finds: fewer bits first, then one by one."""
        spent = 0.0
        words = [
            (k, term, sort)
            for k, (term, sort) in enumerate(zip(self.operands, self.inputs, strict=True))
            if isinstance(sort, Sort) and sort.kind == "int"
        ]

        def ask(more: Sequence[Term]) -> Patterns | None:
            nonlocal spent
            if spent >= seconds:
                return None
            answer = self.ask(seconds - spent, more)
            spent += answer.seconds
            return answer.operands

        limits: list[Term] = []
        for bits in range(max((sort.width for *_, sort in words), default=0)):
            found = ask([_magnitude_at_most(term, sort, (1 << bits) - 1) for _, term, sort in words])
            if found is not None:
                operands = found
                limits = [_magnitude_at_most(term, sort, (1 << bits) - 1) for _, term, sort in words]
                break
        for k, term, sort in words:
            low, high = 0, _magnitude(operands[k], sort)
            while low < high:
                middle = (low + high) // 2
                found = ask([*limits, _magnitude_at_most(term, sort, middle)])
                if found is None:
                    low = middle + 1
                else:
                    operands, high = found, _magnitude(found[k], sort)
            limits.append(_magnitude_at_most(term, sort, _magnitude(operands[k], sort)))
        return operands


def _work(solver: Any) -> float:
    """What a solver has done, in seconds of a processor of its own."""
    statistics = solver.statistics()
    return statistics.get_key_value("rlimit count") / UNITS if "rlimit count" in statistics.keys() else 0.0  # noqa: SIM118


def _magnitude(pattern: int, sort: Sort) -> int:
    if sort.signed and pattern >> (sort.width - 1):
        return (1 << sort.width) - pattern
    return pattern


def _magnitude_at_most(term: Term, sort: Sort, limit: int) -> Term:
    if not sort.signed:
        return z3.ULE(term, limit)
    return z3.And(term >= -limit, term <= limit) if limit < 1 << (sort.width - 1) else z3.BoolVal(True)


def _operand(index: int, sort: AnySort) -> Term:
    name = f"operand{index}"
    if isinstance(sort, ArraySort):
        element = carrier(sort.element)
        assert isinstance(element, Sort)
        return z3.Array(name, z3.BitVecSort(TABLE_INDEX), _sort(element))
    if sort.kind == "bool":
        return z3.Bool(name)
    return z3.FP(name, _sort(sort)) if sort.kind == "float" else z3.BitVec(name, sort.width)


def _pattern(model: Any, term: Term, sort: AnySort) -> Any:
    """The pattern that a model has for an operand."""
    if isinstance(sort, ArraySort):
        return tuple(
            model.eval(z3.Select(term, z3.BitVecVal(index, TABLE_INDEX, term.ctx)), model_completion=True).as_long()
            for index in range(sort.length)
        )
    value = model.eval(term, model_completion=True)
    if sort.kind == "bool":
        return int(z3.is_true(value))
    if sort.kind == "float":
        if z3.is_true(model.eval(z3.fpIsNaN(value, term.ctx))):
            return floats.quiet_nan(sort)
        return model.eval(z3.fpToIEEEBV(value, term.ctx), model_completion=True).as_long()
    return value.as_long()
