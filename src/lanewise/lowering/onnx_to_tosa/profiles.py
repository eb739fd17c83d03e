"""The profile and the extensions that a TOSA graph needs."""

from __future__ import annotations

from lanewise.graph.check import operand_sorts
from lanewise.graph.model import Model
from lanewise.operators import catalogue
from lanewise.operators.tosa.rows import FP, INT

BASES = {"0.23.0": ("BI", "MI", "MT"), "1.0": (INT, FP), "1.1": (INT, FP)}


def needed(model: Model) -> str:
    """What to ask of a target, in one sentence."""
    rows = [catalogue.row_of(node.operator, operand_sorts(node, model.types), node.attributes) for node in model.nodes]
    version = str(model.version)
    bases = [base for base in BASES[version] if all(base in row.profiles or _extension(row.profiles) for row in rows)]
    wanted = [bases[0]] if bases else list(BASES[version])
    extensions = {_extension(row.profiles) for row in rows} - {None}
    names = [*wanted, *sorted(str(name) for name in extensions)]
    return f"the lowered graph needs {','.join(names)} at TOSA {version}"


def _extension(profiles: frozenset[str]) -> str | None:
    """The extension that alone has a row."""
    return next(iter(profiles)) if len(profiles) == 1 and next(iter(profiles)).startswith("EXT-") else None
