"""The profile and the extensions that a TOSA graph needs."""

from __future__ import annotations

from lanewise.graph.check import operand_sorts
from lanewise.graph.model import Model
from lanewise.language.sorts import bf16, f16
from lanewise.operators import catalogue
from lanewise.operators.tosa.rows import FP, INT

HALVES = (f16, bf16)  # types of the text of 0.23.0 that its files have no number for
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


def kept_from_files(model: Model) -> list[str]:
    """What to do if a file is wanted of a graph whose types the files of its version do not have."""
    sorts = {kind.sort for kind in model.types.values()}
    names = [sort.name for sort in HALVES if sort in sorts]
    if not names or str(model.version) != "0.23.0":
        return []
    listed = " and ".join(names)
    return [f"a .tosa file of 0.23.0 cannot hold {listed}; to save the graph, lower to version 1.0, whose files can"]


def _extension(profiles: frozenset[str]) -> str | None:
    """The extension that alone has a row."""
    return next(iter(profiles)) if len(profiles) == 1 and next(iter(profiles)).startswith("EXT-") else None
