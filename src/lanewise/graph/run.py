"""Running a graph on arrays: inputs in, loops, outputs and violations out."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from operator import itemgetter
from typing import Any

import numpy as np

from lanewise.engines.checks import checking
from lanewise.engines.exact import Evaluator, number
from lanewise.engines.exact_kernel import ExactKernel, patterns
from lanewise.engines.storage import dtype_of
from lanewise.graph.arrays import Array
from lanewise.graph.blocks import Group, breaks, grouped, key_of, outer_operands, planned, run_group
from lanewise.graph.check import deciding_tensors
from lanewise.graph.engines import kernel_maker
from lanewise.graph.inputs import take_inputs
from lanewise.graph.loops import Leaf, Loop, Plan
from lanewise.graph.model import Model, Node, Output
from lanewise.graph.plan import mask_name
from lanewise.graph.violations import Violation, element_at, locate, named_in
from lanewise.language import nodes
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.sorts import ArraySort, Sort

MODES = ("value", "mask", "raise")
KEPT_PLANS = 64
MAX_RANK = 64  # NumPy's: a shape or a list of axes has no more elements


Producer = tuple[int, Node]  # a node and its place in the graph


class Status(enum.Enum):
    """The verdict on a run, as the specifications know it."""

    VALID = "valid"
    UNPREDICTABLE = "unpredictable"
    ERROR = "error"


@dataclass(frozen=True)
class Outcome:
    """What a run gave.

    `outputs` holds an array for each graph output (none if the status is ERROR). `violations`
    lists every requirement that failed. `unpredictable` has, if asked for, a boolean array for
    each output: True where the element depends on a failed requirement. `error` is the reason of
    an ERROR.
    """

    status: Status
    outputs: Mapping[str, Array] = field(default_factory=dict)
    violations: Sequence[Violation] = ()
    unpredictable: Mapping[str, Array] = field(default_factory=dict)
    error: LanewiseError | None = None


def run(
    model: Model,
    inputs: Any,
    more: Sequence[Any],
    on_unpredictable: str,
    on_error: str,
    engine: str,
    max_tensor_bytes: int,
) -> Outcome:
    """See `Model.run`."""
    if on_unpredictable not in MODES:
        raise InvalidError(f"on_unpredictable is {on_unpredictable!r}; allowed: {', '.join(map(repr, MODES))}")
    if on_error not in ("raise", "status"):
        raise InvalidError(f"on_error is {on_error!r}; allowed: 'raise', 'status'")
    kernel_maker(engine)  # refuses what is no engine
    try:
        given = take_inputs(model, inputs, more)
        run_ = Execution(model, given, engine, on_unpredictable == "mask", max_tensor_bytes)
        outputs, unpredictable = run_.outputs()
    except LanewiseError as error:
        if on_error == "status" and isinstance(error, InvalidError):
            return Outcome(Status.ERROR, error=error)
        raise
    violations = run_.violations
    if violations and on_unpredictable == "raise":
        raise violations[0].error()
    status = Status.UNPREDICTABLE if violations else Status.VALID
    return Outcome(status, outputs, tuple(violations), unpredictable)


class Execution:
    """One run of a model on given arrays."""

    def __init__(
        self,
        model: Model,
        given: dict[str, Array],
        engine: str,
        masks: bool,
        max_tensor_bytes: int,
        outs: Mapping[str, Array] | None = None,
    ) -> None:
        self.model = model
        self.engine = engine
        self.masks = masks
        self.outs = outs or {}
        self.violations: list[Violation] = []
        self._found: dict[int, list[Violation]] = {}  # by loop
        self.tensors: dict[str, Array] = dict(given)
        self.max_tensor_bytes = max_tensor_bytes
        self.plan = self._find_plan(given)
        self.make_kernel = kernel_maker(engine)
        # Written at once only where nothing that is still to be read lies; the others are copied at the end.
        at_once = len(self.plan.loops) == 1 and all(s.leaf.level > 0 for s in self.plan.outputs.values())
        self.direct = {
            name
            for name, out in self.outs.items()
            if at_once or not any(np.may_share_memory(out, array) for array in given.values())
        }

    def _find_plan(self, given: dict[str, Array]) -> Plan:
        model = self.model
        numbers = self._numbers(given)
        shapes = tuple(array.shape for array in given.values())
        key = (shapes, tuple(numbers.items()), self.masks, self.engine)
        plan = model._plans.get(key)
        if plan is None:
            plan = planned(model, dict(zip(given, shapes, strict=True)), numbers, self.masks, self.engine != "exact")
            if len(model._plans) >= KEPT_PLANS:
                model._plans.clear()
            model._plans[key] = plan
        held = sum(array.nbytes for array in given.values()) + plan.stored_bytes
        held += sum(constant.array.nbytes for constant in model.constants.values())
        if held > self.max_tensor_bytes:
            raise InvalidError(
                f"{model.source}: the run needs {held:,} bytes of tensors; "
                f"the limit is {self.max_tensor_bytes:,} (raise it with max_tensor_bytes)"
            )
        return plan

    def _numbers(self, given: dict[str, Array]) -> dict[str, tuple[int, ...]]:
        """Values of the operands that decide shapes: they must be known before planning."""
        if not self.model.deciding:
            return {}
        result: dict[str, tuple[int, ...]] = {}
        computed: dict[str, Array] = {}  # each is computed once, from those before it
        producers = {node.output: (position, node) for position, node in enumerate(self.model.nodes)}
        for tensor, node in self.model.deciding.items():
            if tensor in self.model.constants:
                array = self.model.constants[tensor].array
            elif tensor in given:
                array = given[tensor]
            else:
                array = computed[tensor] = self._computed(tensor, {**given, **computed}, producers)
            if array.size > MAX_RANK:
                raise InvalidError(
                    f"{self.model.source}, {node.place}: {tensor!r} has {array.size} elements; "
                    f"a list of sizes or axes has at most {MAX_RANK}"
                )
            result[tensor] = tuple(int(item) for item in array.ravel())
        return result

    def _computed(self, tensor: str, known: dict[str, Array], producers: Mapping[str, Producer]) -> Array:
        """A shape that the graph itself computes: its part of the graph runs first.

        Broadcasting never shrinks, so whatever leads to a short list is short, and the oracle will do.
        """
        part = upstream(self.model, tensor, known, producers)
        given = {name: known[name] for name in part.inputs}
        inner = Execution(part, given, "exact", False, self.max_tensor_bytes)
        if prod(inner.plan.outputs[tensor].shape) > MAX_RANK:
            raise InvalidError(
                f"{self.model.source}: {tensor!r} has shape {list(inner.plan.outputs[tensor].shape)}; "
                f"a list of sizes or axes has at most {MAX_RANK} elements"
            )
        return inner.outputs()[0][tensor]

    def outputs(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """Runs every loop; the outputs and, if asked for, their masks."""
        self.tensors.update((name, constant.array) for name, constant in self.model.constants.items())
        groups = grouped(self.plan) if self.engine == "native" else [Group([loop]) for loop in self.plan.loops]
        order = [loop for group in groups for loop in group.loops]
        last = _last_uses(self.plan, order)
        position = 0
        for group in groups:
            # Where something fails in a group, its loops run again, one by one, to say where.
            together = len(group.loops) > 1 or (self.engine == "native" and _only_checks(group.loops[0]))
            done = together and self._run_group(group)
            for loop in group.loops:
                if not done:
                    self._run_loop(loop)
                for name in last.get(position, ()):
                    self.tensors.pop(name, None)
                position += 1
        self.violations = [violation for loop in self.plan.loops for violation in self._found.get(id(loop), ())]
        outputs = {name: self._output(name) for name in self.model.outputs}
        for name, out in self.outs.items():
            if outputs[name] is not out:
                out[...] = outputs[name]
                outputs[name] = out
        masks = {}
        if self.masks:
            for name in self.model.outputs:
                stored = self.plan.outputs[name]
                mask = np.False_ if stored.mask is None else self._operand(stored.mask)
                masks[name] = np.broadcast_to(mask, stored.shape).copy()
        return outputs, masks

    def _output(self, name: str) -> Array:
        """An output as an array of its own: never the caller's input, never a constant of the graph."""
        stored = self.plan.outputs[name]
        array = self._operand(stored.leaf)
        if array.shape != stored.shape:
            array = np.broadcast_to(array, stored.shape)
        leaf = stored.leaf
        shared = (
            leaf.level == 0
            or leaf.view != stored.shape
            or sum(other.leaf.tensor == leaf.tensor for other in self.plan.outputs.values()) > 1
        )
        return array.copy() if shared and array is not self.outs.get(name) else array

    def _operand(self, leaf: Leaf) -> Array:
        array = self.tensors[mask_name(leaf.tensor) if leaf.mask else leaf.tensor]
        return array if leaf.view is None or array.shape == leaf.view else array.reshape(leaf.view)

    def _run_loop(self, loop: Loop) -> None:
        assert loop.function is not None
        operands = [self._operand(leaf) for leaf in loop.operands]
        if any(not isinstance(leaf.sort, ArraySort) for leaf in loop.operands):
            kernel = self.make_kernel(loop.function)
            outs = self._own_outs(loop)
            if outs and loop.requirements and any(np.may_share_memory(out, o) for out in outs for o in operands):
                # Who may have to look again must do so before there is nothing left to see.
                broken = breaks(
                    checking(loop.function), operands, loop.shape, self.make_kernel, self.engine == "native"
                )
                if broken:
                    self._report(loop, operands)
                results, broken = kernel(operands, loop.shape, outs)[0], False
            else:
                results, broken = kernel(operands, loop.shape, outs)
        else:
            # Nothing varies from element to element: one is computed and spread.
            ones, broken = ExactKernel(loop.function)(operands, (1,))
            broken = broken and prod(loop.shape) > 0
            results = [np.full(loop.shape, one[0], one.dtype) for one in ones]
        for (name, *_), array in zip(loop.results, results, strict=True):
            self.tensors[name] = array
        if broken:
            self._report(loop, operands)

    def _run_group(self, group: Group) -> bool:
        """Several loops block by block; whether every requirement held."""
        from lanewise.engines.native.threads import each

        operands = {key_of(leaf): self._operand(leaf) for leaf in outer_operands(group)}
        results: dict[str, Array] = {}
        for loop in group.loops:
            own: Sequence[Array | None] = self._own_outs(loop) or [None] * len(loop.results)
            for (name, sort, _), out in zip(loop.results, own, strict=True):
                if name and name not in group.inner:
                    results[name] = np.empty(loop.shape, dtype_of(sort)) if out is None else out
        broken = run_group(group, operands, results, self.make_kernel, each)
        if not broken:
            self.tensors.update(results)
        return not broken

    def _own_outs(self, loop: Loop) -> list[Array] | None:
        """The caller's arrays, where a loop computes exactly the outputs they are for."""
        names = {stored.leaf.tensor: name for name, stored in self.plan.outputs.items() if name in self.direct}
        if not names:
            return None
        result = []
        for name, sort, _ in loop.results:
            out = self.outs.get(names.get(name, ""))
            fits = out is not None and out.shape == loop.shape and out.dtype.isnative
            result.append(out if fits and out is not None else np.empty(loop.shape, dtype_of(sort)))
        return result

    def _report(self, loop: Loop, operands: Sequence[Array]) -> None:
        assert loop.function is not None
        found = self._found.setdefault(id(loop), [])
        for failure in locate(loop.function, operands, loop.shape, self.make_kernel):
            requirement, origin = loop.requirements[failure.position]
            flat = np.ravel_multi_index(failure.index, loop.shape) if loop.shape else 0
            index = tuple(int(i) for i in np.unravel_index(flat, origin.shape)) if origin.shape else ()
            found.append(
                Violation(
                    origin.node.place,
                    origin.node.operator.label,
                    requirement.reason,
                    failure.count,
                    index,
                    {
                        **_values_there(loop, origin.operands, operands, failure.index),
                        **named_in(requirement.reason, origin.node.attributes),
                    },
                )
            )


def _values_there(
    loop: Loop, wanted: Sequence[tuple[str, nodes.Node]], operands: Sequence[Array], index: tuple[int, ...]
) -> dict[str, Any]:
    """The operands of a node at one element, also those that no tensor holds: the oracle computes them."""
    inputs: list[Any] = []
    for leaf, operand in zip(loop.operands, operands, strict=True):
        if isinstance(leaf.sort, ArraySort):
            inputs.append(patterns(operand.ravel(), leaf.sort))
        else:
            element = np.array(element_at(operand, index))
            inputs.append(patterns(element.reshape(1), leaf.sort)[0])
    found = Evaluator([expression for _, expression in wanted])(inputs)
    return {name: _readable(pattern, expression) for (name, expression), pattern in zip(wanted, found, strict=True)}


def _readable(pattern: int, expression: nodes.Node) -> Any:
    sort = expression.sort
    assert isinstance(sort, Sort)
    if sort.kind == "bits":
        return pattern - (1 << sort.width) if pattern >> (sort.width - 1) else pattern
    return number(pattern, sort)


def _only_checks(loop: Loop) -> bool:
    """Whether a loop has nothing to give but its verdict on elements."""
    return loop.only_checks and any(not isinstance(leaf.sort, ArraySort) for leaf in loop.operands)


def _last_uses(plan: Plan, order: Sequence[Loop]) -> dict[int, list[str]]:
    """Intermediate tensors by the loop, in the order of running, after which nobody needs them."""
    keep = {stored.leaf.tensor for stored in plan.outputs.values()}
    last: dict[str, int] = {}
    for position, loop in enumerate(order):
        for name, *_ in loop.results:
            last.setdefault(name, position)
        for leaf in loop.operands:
            if leaf.level > 0:
                last[mask_name(leaf.tensor) if leaf.mask else leaf.tensor] = position
    result: dict[int, list[str]] = {}
    for name, position in last.items():
        if name.split("\0")[0] not in keep:
            result.setdefault(position, []).append(name)
    return result


def upstream(model: Model, tensor: str, known: Mapping[str, Array], producers: Mapping[str, Producer]) -> Model:
    """The part of a model that computes one tensor from tensors that are known already."""
    needed: set[str] = set()
    waiting = [tensor]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        if name not in known and name in producers:
            waiting.extend(operand for operand in producers[name][1].inputs if operand is not None)
    found = sorted((producers[name] for name in needed if name in producers and name not in known), key=itemgetter(0))
    part = tuple(node for _, node in found)
    return replace(
        model,
        inputs={name: model.types[name] for name in needed if name in known},
        constants={name: constant for name, constant in model.constants.items() if name in needed},
        outputs={tensor: Output(tensor)},
        nodes=part,
        deciding=deciding_tensors(part),
        _plans={},
    )
