"""Whether a counterexample for one element is one for the whole graphs: both are run on arrays that hold it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import from_patterns
from lanewise.graph.run import Status
from lanewise.language.errors import LanewiseError
from lanewise.language.sorts import ArraySort, Sort
from lanewise.proof.element import Operand
from lanewise.proof.subjects import GraphClaim

Array = np.ndarray[Any, Any]
PLACES = 64  # elements of the output that are tried


def is_real(found: GraphClaim, patterns: Sequence[Any]) -> bool:
    """Whether some inputs of the first graph are valid, and the second then differs or breaks a requirement."""
    return any(
        _shows(found, inputs) for place in _places(found, patterns) for inputs in _arrays(found, patterns, place)
    )


def _places(found: GraphClaim, patterns: Sequence[Any]) -> list[int]:
    """Elements that can see these operands: a constant has its value there, and different values lie apart."""
    seen = [(k, o) for k, o in enumerate(found.operands) if o.places is not None or o.values is not None]
    longest = max((len(_array(operand)) for _, operand in seen), default=1)
    possible = np.ones(longest, np.bool_)
    ways: dict[str, list[tuple[int, Array]]] = {}
    for k, operand in seen:
        array = _array(operand)
        if len(array) != longest:
            continue
        if operand.values is not None:
            possible &= array == np.uint64(patterns[k])
            continue
        for other, places in ways.setdefault(operand.name, []):
            if patterns[k] != patterns[other]:
                possible &= array != places
        ways[operand.name].append((k, array))
    return [int(place) for place in np.flatnonzero(possible)[:PLACES]]


def _array(operand: Operand) -> Array:
    found = operand.places if operand.values is None else operand.values
    assert found is not None
    return found


def _arrays(found: GraphClaim, patterns: Sequence[Any], place: int) -> list[dict[str, Array]]:
    """Inputs in which the element at a place sees the operands: everything else the same number, or 0."""
    source = found.interface.source
    made: list[dict[str, Array]] = [{}, {}]
    for name, kind in source.inputs.items():
        shape, sort = kind.known_shape, kind.sort
        assert shape is not None and isinstance(sort, Sort)
        ways = [k for k, operand in enumerate(found.operands) if operand.name == name and operand.values is None]
        tables = [k for k in ways if isinstance(found.operands[k].sort, ArraySort)]
        if tables:
            for inputs in made:
                inputs[name] = from_patterns(patterns[tables[0]], sort).reshape(shape)
            continue
        for inputs, rest in zip(made, (patterns[ways[0]] if ways else 0, 0), strict=True):
            flat = [rest] * prod(shape)
            for k in ways:
                places = found.operands[k].places
                assert places is not None
                flat[int(places[place % len(places)])] = patterns[k]
            inputs[name] = from_patterns(flat, sort).reshape(shape)
    return made


def _shows(found: GraphClaim, inputs: dict[str, Array]) -> bool:
    interface = found.interface
    try:
        before = interface.source.run(inputs)
        if before.status is not Status.VALID:
            return False
        after = interface.target.run(interface.encode(inputs))
    except LanewiseError:
        return False
    if after.status is not Status.VALID:
        return True
    return interface.differ(found.output, before.outputs[found.output], after.outputs)
