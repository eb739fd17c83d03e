"""What a lowering did, node by node, and what its user must know: as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One node of the source: the rule used, the operators it became, and how sure that is."""

    place: str  # as messages name the node
    source: str  # operator, types and attributes
    operators: tuple[str, ...]  # of the target, in order
    proof: str  # "proven …", or what is only bounded
    bound: str | None = None


@dataclass(frozen=True)
class Change:
    """A tensor of the interface that is not what it was."""

    kind: str  # "input" or "output"
    name: str
    names: tuple[str, ...]  # in the target
    change: str


@dataclass
class Report:
    """Every node and every change of the interface of one lowering."""

    source: str
    target: str
    steps: list[Step] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether every node is lowered bit for bit."""
        return all(step.bound is None for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        """The stable form: see docs/json.md."""
        return {
            "source": self.source,
            "target": self.target,
            "exact": self.exact,
            "nodes": [
                {
                    "node": step.place,
                    "source": step.source,
                    "operators": list(step.operators),
                    "proof": step.proof,
                    "bound": step.bound,
                }
                for step in self.steps
            ],
            "interface": [
                {"kind": change.kind, "name": change.name, "names": list(change.names), "change": change.change}
                for change in self.changes
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"{self.source} to {self.target}: {'exact' if self.exact else 'exact but for what is bounded'}"]
        for step in self.steps:
            became = ", ".join(_counted(step.operators)) or "nothing"
            lines += [f"  {step.place}: {step.source}", f"    becomes {became}", f"    {step.proof}"]
            if step.bound is not None:
                lines.append(f"    bounded: {step.bound}")
        lines += [f"  {c.kind} {c.name!r}: {c.change} ({', '.join(map(repr, c.names))})" for c in self.changes]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def _counted(operators: tuple[str, ...]) -> list[str]:
    """Each operator once, with how often it stands there."""
    return [name if (count := operators.count(name)) == 1 else f"{count} {name}" for name in dict.fromkeys(operators)]
