"""The record of what has been proven: `proven.json`, written by `lanewise prove --record`.

A theorem is known by a fingerprint of both definitions, so that a proof of something else, or of an
older form of a rule, is never taken for a proof of this one.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from lanewise.engines.claim import Claim
from lanewise.engines.simplify import simplify
from lanewise.engines.sweep import exhaustive
from lanewise.language.nodes import Node, postorder
from lanewise.language.words import Function
from lanewise.lowering.rule import Direction, Source

PLACE = Path(__file__).with_name("proven.json")
EVIDENT = "proven: one expression by the simplifier's rules, each of them a theorem"
TRIED_BITS = 16  # inputs of so few bits are tried on the spot: attributes may have any value
UNPROVEN = "not among the recorded proofs; 'lanewise prove A B' proves the two graphs"


def fingerprint(source: Function, target: Function) -> str:
    """One text for one theorem: the two definitions, their requirements and their types."""
    digest = hashlib.sha256()
    for function in (source, target):
        roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
        number: dict[Node, int] = {}
        for current in postorder(roots):
            number[current] = len(number)
            arguments = ",".join(str(number[arg]) for arg in current.args)
            digest.update(f"{current.kind}({arguments}){current.data}:{current.sort}\n".encode())
        digest.update(f"{[number[root] for root in roots]}{function.inputs}{function.outputs}\n".encode())
    return digest.hexdigest()[:24]


def proof_of(direction: Direction, source: Source) -> str:
    """How a rule is known to be right for a node: the widths and the method, or that it is not proven."""
    before, after = source.function(), direction.lowered(source)
    recorded = proofs().get(fingerprint(before, after))
    if recorded is not None:
        return f"proven: {recorded}"
    if evident(before, after):
        return EVIDENT
    claim = Claim(before, after)
    if claim.input_bits is not None and claim.input_bits <= TRIED_BITS and exhaustive(claim)[0] is None:
        return f"proven: all {1 << claim.input_bits:,} inputs"
    return UNPROVEN


def evident(before: Function, after: Function) -> bool:
    """Whether the simplifier's rules make one expression of both, and no requirement is new."""
    before, after = simplify(before), simplify(after)
    assumed = {requirement.condition for requirement in before.requirements}
    return before.results == after.results and all(r.condition in assumed for r in after.requirements)


@cache
def proofs() -> dict[str, str]:
    """Fingerprint → how it was proven."""
    if not PLACE.exists():
        return {}
    found: dict[str, str] = json.loads(PLACE.read_text(encoding="utf-8"))["theorems"]
    return found


def record(theorems: dict[str, str], solver: str) -> None:
    """Writes the record anew."""
    lines = json.dumps({"solver": solver, "theorems": dict(sorted(theorems.items()))}, indent=1)
    PLACE.write_text(lines + "\n", encoding="utf-8")
    proofs.cache_clear()
