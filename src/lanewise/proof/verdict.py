"""What a proof says: proven (how), refuted (by what), or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lanewise.engines.exact import Evaluator, number
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.language.words import Function

PROVEN, REFUTED, UNKNOWN = "proven", "refuted", "unknown"


@dataclass(frozen=True)
class Counterexample:
    """An element that meets the source's requirements and for which the target fails: values, results, reason."""

    names: tuple[str, ...]
    types: tuple[AnySort, ...]
    operands: tuple[Any, ...]  # patterns
    values: tuple[Any, ...]
    output: Sort
    source: int  # the pattern of the source's result
    target: int
    broken: tuple[str, ...]  # requirements of the target that fail

    @property
    def source_value(self) -> int | float | bool:
        return number(self.source, self.output)

    @property
    def target_value(self) -> int | float | bool:
        return number(self.target, self.output)

    def __str__(self) -> str:
        lines = []
        width = max(map(len, (*self.names, "source", "target")))
        for name, sort, pattern, value in zip(self.names, self.types, self.operands, self.values, strict=True):
            if isinstance(sort, ArraySort):
                lines.append(f"{name:{width}} = {sort.name} {list(value)[:4]} …")
            else:
                lines.append(_line(name, width, value, pattern, sort))
        lines.append(_line("source", width, self.source_value, self.source, self.output))
        lines.append(_line("target", width, self.target_value, self.target, self.output))
        lines += [f'the target breaks "{reason}"' for reason in self.broken]
        return "\n".join(lines)


@dataclass(frozen=True)
class Verdict:
    """`status` is "proven", "refuted" or "unknown"; `method` says how it was found, and at which widths."""

    status: str
    method: str
    seconds: float
    counterexample: Counterexample | None = None

    def __bool__(self) -> bool:
        return self.status == PROVEN

    def __str__(self) -> str:
        head = f"{self.status} ({self.method}, {self.seconds:.2f} s)"
        return head if self.counterexample is None else f"{head}\n{self.counterexample}"


def counterexample(
    source: Function, target: Function, operands: tuple[Any, ...], names: Sequence[str] | None = None
) -> Counterexample:
    """What the oracle says of both sides for one element."""
    conditions = [requirement.condition for requirement in target.requirements]
    found = Evaluator([source.results[0], target.results[0], *conditions])(operands)
    values = tuple(_value(pattern, sort) for pattern, sort in zip(operands, source.inputs, strict=True))
    broken = tuple(
        dict.fromkeys(r.reason for r, holds in zip(target.requirements, found[2:], strict=True) if not holds)
    )
    listed = tuple(names) if names is not None else tuple(f"operand {k}" for k in range(len(operands)))
    return Counterexample(listed, source.inputs, operands, values, source.outputs[0], found[0], found[1], broken)


def _value(pattern: Any, sort: AnySort) -> Any:
    if isinstance(sort, ArraySort):
        return tuple(number(entry, sort.element) for entry in pattern)
    return number(pattern, sort)


def _line(name: str, width: int, value: Any, pattern: int, sort: Sort) -> str:
    bits = f"{pattern:0{sort.width}b}"
    grouped = "_".join(bits[max(0, end - 8) : end] for end in range(len(bits) % 8 or 8, len(bits) + 1, 8))
    return f"{name:{width}} = {value}  ({sort.name} {grouped})"
