"""`prove_equal`: the public question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lanewise.graph.model import Model
from lanewise.language.errors import InvalidError, brief
from lanewise.proof.prove import SECONDS, decide
from lanewise.proof.subjects import claim_of_functions, claims_of_graphs
from lanewise.proof.verdict import PROVEN, REFUTED, UNKNOWN, Verdict
from lanewise.proof.witness import is_real

Subject = Callable[..., Any] | Model


def prove_equal(
    f: Subject,
    g: Subject,
    types: Sequence[Any] | None = None,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    seconds: float = SECONDS,
) -> Verdict:
    """Whether g may stand where f stands: a `Verdict`, true if that is proven.

    The theorem: for all operands that meet f's requirements, g's requirements hold, and both give the
    same result (for floats: the same value and sign of zero, or both NaN). `f` and `g` are functions
    written in `lanewise.words`, operators (`lanewise.tosa.add`, or one with attributes by
    `functools.partial`), or graphs with one output. `types` are the operands' element types, such as
    ["int8", "int8"]; graphs have their own. `shapes` are those of a graph's inputs, where sizes are open
    (otherwise an open size is taken to be 2).

    A verdict is "proven", "refuted" (with the smallest counterexample found: values, bits, both results,
    the requirement that breaks) or "unknown" after `seconds` for a question to the solver, counted as the work of an
    idle processor: the verdict is the same on a busy one, only later. InvalidError if
    the two cannot be compared; UnsupportedError if z3 is not installed (`pip install 'lanewise[prove]'`).
    """
    if isinstance(f, Model) and isinstance(g, Model):
        if types is not None:
            raise InvalidError("prove_equal: types are for functions; graphs have their own")
        for model in (f, g):
            if len(model.outputs) != 1:
                raise InvalidError(
                    f"prove_equal: {model.source} has {len(model.outputs)} outputs; prove_graphs takes several"
                )
        (verdict,) = prove_graphs(f, g, shapes=shapes, seconds=seconds).values()
        return verdict
    if isinstance(f, Model) or isinstance(g, Model) or not callable(f) or not callable(g):
        raise InvalidError(f"prove_equal: {brief(f)} and {brief(g)}; both must be functions of words, or both graphs")
    if not isinstance(types, Sequence) or isinstance(types, str):
        raise InvalidError("prove_equal: give the operands' types, such as ['int8', 'int8']")
    return decide(claim_of_functions(f, g, types), seconds)


def prove_graphs(
    source: Model, target: Model, *, shapes: Mapping[str, Sequence[int]] | None = None, seconds: float = SECONDS
) -> dict[str, Verdict]:
    """The verdict for every output of two graphs: see `prove_equal`."""
    verdicts = {}
    for found in claims_of_graphs(source, target, shapes or {}):
        verdict = decide(found.claim, seconds, found.names)
        example = verdict.counterexample
        if verdict.status == REFUTED and example is not None and not is_real(found, example.operands):
            # The same elements reach the output in several ways, or no inputs of the whole graph are valid.
            verdict = Verdict(
                UNKNOWN, "an element would differ, but no whole tensors were found that do", verdict.seconds
            )
        elif found.assumed:
            verdict = replace(verdict, method=f"{verdict.method}; {found.assumed}")
        verdicts[found.output] = verdict
    return verdicts


__all__ = ["PROVEN", "REFUTED", "UNKNOWN", "prove_equal", "prove_graphs"]
