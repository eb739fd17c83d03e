"""Random ONNX graphs, lowered to TOSA: does the lowered graph mean the same, and do others say so too?

    python -m tools.lowered_graphs [--graphs 1000] [--seed 0] [--reference-model VENV | --no-reference-model]
                                   [--json FILE]

Each graph of 1 to 10 nodes runs on inputs at the edges of the types, on any numbers, on small ones and on
all of them mixed. Lowered to TOSA 1.1 and to 0.23.0 it must give the same bits (any NaN for a NaN) and
break no requirement that it did not break before; 64-bit integers are int64 at 1.1, and pairs of int32 at
both. The public TOSA reference model runs the 1.1 files. ONNX Runtime runs the ONNX graph as it is and
lowered to opset 21, whole where every element of every node is defined and but for outputs that depend on
float16 numbers which it does not round, and node by node.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import lanewise as lw
from lanewise.graph.model import Node, Output
from lanewise.lowering.lower import Lowered
from tests.lowering.onnx_graphs import Inputs, draws, onnx_graph
from tools.onnx_runtime import NoKernel, OneNode, Session, all_defined, kept_wider
from tools.onnx_runtime import difference as onnx_difference
from tools.reference_model import ReferenceModel, describe, float_operators, reference_model
from tools.reference_model import difference as from_reference

TARGETS = (("1.1", None), ("1.1", "pairs"), ("0.23.0", "pairs"))  # pairs: of 64-bit integers only
OLDER_OPSET = 21
MODELLED = ("boundary", "random")  # inputs that the reference model runs on
OPERATORS, TYPES = "nodes by operator: ", "nodes by type: "
SAME, DIFFERENT = "same", "different"


class Run:
    """One graph on one set of inputs, with every tensor inside, as the oracle computes them."""

    def __init__(self, model: lw.Model, kind: str, inputs: Inputs) -> None:
        self.kind = kind
        self.inputs = inputs
        self.outcome = model.run(inputs, on_unpredictable="mask")
        inner = replace(model, outputs={node.output: Output(node.output) for node in model.nodes}).check()
        constants = {name: constant.array for name, constant in model.constants.items()}
        self.tensors = {**constants, **inputs, **inner.run(inputs, engine="exact").outputs}


class Trial:
    """What has become of one random graph: `counts` of every kind of answer, `faults` in words."""

    def __init__(self, model: lw.Model, seed: int, reference: ReferenceModel | None = None) -> None:
        self.model = model
        self.reference = reference
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.runs = [Run(model, kind, inputs) for kind, inputs in draws(model, seed)]
        self.counts["nodes"] += len(model.nodes)
        self.counts["runs"] += len(self.runs)
        for node in model.nodes:
            self.counts[f"{OPERATORS}{node.operator.name}"] += 1
            self.counts[f"{TYPES}{_deciding(model, node)}"] += 1
        self.counts["runs with violations before"] += sum(bool(run.outcome.violations) for run in self.runs)

    def complete(self) -> Trial:
        """Everything that there is to compare."""
        self.engines()
        for version, wide in TARGETS:
            if version != "1.1" or wide is None or has_wide(self.model):
                self.tosa(version, wide)
        self.onnx_runtime("ONNX Runtime, whole graph as it is", self.model)
        what = f"ONNX Runtime, whole graph lowered to opset {OLDER_OPSET}"
        lowered = self.lowered(what, to="onnx", version=OLDER_OPSET)
        if lowered is not None:
            self.onnx_runtime(what, lowered.model)
        self.nodes()
        return self

    def judged(self, what: str, faults: list[str]) -> None:
        """Counts an answer, once for the graph."""
        self.counts[f"{what}: {DIFFERENT if faults else SAME}"] += 1
        self.faults += [f"{what}: {fault}" for fault in faults]

    def lowered(self, what: str, **request: Any) -> Lowered | None:
        try:
            return lw.lower(self.model, **request)
        except lw.UnsupportedError as error:
            reason = re.sub(r"^.*?\((\w+)\): ", "", str(error))
            self.counts[f"{what}: refused"] += 1
            self.counts[f"{what}: refused: {reason}"] += 1
            return None

    def engines(self) -> None:
        faults = []
        for run in self.runs:
            inside = {name: run.tensors[output.tensor] for name, output in self.model.outputs.items()}
            faults += [f"{run.kind}: {found}" for found in differences(run.outcome.outputs, inside, {})]
        self.judged("native engine and oracle", faults)

    def tosa(self, version: str, wide: str | None) -> None:
        what = f"TOSA {version}{', pairs' if wide and version == '1.1' else ''}"
        lowered = self.lowered(what, to="tosa", version=version, wide=wide)
        if lowered is None:
            if version == "1.1" and self.reference is not None:
                self.counts[f"reference model, {what}: not run, the graph was refused"] += 1
            return
        self.counts[f"{what}: nodes"] += len(lowered.model.nodes)
        faults, modelled = [], []
        for run in self.runs:
            inputs = lowered.encode(run.inputs)
            outcome = lowered.model.run(inputs, on_unpredictable="mask")
            if outcome.violations and not run.outcome.violations:
                faults.append(f"{run.kind}: new violation: {outcome.violations[0]}")
            masks = run.outcome.unpredictable
            found = lowered.decode(outcome.outputs)
            faults += [f"{run.kind}: {found}" for found in differences(run.outcome.outputs, found, masks)]
            if version == "1.1" and run.kind in MODELLED and self.reference is not None:
                modelled.append((run, inputs, outcome.outputs))
        self.judged(what, faults)
        if self.reference is not None and modelled:
            self._reference(f"reference model, {what}", lowered.model, self.reference, modelled)

    def _reference(
        self, what: str, model: lw.Model, reference: ReferenceModel, runs: list[tuple[Run, Inputs, Inputs]]
    ) -> None:
        faults = []
        units = float_operators(model)
        for run, inputs, outputs in runs:
            with TemporaryDirectory() as root:
                folder = Path(root)
                describe(folder, model, inputs)
                status = reference.run(folder)
                if status != "valid":
                    faults.append(f"{run.kind}: the model says {status}")
                elif (found := from_reference(folder, outputs, lambda number: units)) is not None:
                    faults.append(f"{run.kind}: {found}")
        self.judged(what, faults)

    def onnx_runtime(self, what: str, model: lw.Model) -> None:
        runs = [run for run in self.runs if all_defined(self.model, run.tensors)]
        self.counts[f"{what}: runs"] += len(runs)
        if not runs:
            self.counts[f"{what}: not run, some element is not defined on all inputs"] += 1
            return
        try:
            session = Session(model)
        except NoKernel:
            self.counts[f"{what}: not implemented"] += 1
            return
        wider = kept_wider(self.model)
        left_out = {name for name, output in self.model.outputs.items() if output.tensor in wider}
        self.counts[f"{what}: outputs"] += len(self.model.outputs)
        self.counts[f"{what}: outputs left out, float16 is not rounded between nodes"] += len(left_out)
        if left_out == set(self.model.outputs):
            self.counts[f"{what}: not run, float16 is not rounded between nodes"] += 1
            return
        faults = []
        for run in runs:
            theirs = session.run(run.inputs)
            for name, ours in run.outcome.outputs.items():
                if name in left_out:
                    continue
                if (found := onnx_difference(ours, theirs[name])) is not None:
                    faults.append(f"{run.kind}: {name}: {found}")
        self.judged(what, faults)

    def nodes(self) -> None:
        """Every node alone, on the tensors that the graph gives it, where it is defined."""
        what = "ONNX Runtime, nodes one by one"
        for node in self.model.nodes:
            try:
                alone = OneNode(self.model, node)
            except NoKernel:
                self.counts[f"{what}: not implemented"] += 1
                self.counts[f"{what}: not implemented: {node.operator.name} {self.model.types[node.output].sort}"] += 1
                continue
            found = [f"{run.kind}: {node.place}: {d}" for run in self.runs if (d := alone.differs(run.tensors))]
            self.judged(what, found)


def has_wide(model: lw.Model) -> bool:
    """Whether a 64-bit integer is computed with; lists of sizes and axes are not."""
    names = {*model.inputs, *(node.output for node in model.nodes)}
    return any(getattr(model.types[name].sort, "width", 0) == 64 for name in names)


def _deciding(model: lw.Model, node: Node) -> str:
    """The type of a node's first operand; of Where's second."""
    name = node.inputs[1 if node.operator.name == "Where" else 0]
    assert name is not None
    return model.types[name].sort.name


def differences(
    before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray], masks: Mapping[str, Any]
) -> list[str]:
    """Where two sets of outputs differ in a bit, but for what was unpredictable before; any NaN equals any other."""
    faults = []
    for name, ours in before.items():
        theirs = after[name]
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            faults.append(f"{name}: {ours.dtype}{list(ours.shape)} became {theirs.dtype}{list(theirs.shape)}")
            continue
        same = bits(ours) == bits(theirs)
        if ours.dtype.kind == "f":
            same |= np.isnan(ours) & np.isnan(theirs)
        same |= masks.get(name, False)
        if not same.all():
            count, first = np.count_nonzero(~same), tuple(int(k) for k in np.argwhere(~same)[0])
            faults.append(
                f"{name}: {count} elements differ, first {list(first)}: {ours[first]!r} became {theirs[first]!r}"
            )
    return faults


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.dtype.itemsize}")


def nodes_of(number: int) -> int:
    return 1 + number % 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reference-model", type=Path, metavar="VENV", help="an environment with tosa-tools")
    parser.add_argument("--no-reference-model", action="store_true", help="leave the reference model out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts and what differs to a file")
    arguments = parser.parse_args()
    reference = None if arguments.no_reference_model else reference_model(arguments.reference_model)
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    different: dict[int, list[str]] = {}
    for number in range(arguments.graphs):
        seed = arguments.seed + number
        model = onnx_graph(seed, nodes_of(number))
        try:
            trial = Trial(model, seed, reference).complete()
            counts += trial.counts
            faults = trial.faults
        except Exception:  # whatever it is, it is a fault of this graph, and the others are to be run
            faults = [traceback.format_exc()]
        if sys.stderr.isatty():
            print(f"\r{number + 1:,} of {arguments.graphs:,}", end="", file=sys.stderr)
        if faults:
            different[seed] = faults
            print(f"seed {seed}, {nodes_of(number)} nodes:", *faults, str(model), sep="\n  ", flush=True)
    counts["graphs"] = arguments.graphs
    counts["graphs in which anything differs"] = len(different)
    for heading in (OPERATORS, TYPES):
        found = {what.removeprefix(heading): count for what, count in counts.items() if what.startswith(heading)}
        print(heading + ", ".join(f"{what} {found[what]:,}" for what in sorted(found)))
    for what in sorted(counts):
        if not what.startswith((OPERATORS, TYPES)):
            print(f"{counts[what]:8,}  {what}")
    if arguments.json is not None:
        report = {"seed": arguments.seed, "counts": dict(sorted(counts.items())), "different": different}
        arguments.json.write_text(json.dumps(report, indent=2))
    print(summary(counts, time.perf_counter() - started))
    return 1 if different else 0


def summary(counts: Mapping[str, int], seconds: float) -> str:
    """The run in one line."""
    parts = [
        f"{what} {counts.get(f'{what}: {SAME}', 0):,} same and {counts.get(f'{what}: {DIFFERENT}', 0):,} different"
        for what in sorted({what.split(": ")[0] for what in counts if what.endswith((f": {SAME}", f": {DIFFERENT}"))})
    ]
    return f"{counts['graphs']:,} graphs in {seconds:,.0f} s: {'; '.join(parts)}"


if __name__ == "__main__":
    sys.exit(main())
