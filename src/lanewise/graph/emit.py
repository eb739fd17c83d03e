"""An operator or a whole graph as C99 or SystemVerilog text: which function it is, and what it is called."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import patterns
from lanewise.engines.text import c99, systemverilog
from lanewise.engines.text.names import OWN, RESERVED, identifier, short
from lanewise.engines.text.unit import Unit
from lanewise.graph import arrays
from lanewise.graph.loops import Leaf
from lanewise.graph.model import Model, TensorType, title
from lanewise.graph.plan import Planner
from lanewise.language.errors import InvalidError, UnsupportedError, brief
from lanewise.language.nodes import constant, node, rewrite
from lanewise.language.operator import Operator
from lanewise.language.sorts import BY_NAME, AnySort, ArraySort, Sort, carrier
from lanewise.language.words import Function, Value
from lanewise.operators.catalogue import named, row_of

WRITERS = {"c": c99.write, "sv": systemverilog.write}
OPEN_SIZE = 2  # what an open size is taken to be: the text is about one element


def emit(
    subject: str | Model,
    types: str | Sequence[Any] = (),
    *,
    lang: str,
    version: int | str | None = None,
    name: str | None = None,
    **settings: Any,
) -> str:
    """One element of an operator, or of a graph, as the text of a C99 function or a SystemVerilog module.

    `subject` is an operator's name with the element `types` of its operands ("int8", or "bool,int8,int8"; one type
    stands for all), or a graph with one output. `settings` are the operator's attributes, and the values of
    operands that are to be fixed (a shift, a table). What is not fixed is a parameter. `lang` is "c" or "sv".

    >>> text = emit("BitShift", "uint8", lang="c", direction="RIGHT")
    >>> text.splitlines()[-4]
    '    return s1;'
    """
    if lang not in WRITERS:
        raise InvalidError(f"emit: lang is {brief(lang)}; allowed: 'c' (C99), 'sv' (SystemVerilog)")
    if isinstance(subject, Model):
        if types or settings or version is not None:
            raise InvalidError("emit: types, version and attributes belong to an operator; a graph has its own")
        unit = graph_unit(subject)
    else:
        unit = operator_unit(subject, types, version, settings)
    if name is not None:
        unit = replace(unit, name=_given_name(name))
    return WRITERS[lang](unit)


def operator_unit(
    name: str, types: str | Sequence[Any], version: int | str | None, settings: Mapping[str, Any]
) -> Unit:
    """One row of one operator, with its attributes."""
    operator = named(name, version)
    fixed = {key: value for key, value in settings.items() if key in operator.arguments}
    attributes = operator.read_attributes({k: v for k, v in settings.items() if k not in fixed})
    if operator.constant:
        raise UnsupportedError(f"{operator.label} has no operands: there is nothing to write for one element")
    sorts = _sorts(operator, _types(operator, types), fixed, attributes)
    row = row_of(operator, sorts, attributes)
    known: dict[int, Value] = {}
    tables: dict[int, tuple[int, ...]] = {}
    names = operator.argument_names(len(sorts))
    listed: list[str] = []
    for k, (argument, sort) in enumerate(zip(names, sorts, strict=True)):
        if sort is None:
            continue
        if argument in fixed and isinstance(sort, Sort):
            known[k] = _number(operator, argument, sort, fixed[argument])
            continue
        if argument in fixed:
            tables[len(listed)] = _entries(operator, argument, sort, fixed[argument])
        listed.append(argument)
    function = operator.function(sorts, row.output, attributes, known)
    said = {**{k: v for k, v in attributes.items() if v is not None}, **fixed}
    given = [f"{key} = {_setting(value)}" for key, value in said.items()]
    about = [
        f"{operator.label}: {operator.release.title}, {operator.release.section}",
        *(f"  {line}".rstrip() for line in (inspect.getdoc(operator.meaning) or "").splitlines()),
        f"types: ({', '.join('-' if sort is None else sort.name for sort in sorts)}) -> {row.output.name}",
        *([f"with: {', '.join(given)}"] if given else []),
        _made(),
    ]
    shown = [sort.name for sort in sorts if sort is not None]
    words = [
        operator.release.specification,
        "" if operator.release.specification == "onnx" else str(operator.release.since),
        operator.label,
        *([shown[0]] if len(set(shown)) == 1 else shown),
        *(f"{key}_{_setting(value)}" for key, value in said.items() if key not in _defaults(operator, said)),
    ]
    return Unit(short(identifier("_".join(words)).lower()), function, tuple(listed), tuple(about), tables)


def graph_unit(model: Model) -> Unit:
    """A graph with one output, whose nodes can be computed element by element."""
    if len(model.outputs) != 1:
        raise UnsupportedError(f"{model.source}: it has {len(model.outputs)} outputs; a text has one")
    sized = _sized(model)
    shapes = {name: kind.known_shape or () for name, kind in sized.inputs.items()}
    numbers = {
        name: tuple(map(int, fixed.array.ravel()))
        for name, fixed in sized.constants.items()
        if fixed.array.ndim <= 1 and fixed.array.dtype.kind in "iu"
    }
    try:
        plan = Planner(sized, shapes, numbers, masks=False, fuse=True).plan()
    except KeyError as missing:
        raise UnsupportedError(
            f"{model.source}: {missing.args[0]!r} is read before the run, and is no constant; give the graph its value"
        ) from None
    if len(plan.loops) != 1 or plan.loops[0].function is None or plan.loops[0].only_checks:
        what = "computes nothing" if not plan.loops else f"needs {len(plan.loops)} passes over its elements"
        raise UnsupportedError(
            f"{model.source}: {what}; a text is one function of one element, so all nodes must have one shape "
            "(constants of one value may be of any)"
        )
    (loop,) = plan.loops
    assert loop.function is not None
    leaves, function = _interface(sized, loop.operands, loop.function)
    tables = {}
    about = [f"graph {title(model)}, {len(model.nodes)} nodes, one element"]
    about += [f"  {line}".rstrip() for line in str(model).splitlines()]
    for k, leaf in enumerate(leaves):
        if leaf.tensor in model.constants and isinstance(leaf.sort, ArraySort):
            table = model.constants[leaf.tensor]
            tables[k] = tuple(patterns(table.array.ravel(), table.sort))
        elif leaf.tensor in model.constants:
            about.append(f"{leaf.tensor} is a constant with several values: a parameter here, to be fed from outside")
    output = next(iter(model.outputs))
    words = f"graph_{output}" if model.source == "graph" else re.sub(r"\.\w+$", "", model.source.rsplit("/", 1)[-1])
    names = tuple(leaf.tensor for leaf in leaves)
    return Unit(_given_or_safe(words), function, names, (*about, _made()), tables)


def _interface(model: Model, operands: Sequence[Leaf], function: Function) -> tuple[list[Leaf], Function]:
    """The graph's inputs in its own order, also those that nothing reads, then constants; the function of these.

    So what a caller passes depends on the inputs that the graph declares, and not on what its nodes do with them.
    """
    leaves: list[Leaf] = []
    for name, kind in model.inputs.items():
        leaves += [leaf for leaf in operands if leaf.tensor == name] or [Leaf(name, kind.known_shape, kind.sort, 0)]
    leaves += [leaf for name in model.constants for leaf in operands if leaf.tensor == name]
    change = {
        node("input", data=k, sort=carrier(leaf.sort)): node("input", data=leaves.index(leaf), sort=carrier(leaf.sort))
        for k, leaf in enumerate(operands)
    }
    conditions = [requirement.condition for requirement in function.requirements]
    result, *conditions = rewrite([*function.results, *conditions], change)
    requirements = tuple(
        replace(requirement, condition=condition)
        for requirement, condition in zip(function.requirements, conditions, strict=True)
    )
    return leaves, Function(tuple(leaf.sort for leaf in leaves), function.outputs, (result,), requirements)


def _sized(model: Model) -> Model:
    """The graph with a number for every size of its inputs."""
    inputs = {}
    for name, kind in model.inputs.items():
        if kind.shape is None:
            raise UnsupportedError(f"{model.source}, input {name!r}: its rank is unknown; fix its shape first")
        inputs[name] = TensorType(kind.sort, tuple(s if isinstance(s, int) else OPEN_SIZE for s in kind.shape))
    return model if inputs == dict(model.inputs) else replace(model, inputs=inputs).check()


def _made() -> str:
    from lanewise import __version__

    return f"written by lanewise {__version__}"


def _types(operator: Operator, types: str | Sequence[Any]) -> list[Sort]:
    given = [word.strip() for word in types.split(",")] if isinstance(types, str) else list(types)
    found = []
    for item in given:
        text = item.name if isinstance(item, Sort) else str(getattr(item, "__name__", item))
        if text not in BY_NAME:
            raise InvalidError(f"{operator.label}: type {brief(text)}; allowed: {', '.join(BY_NAME)}")
        found.append(BY_NAME[text])
    if not found:
        raise InvalidError(f"{operator.label}: no types are given; give one, or one for each operand")
    return found


def _sorts(
    operator: Operator, given: list[Sort], fixed: Mapping[str, Any], attributes: Mapping[str, Any]
) -> list[AnySort | None]:
    """The types of all arguments: those given for elements, those of the row for the rest."""
    sorts: list[AnySort | None] = []
    if operator.variadic:
        sorts += given if len(given) > 1 else given * 2
        return sorts
    arguments = list(operator.arguments.items())
    elements = [name for name, argument in arguments if argument.use == "elements"]
    needed = [name for name in elements if not operator.arguments[name].optional or name in fixed]
    if len(given) == 1:
        condition = len(needed) == 3 and all(row.inputs[0] == BY_NAME["bool"] for row in operator.rows)
        given = [BY_NAME["bool"] if condition and k == 0 else given[0] for k in range(len(needed))]
        queue = dict(zip(needed, given, strict=True))
    elif len(needed) <= len(given) <= len(elements):
        queue = dict(zip(elements, given, strict=False))
    else:
        raise InvalidError(f"{operator.label}: {len(given)} types are given; it takes {', '.join(elements)}")
    rows = [row for row in operator.rows if row.inputs and row.inputs[0] == given[0]] or list(operator.rows)
    for k, (name, argument) in enumerate(arguments):
        if argument.use == "numbers" or (name in elements and name not in queue):
            sorts.append(None)
        elif name in queue:
            sorts.append(queue[name])
        elif argument.optional and name not in fixed:
            sorts.append(None)
        else:
            sorts.append(argument.sort(attributes) if argument.sort is not None else rows[0].inputs[k])
    return sorts


def _number(operator: Operator, name: str, sort: Sort, value: Any) -> Value:
    """The value that fixes an operand."""
    who = f"{operator.label}: {name}"
    array = arrays.list_as(np.asarray(value), sort, who)
    if array.size != 1:
        raise InvalidError(f"{who} has {array.size} values; one element needs one")
    word = carrier(sort)
    assert isinstance(word, Sort)
    return Value(constant(patterns(array.reshape(1), sort)[0], word), sort)


def _entries(operator: Operator, name: str, sort: AnySort, value: Any) -> tuple[int, ...]:
    assert isinstance(sort, ArraySort)
    who = f"{operator.label}: {name}"
    array = arrays.list_as(np.asarray(value), sort.element, who)
    if array.size != sort.length:
        raise InvalidError(f"{who} has {array.size} entries; this row's table has {sort.length}")
    return tuple(patterns(array.ravel(), sort.element))


def _defaults(operator: Operator, said: Mapping[str, Any]) -> set[str]:
    """The attributes that have their default value: a name need not say them."""
    return {
        key for key, value in said.items() if key in operator.attributes and operator.attributes[key].default == value
    }


def _setting(value: Any) -> str:
    if isinstance(value, Sort):
        return value.name
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    array = np.asarray(value)
    if array.size > 8:
        return f"{array.size} values"
    return str(array.tolist())


def _given_name(name: str) -> str:
    """A name from outside, which must be one already."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in RESERVED or OWN.fullmatch(name):
        raise InvalidError(
            f"emit: name {brief(name)}; it must be letters, digits and underscores, start with a letter, and be no "
            "word of C or SystemVerilog, nor a name that the text itself uses, such as result"
        )
    return name


def _given_or_safe(text: str) -> str:
    made = short(identifier(text))
    return f"{made}_graph" if made in RESERVED or OWN.fullmatch(made) else made


__all__ = ["emit", "graph_unit", "operator_unit"]
