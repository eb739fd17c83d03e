"""What the writers of text are given, and the walk that they share: one numbered step for each node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lanewise.engines.text.names import RESERVED, comment_text, distinct
from lanewise.engines.text.settled import settle
from lanewise.language.errors import UnsupportedError
from lanewise.language.nodes import Node, postorder
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.language.words import Function


@dataclass(frozen=True)
class Unit:
    """One function of one element under the name that it gets in the text.

    `operands` are the names of the function's inputs; `tables` the entries (patterns) of inputs that are
    known tables, by index; `about` is what the head of the text says of it, line by line.
    """

    name: str
    function: Function
    operands: tuple[str, ...]
    about: tuple[str, ...]
    tables: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Operand:
    """An input of the function in the text: its name, its type, and the entries if it is a known table."""

    name: str
    sort: AnySort
    entries: tuple[int, ...] | None = None


Rule = Callable[..., str]  # takes the writer, the node and its arguments as text; gives an expression


class Writer:
    """Turns a function into steps; a language says how a constant, a step and a rule look.

    `helpers` collects the small functions that the steps call, by name, in the order of their first use.
    """

    language = ""

    def __init__(self, unit: Unit, rules: Mapping[str, Rule]) -> None:
        self.unit = unit
        self.rules = rules
        self.function = settle(unit.function)
        self.helpers: dict[str, str] = {}
        self.used: set[int] = set()  # operands that a step reads
        names = distinct(unit.operands, RESERVED | {unit.name})
        self.operands = [
            Operand(name, sort, tuple(unit.tables[k]) if k in unit.tables else None)
            for k, (name, sort) in enumerate(zip(names, self.function.inputs, strict=True))
        ]
        roots = [*self.function.results, *(requirement.condition for requirement in self.function.requirements)]
        read = {node.data for node in postorder(roots) if node.kind == "input"}
        for k, sort in enumerate(self.function.inputs):
            if k in read or not self.carries(sort):
                self.accepts(sort)
        for sort in self.function.outputs:
            self.accepts(sort)

    def accepts(self, sort: AnySort) -> None:
        """Refuses a sort that the language cannot hold exactly."""

    def carries(self, sort: AnySort) -> bool:
        """Whether an operand that nothing reads may be of a sort that the language has not otherwise."""
        return False

    def constant(self, pattern: int, sort: Sort) -> str:
        raise NotImplementedError

    def step(self, name: str, node: Node, expression: str) -> str:
        """The line that gives a node's value a name."""
        raise NotImplementedError

    def refuse(self, what: str, why: str) -> UnsupportedError:
        return UnsupportedError(f"{self.unit.name}: {what} cannot be written in {self.language}: {why}")

    def steps(self) -> tuple[list[str], str, list[tuple[str, str]]]:
        """The lines, the name of the result's pattern, and for each requirement its condition and reason."""
        texts: dict[Node, str] = {}
        lines: list[str] = []
        result = self.function.results[0]
        conditions = [requirement.condition for requirement in self.function.requirements]
        count = 0
        for node in postorder([result, *conditions]):
            if isinstance(node.sort, Sort):
                self.accepts(node.sort)
            if node.kind == "input" and node.data is not None:
                self.used.add(node.data)
            expression = self.rules[node.kind](self, node, *(texts[arg] for arg in node.args))
            if node.args:
                count += 1
                texts[node] = f"s{count}"
                lines.append(self.step(texts[node], node, expression))
            else:
                texts[node] = expression
        checks = [
            (texts[condition], comment_text(requirement.reason))
            for condition, requirement in zip(conditions, self.function.requirements, strict=True)
        ]
        return lines, texts[result], checks

    def head(self) -> list[str]:
        return [comment_text(line) for line in self.unit.about]


def width(node: Node) -> int:
    return sort(node).width


def sort(node: Node) -> Sort:
    assert isinstance(node.sort, Sort)
    return node.sort


def length(node: Node) -> int:
    """How many entries a table has."""
    assert isinstance(node.sort, ArraySort)
    return node.sort.length


def constant_of(node: Node) -> int | None:
    """The pattern of a constant, None for every other node."""
    return node.data if node.kind == "const" else None


def of_type(sort: AnySort) -> Any:
    """The element type of an operand, of a table's entries."""
    return sort.element if isinstance(sort, ArraySort) else sort


def rows_of(texts: Sequence[str], indent: str, limit: int = 100) -> list[str]:
    """Texts with commas between them, as many on a line as fit."""
    lines, line = [], indent
    for k, text in enumerate(texts):
        piece = text + (", " if k + 1 < len(texts) else "")
        if len(line) + len(piece) > limit:
            lines.append(line.rstrip())
            line = indent
        line += piece
    return [*lines, line]
