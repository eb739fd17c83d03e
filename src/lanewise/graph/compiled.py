"""A graph as a plain callable for hot loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.storage import is_odd
from lanewise.graph import arrays
from lanewise.graph.arrays import Array
from lanewise.graph.engines import kernel_maker
from lanewise.graph.inputs import take_inputs
from lanewise.graph.model import Model
from lanewise.graph.run import KEPT_PLANS, Execution
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort

SMALL = 1 << 14  # elements up to which a result is sooner copied than the requirements are looked at first


def compile_model(model: Model, engine: str = "native") -> Callable[..., Any]:
    """A plain callable for hot loops: f(x, y, out=z).

    Operands in the graph's order; the result is an array, or a tuple of arrays where the graph has
    several outputs (then `out` is a tuple as well). An unpredictable element raises
    UnpredictableError unless `on_unpredictable="value"`.
    """
    kernel_maker(engine)  # an engine that does not exist is refused here, not at the first call
    names, single = list(model.outputs), len(model.outputs) == 1
    count = len(model.inputs)
    quick: dict[Any, Any] = {}

    def call(*operands: Any, out: Any = None, on_unpredictable: str = "raise") -> Any:
        key: Any = None
        if on_unpredictable not in ("raise", "value"):
            raise InvalidError(f"on_unpredictable is {on_unpredictable!r}; allowed: 'raise', 'value'")
        if out is None or single:
            arrays_ = operands if out is None else (*operands, out)
            try:
                key = tuple([(type(array), array.shape, array.dtype) for array in arrays_])
                found = quick.get(key)
            except (AttributeError, TypeError):  # Python numbers, lists
                key = found = None
            if found is not None and len(operands) == count and (out is None or out.flags.writeable):
                kernel, order, size = found
                # Whoever may have to look again must not have overwritten what there was to see.
                wary = kernel.checks or size > kernel.limit
                looks = out is not None and wary and any(np.may_share_memory(out, one) for one in operands)
                if size <= SMALL or not looks:
                    ordered = [operands[k] for k in order]
                    try:
                        way = kernel.small if size <= kernel.limit else kernel.long
                        result, broken = way(ordered, None if looks else out)
                    except LookupError:  # an array that does not lie in one row
                        broken = True
                    if not broken:
                        if looks:
                            out[...] = result
                            return out
                        return result
        given = take_inputs(model, operands[0] if operands else None, operands[1:])
        execution = Execution(model, given, engine, False, model.max_tensor_bytes, _outs(model, out))
        for name, array in execution.outs.items():
            stored = execution.plan.outputs[name]
            assert isinstance(stored.leaf.sort, Sort)
            arrays.checked_out(array, stored.leaf.sort, stored.shape, f"{model.source}, output {name!r}")
        outputs, _ = execution.outputs()
        if key is not None and on_unpredictable == "raise" and all(kind is np.ndarray for kind, *_ in key):
            shortcut = _shortcut(execution, list(model.inputs), names)
            if shortcut is not None:
                if len(quick) >= KEPT_PLANS:
                    quick.clear()
                quick[key] = shortcut
        if execution.violations and on_unpredictable == "raise":
            raise execution.violations[0].error()
        return outputs[names[0]] if single else tuple(outputs[name] for name in names)

    call.__name__ = "compiled"
    call.__doc__ = compile_model.__doc__
    return call


def _shortcut(execution: Execution, inputs: Sequence[str], outputs: Sequence[str]) -> Any:
    """The one kernel of a run, the order of its operands and its size, if there is nothing else to a run."""
    plan = execution.plan
    if execution.engine != "native" or len(plan.loops) != 1:
        return None
    loop = plan.loops[0]
    size = prod(loop.shape)
    assert loop.function is not None
    kernel = execution.make_kernel(loop.function)
    stored = [plan.outputs[name] for name in outputs]
    direct = (
        kernel.plain
        and loop.shape
        and 0 not in loop.shape
        and [name for name, *_ in loop.results] == [s.leaf.tensor for s in stored]
        and all(s.leaf.view == s.shape == loop.shape for s in stored)
        and all(leaf.tensor in inputs and leaf.view == execution.tensors[leaf.tensor].shape for leaf in loop.operands)
        and not any(is_odd(kind.sort) for kind in execution.model.inputs.values())
        and np.broadcast_shapes(*[leaf.view or () for leaf in loop.operands]) == loop.shape
    )
    in_row = all(leaf.view is not None and (leaf.view == loop.shape or prod(leaf.view) == 1) for leaf in loop.operands)
    if not direct or (size > kernel.limit and not in_row):
        return None
    return kernel, [inputs.index(leaf.tensor) for leaf in loop.operands], size


def _outs(model: Model, out: Any) -> dict[str, Array]:
    """The caller's arrays for the outputs, by name; no two of them may overlap."""
    if out is None:
        return {}
    given = out if isinstance(out, tuple | list) else (out,)
    if len(given) != len(model.outputs):
        raise InvalidError(f"{model.source}: out has {len(given)} arrays; the graph has {len(model.outputs)} outputs")
    named = dict(zip(model.outputs, given, strict=True))
    plain = [(name, array) for name, array in named.items() if isinstance(array, np.ndarray)]
    for (name, one), (other, two) in itertools.combinations(plain, 2):
        if np.may_share_memory(one, two):
            raise InvalidError(f"{model.source}: out for {name!r} and for {other!r} share memory")
    return named
