"""Random TOSA graphs, written by lanewise, run by the public reference model: the same status and numbers?

    python -m tools.against_reference_model [--graphs 500] [--version 1.1] [--tools FOLDER]

The model comes from the PyPI package tosa-tools (made on first use in .tosa-tools). Integers and
booleans must be equal; a float may be one unit in the last place away for each float operator on its
way, and as far as POW's bound allows for each POW.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import lanewise as lw
from lanewise.conformance.suite import power_bound
from lanewise.engines.storage import sort_of
from tests.graph.random_graphs import Generator
from tools.reference_model import describe, difference, float_operators, reference_model

# Requirements that the model does not check: it calls such graphs valid.
UNCHECKED = {
    ("CAST", "input is not NaN"),
    ("RESCALE", "-2 ** (shift - 1) <= value < 2 ** (shift - 1)"),  # with INEXACT_ROUND
}


def compare(folder: Path, model: lw.Model, inputs: dict[str, np.ndarray], theirs: str) -> str:
    """ "same", or what differs."""
    outcome = model.run(inputs, on_unpredictable="mask")
    if theirs.startswith("ended") and outcome.status is lw.Status.UNPREDICTABLE:
        return "same (the model died on it)"
    broken = {(violation.operator, violation.requirement) for violation in outcome.violations}
    if theirs == "valid" and broken and broken <= UNCHECKED:
        return "same but for a requirement that the model does not check"
    if theirs != outcome.status.value:
        return f"status: lanewise {outcome.status.value}, model {theirs}"
    if outcome.status is not lw.Status.VALID:
        return "same"
    steps = float_operators(model)
    powers = sum(node.operator.name == "POW" for node in model.nodes)
    for name, ours in outcome.outputs.items():
        sort = sort_of(ours.dtype)
        assert sort is not None
        found = difference(
            folder,
            {name: ours},
            lambda number, sort=sort: steps + powers * power_bound(number, sort) if powers else steps,
        )
        if found is not None:
            return found
    return "same"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--version", default="1.1", choices=("1.0", "1.1"))
    parser.add_argument("--tools", type=Path, help="a virtual environment with tosa-tools")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    reference = reference_model(arguments.tools)
    results: Counter[str] = Counter()
    with TemporaryDirectory() as root, ThreadPoolExecutor(2) as pool:

        def one(number: int) -> tuple[int, str, str]:
            seed = arguments.seed + number
            generator = Generator("tosa", seed, arguments.version, calm=number % 4 != 0, modelled=True)
            model, inputs = generator.model(1 + number % 12)
            folder = Path(root) / str(number)
            folder.mkdir()
            describe(folder, model, inputs)
            theirs = reference.run(folder)
            return number, compare(folder, model, inputs, theirs), f"{model}\nmodel: {theirs}"

        for number, answer, text in pool.map(one, range(arguments.graphs)):
            results["same" if answer.startswith("same") else "different"] += 1
            results["unchecked"] += answer.endswith("does not check")
            results["died"] += answer.endswith("died on it)")
            if not answer.startswith("same"):
                print(f"graph {number}: {answer}\n{text}\n")
    print(
        f"{results['same']} of {arguments.graphs} graphs the same, {results['different']} different "
        f"(among the same: {results['unchecked']} where the model does not check a requirement that fails, "
        f"{results['died']} unpredictable ones on which it died)"
    )
    return 1 if results["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
