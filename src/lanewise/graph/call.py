"""One operator as a Python function on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lanewise.engines.checks import masked
from lanewise.engines.storage import dtype_of, is_odd, sort_of
from lanewise.graph import arrays
from lanewise.graph.arrays import Array
from lanewise.graph.build import constant_of
from lanewise.graph.engines import kernel_maker
from lanewise.graph.signature import documentation, python_name, signature
from lanewise.graph.violations import Violation, element_at, locate, named_in
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import InvalidError
from lanewise.language.operator import Operator, Row, profiles_of
from lanewise.language.shapes import BROADCASTING
from lanewise.language.sorts import AnySort, ArraySort, Sort
from lanewise.language.words import Function, Value, literal
from lanewise.operators import catalogue

MODES = ("raise", "mask", "value")
MOST_OPERANDS = 24  # of a variadic operator in one loop; a ufunc takes 64 with its results
SMALL = 1 << 14  # elements up to which a call takes the shortest way


class _Prepared:
    """A call whose types and attributes are settled: only arrays are missing."""

    def __init__(
        self, operator: Operator, row: Row, attributes: Mapping[str, Any], function: Function, mode: str, engine: str
    ) -> None:
        self.operator = operator
        self.row = row
        self.attributes = attributes
        self.function = function
        self.make_kernel = kernel_maker(engine)
        self.kernel = self.make_kernel(masked(function) if mode == "mask" else function)
        self.mode = mode

    def is_plain(self, operands: tuple[Any, ...]) -> bool:
        """Whether arrays of these dtypes and shapes, found right once, need nothing but the kernel.

        Shape rules that only broadcast see what NumPy sees; others may view an operand in another shape.
        """
        return (
            self.operator.shape in BROADCASTING
            and all(self.operator.argument(k).use == "elements" for k in range(len(operands)))
            and len(operands) == len(self.function.inputs)
            and all(type(operand) is np.ndarray for operand in operands)
            and not any(is_odd(sort) for sort in self.row.inputs)
            and self.kernel.plain
        )

    def takes(self, out: Any, operands: tuple[Any, ...]) -> bool:
        """Whether `out` can be written at once: the right array, and not over what may be looked at again."""
        return (
            type(out) is np.ndarray
            and self.mode != "mask"
            and out.dtype == dtype_of(self.row.output)
            and out.flags.writeable
            and out.shape == np.broadcast_shapes(*[operand.shape for operand in operands])
            and not (self.kernel.checks and any(np.may_share_memory(out, operand) for operand in operands))
        )


class OperatorFunction:
    """An operator of a specification, called on arrays."""

    def __init__(self, specification: str, name: str) -> None:
        self._specification = specification
        self._operator_name = name
        self._version_keyword = "opset" if specification == "onnx" else "version"
        self._default = catalogue.default_version(specification)
        self._prepared: dict[Any, _Prepared] = {}
        self._quick: dict[Any, _Prepared] = {}  # by dtypes: calls that equal shapes decide
        usual = catalogue.find(specification, name, self._default)
        self.__name__ = self.__qualname__ = python_name(name)
        self.__doc__ = documentation(usual)
        self.__signature__ = signature(usual, self._version_keyword, self._default)

    def __repr__(self) -> str:
        return f"<lanewise.{self._specification}.{self.__name__}{self.__signature__}>"

    def __call__(
        self,
        *operands: Any,
        out: Array | None = None,
        on_unpredictable: str = "raise",
        engine: str = "native",
        profile: str | None = None,
        **keywords: Any,
    ) -> Any:
        key: Any = None
        try:
            key = (
                *[(type(a), a.dtype, a.shape) for a in operands],
                on_unpredictable,
                engine,
                profile,
                *keywords.items(),
            )
            if keywords:  # True and 1 are equal, but not alike
                key += tuple(map(type, keywords.values()))
            prepared = self._quick.get(key)
        except (AttributeError, TypeError):  # Python numbers, lists, tables as keywords
            key = prepared = None
        if prepared is not None and (out is None or prepared.takes(out, operands)):
            result, broken = prepared.kernel.small(operands, out)
            if not broken or on_unpredictable != "raise":
                return result
        if on_unpredictable not in MODES:
            raise InvalidError(f"on_unpredictable is {on_unpredictable!r}; allowed: {', '.join(map(repr, MODES))}")
        version = keywords.pop(self._version_keyword, self._default)
        operator = catalogue.find(self._specification, self._operator_name, version)
        if profile is not None:
            if self._specification != "tosa":
                raise InvalidError(f"{operator.label}: ONNX has no profiles")
            catalogue.known_profile(str(version), profile)
        if operator.variadic and len(operands) > MOST_OPERANDS:
            # A variadic operator folds its operands from the left, so a part may come first.
            settings = {"engine": engine, "profile": profile, self._version_keyword: version, **keywords}
            first = self(*operands[:MOST_OPERANDS], **settings)
            rest = operands[MOST_OPERANDS:]
            return self(first, *rest, out=out, on_unpredictable=on_unpredictable, **settings)
        given, attributes = _bind(operator, operands, keywords)
        if operator.constant:
            return _constant(operator, attributes, out, on_unpredictable, profile)
        prepared, result = self._run(operator, given, attributes, out, on_unpredictable, engine, profile)
        # 0.0 and -0.0 are equal and of one type, so floats cannot stand in a key.
        floats = any(isinstance(value, float | np.generic) for value in attributes.values())
        if key is not None and engine == "native" and not floats and prepared.is_plain(operands):
            if len(self._quick) > 1000:
                self._quick.clear()
            shown = result[0] if prepared.mode == "mask" else result
            if shown.shape and 0 < shown.size <= SMALL:
                self._quick[key] = prepared
        return result

    def _run(
        self,
        operator: Operator,
        given: list[Any],
        attributes: dict[str, Any],
        out: Array | None,
        mode: str,
        engine: str,
        profile: str | None,
    ) -> tuple[_Prepared, Any]:
        names = operator.argument_names(len(given))
        values = _typed(operator, names, given, attributes, profile)
        types = tuple(_sort_of(operator, k, value, names[k]) for k, value in enumerate(values))
        key = (operator, types, _key(values), _settings(attributes), profile, mode, engine)
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = _prepare(operator, types, values, attributes, profile, mode, engine)
            if len(self._prepared) > 1000:
                self._prepared.clear()
            self._prepared[key] = prepared
        try:
            numbers = _merge_numbers(operator, names, values, prepared.attributes)
            shapes = operator.shape(names, [_shape(operator, k, value) for k, value in enumerate(values)], numbers)
        except InvalidError as error:
            raise InvalidError(f"{operator.label}: {error}") from None
        tensors = []
        for k, value in enumerate(values):
            if isinstance(value, np.ndarray) and operator.argument(k).use != "numbers":
                sort = prepared.row.inputs[0 if operator.variadic else k]
                arrays.in_range(value, sort, f"{operator.label}: {names[k]}")
                view = shapes.operands[k]
                tensors.append(value if view is None or view == value.shape else value.reshape(view))
        outs = None
        if out is not None:
            out = arrays.checked_out(out, prepared.row.output, shapes.result, operator.label)
            # Whoever may have to look again must not have overwritten what there was to see.
            in_place = not (prepared.kernel.checks and any(np.may_share_memory(out, tensor) for tensor in tensors))
            if in_place:
                outs = [out] if prepared.mode != "mask" else [out, np.empty(shapes.result, np.bool_)]
        try:
            results, broken = prepared.kernel(tensors, shapes.result, outs)
        except (MemoryError, ValueError) as error:
            raise InvalidError(
                f"{operator.label}: a result of shape {list(shapes.result)} and type {prepared.row.output.name} "
                f"cannot be allocated: {error}"
            ) from None
        if prepared.mode == "mask":
            return prepared, (results[0], results[1])
        if broken and prepared.mode == "raise":
            self._raise(prepared, names, values, tensors, shapes.result)
        if out is not None and outs is None:
            out[...] = results[0]
            return prepared, out
        return prepared, results[0]

    def _raise(
        self, prepared: _Prepared, names: list[str], values: list[Any], tensors: list[Array], shape: tuple[int, ...]
    ) -> None:
        failures = locate(prepared.function, tensors, shape, prepared.make_kernel)
        if not failures:
            return  # another thread's call broke a requirement, not this one
        worst = failures[0]
        found: dict[str, Any] = {}
        position = 0
        for k, (name, value) in enumerate(zip(names, values, strict=True)):
            use = prepared.operator.argument(k).use
            if isinstance(value, Value):
                found[name] = _number(value)
            elif value is not None and use != "numbers":
                if not isinstance(prepared.function.inputs[position], ArraySort):
                    found[name] = _plain(element_at(tensors[position], worst.index))
                position += 1
        violation = Violation(
            "",
            prepared.operator.label,
            prepared.function.requirements[worst.position].reason,
            worst.count,
            worst.index,
            found | named_in(prepared.function.requirements[worst.position].reason, prepared.attributes),
        )
        raise violation.error()


def _constant(operator: Operator, attributes: dict[str, Any], out: Array | None, mode: str, profile: str | None) -> Any:
    """The value of a constant operator, as an array of its own."""
    constant = constant_of(operator, operator.read_attributes(attributes), operator.label, profile)
    if out is None:
        out = constant.array.copy()
    else:
        arrays.checked_out(out, constant.sort, constant.array.shape, operator.label)[...] = constant.array
    return (out, np.zeros(out.shape, np.bool_)) if mode == "mask" else out


def _bind(operator: Operator, operands: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Operands in the record's order (None where an optional one is absent) and attributes."""
    names = list(operator.arguments)
    if operator.variadic:
        if not operands:
            raise InvalidError(f"{operator.label}: needs at least one operand")
        return list(operands), keywords
    if len(operands) > len(names):
        raise InvalidError(f"{operator.label}: takes {len(names)} operands ({', '.join(names)}), not {len(operands)}")
    given: list[Any] = []
    for position, name in enumerate(names):
        argument = operator.arguments[name]
        if position < len(operands):
            if name in keywords:
                raise InvalidError(f"{operator.label}: {name} is given twice")
            value = operands[position]
        else:
            value = keywords.pop(name, argument.default)
        if value is REQUIRED or (value is None and not argument.optional):
            if argument.optional:
                value = None
            else:
                raise InvalidError(f"{operator.label}: {name} is missing; it takes {', '.join(names)}")
        given.append(value)
    return given, keywords


def _typed(
    operator: Operator, names: list[str], given: list[Any], attributes: Mapping[str, Any], profile: str | None
) -> list[Any]:
    """Operands as arrays, or as known `Value`s for scalars that are attributes."""
    values: list[Any] = list(given)
    first: Sort | None = None
    found: list[Sort | None] = [None] * len(given)
    for k, value in enumerate(given):
        if operator.argument(k).use == "elements" and value is not None and not arrays.is_number(value):
            values[k] = arrays.as_array(value, f"{operator.label}: {names[k]}")
            found[k] = arrays.sort_for(values[k], f"{operator.label}: {names[k]}")
            first = first or found[k]
    for k, value in enumerate(given):
        argument, who = operator.argument(k), f"{operator.label}: {names[k]}"
        if value is None:
            continue
        if argument.use == "elements":
            if arrays.is_number(value):
                sort = first if operator.variadic else _sort_beside(operator, k, tuple(found), first)
                if sort is None:
                    raise InvalidError(
                        f"{who} is {value!r}: give an array or a NumPy scalar, which have an element type"
                    )
                values[k] = arrays.number_as(value, sort, who)
        elif argument.use == "numbers":
            values[k] = _numbers(operator, k, value, who)
        else:
            values[k] = _late(operator, k, value, first, attributes, who, profile)
        if isinstance(values[k], np.ndarray) and argument.use != "scalar":  # those are one element by now
            operator.check_shape(k, names[k], values[k].shape)
    return values


@lru_cache(maxsize=1000)
def _sort_beside(operator: Operator, k: int, found: tuple[Sort | None, ...], first: Sort | None) -> Sort | None:
    """The type that a plain number takes beside operands of these types; None if several would do."""
    listed = {
        row.inputs[k]
        for row in operator.rows
        if all(sort is None or sort == have for sort, have in zip(found, row.inputs, strict=False))
    }
    if not listed:
        return first  # no row fits: the message about that comes later, and is the better one
    (only,) = listed if len(listed) == 1 else (None,)
    return only if isinstance(only, Sort) else None


def _numbers(operator: Operator, k: int, value: Any, who: str) -> Array:
    """A shape or axes: an array as it is, or a list (or one number) of the type in the rows."""
    if not isinstance(value, np.ndarray):
        value = arrays.list_as([value] if arrays.is_number(value) else value, operator.rows[0].inputs[k], who)
    array: Array = value
    return array


def _late(
    operator: Operator,
    k: int,
    value: Any,
    first: Sort | None,
    attributes: Mapping[str, Any],
    who: str,
    profile: str | None,
) -> Any:
    """An argument that is an attribute in some profiles: a number or list, or an array as an input."""
    argument = operator.argument(k)
    rows = [row for row in operator.rows if row.inputs[0] == first]
    rows = rows or [row for row in operator.rows if _stored(row.inputs[0]) == first] or list(operator.rows)  # int48
    sort: AnySort = rows[0].inputs[k]
    if argument.sort is not None:
        sort = _own_sort(operator, k, value) or argument.sort(operator.read_attributes(attributes))
    if argument.use == "scalar":
        if isinstance(value, np.ndarray):
            if profile is not None and set(profiles_of(profile)) <= set(argument.attribute_in):
                raise InvalidError(f"{who} is an array; in profile {profile} it is an attribute, a plain number")
            if value.size != 1:
                raise InvalidError(f"{who} has shape {value.shape}; it is one number")
            return arrays.list_as(value.reshape(()), sort, who)
        assert isinstance(sort, Sort)
        if isinstance(value, np.generic):
            value = value.item()
        if not arrays.is_number(value):
            raise InvalidError(f"{who} is {value!r}; it is one number")
        try:
            return literal(value, sort)
        except InvalidError:
            raise InvalidError(f"{who} is {value!r}; allowed: {sort.lowest} to {sort.highest}") from None
    return arrays.list_as([value] if arrays.is_number(value) else value, sort, who)


def _own_sort(operator: Operator, k: int, value: Any) -> AnySort | None:
    """The type of an array that some row has there: the definition, not a conversion, decides whether it is right."""
    listed = {row.inputs[k] for row in operator.rows} if isinstance(value, np.ndarray) else ()
    return next((sort for sort in listed if sort_of(value.dtype) == _stored(sort)), None)


def _sort_of(operator: Operator, k: int, value: Any, name: str) -> AnySort | None:
    if value is None:
        return None
    if isinstance(value, Value):
        return value.sort
    rows = operator.rows
    use = operator.argument(k).use
    if use == "table":
        # The record's array sorts say how long a table is for which input; the row decides.
        lengths = {sort.length for row in rows if isinstance(sort := row.inputs[k], ArraySort)}
        element = sort_of(value.dtype)
        if value.ndim != 1 or element is None:
            raise InvalidError(f"{operator.label}: {name} has shape {value.shape}; it is a list of {sorted(lengths)}")
        return ArraySort(element, value.shape[0])
    if use in ("scalar", "channel"):
        return next(s for s in {row.inputs[k] for row in rows} if sort_of(value.dtype) == _stored(s))
    found = arrays.sort_for(value, f"{operator.label}: {name}")
    if use == "elements" and not operator.variadic:
        # int48 lies in int64: where no row has int64, a row's narrower integer is meant.
        listed = {row.inputs[k] for row in rows}
        if found not in listed:
            return next((s for s in listed if isinstance(s, Sort) and _stored(s) == found), found)
    return found


def _stored(sort: AnySort) -> Sort | None:
    return sort_of(dtype_of(sort))


def _prepare(
    operator: Operator,
    types: tuple[AnySort | None, ...],
    values: list[Any],
    attributes: dict[str, Any],
    profile: str | None,
    mode: str,
    engine: str,
) -> _Prepared:
    read = operator.read_attributes(attributes)
    row = catalogue.row_of(operator, types, read, profile)
    known = {k: value for k, value in enumerate(values) if isinstance(value, Value)}
    used = [None if operator.argument(k).use == "numbers" else sort for k, sort in enumerate(types)]
    function = operator.function(used, row.output, read, known)
    return _Prepared(operator, row, read, function, mode, engine)


def _merge_numbers(
    operator: Operator, names: list[str], values: list[Any], attributes: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The attributes, with operands that are lists of numbers (shapes, axes) read into them."""
    numbers = {
        name: tuple(int(item) for item in value.ravel())
        for k, (name, value) in enumerate(zip(names, values, strict=True))
        if value is not None and operator.argument(k).use == "numbers"
    }
    return {**attributes, **numbers} if numbers else attributes


def _shape(operator: Operator, k: int, value: Any) -> tuple[int, ...] | None:
    return value.shape if isinstance(value, np.ndarray) and operator.takes_shape(k) else None


def _key(values: list[Any]) -> tuple[Any, ...]:
    """What a call's preparation depends on in its operands, beside their types: the known ones."""
    return tuple(value.node if isinstance(value, Value) else None for value in values)


def _settings(attributes: Mapping[str, Any]) -> tuple[Any, ...]:
    """The attributes as a key: what may be read differently differs (True and 1, 0.0 and -0.0)."""
    return tuple(
        (name, value.dtype, value.shape, value.tobytes())
        if isinstance(value, np.ndarray)
        else (name, type(value), value if isinstance(value, bool | str) else repr(value))
        for name, value in attributes.items()
    )


def _number(value: Value) -> Any:
    from lanewise.engines.exact import number

    assert value.node.data is not None
    return number(value.node.data, value.element)


def _plain(item: Any) -> Any:
    """A NumPy scalar as a Python number."""
    return item.item() if hasattr(item, "item") else item
