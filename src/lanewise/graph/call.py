"""Calls of one operator on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lanewise.engines.storage import sort_of
from lanewise.graph import arrays
from lanewise.graph.arrays import Array
from lanewise.graph.binding import bind, operand_sort, typed
from lanewise.graph.build import constant_of
from lanewise.graph.engines import kernel_maker
from lanewise.graph.foreign import call_override, overriding
from lanewise.graph.prepared import Prepared
from lanewise.graph.selected import selection
from lanewise.graph.signature import python_name
from lanewise.graph.traced import apply_traced
from lanewise.graph.violations import Violation, element_at, locate, named_in
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.operator import Operator
from lanewise.language.sorts import AnySort, ArraySort
from lanewise.language.words import Value
from lanewise.operators import catalogue

if TYPE_CHECKING:
    from lanewise.engines.native.kernel import Direct
    from lanewise.engines.native.short_way import ShortWay

MODES = ("raise", "mask", "value")
ALIKE = (str, bool, int)  # equal values of one of these types are alike; 0.0 and -0.0 are not
MOST_OPERANDS = 24  # of a variadic operator in one loop; a ufunc takes 64 with its results


class OperatorCalls:
    """Calls of one operator on arrays, and what they have in common once prepared."""

    def __init__(self, specification: str, name: str) -> None:
        self.specification = specification
        self.operator_name = name
        self.version_keyword = "opset" if specification == "onnx" else "version"
        self.default = catalogue.default_version(specification)
        self.usual = catalogue.find(specification, name, self.default)
        self._prepared: dict[Any, Prepared] = {}
        self._quick: dict[Any, tuple[Prepared, tuple[int, ...]]] = {}  # by dtypes, shapes and keywords
        self._numbers: dict[Any, Array] = {}  # Python numbers as arrays, by dtype
        self._alike = all(len(set(row.inputs)) == 1 for row in self.usual.rows)  # operands of one type in every row
        self._short: ShortWay | None = None  # it needs the compiler, so it is made when there is a loop for it
        self.short: Callable[[tuple[Any, ...], Any, Mapping[str, Any]], Any] = _no_way

    def general(
        self,
        operands: tuple[Any, ...],
        out: Any = None,
        /,
        where: Any = True,
        on_unpredictable: str = "raise",
        engine: str = "native",
        profile: str | None = None,
        **keywords: Any,
    ) -> Any:
        """Every call that neither the short way nor the `long` one settles."""
        key: Any = None
        try:
            key = (
                *[(type(a), a.dtype, a.shape) for a in operands],
                on_unpredictable,
                engine,
                profile,
                where if where is True else (type(where), where.dtype, where.shape),
                *keywords.items(),
            )
            if keywords:  # True and 1 are equal, but not alike
                key += tuple(map(type, keywords.values()))
            found = self._quick.get(key)
        except (AttributeError, TypeError):  # Python numbers, lists, tables as keywords
            key = found = None
        if key is None and (alike := self._numbers_typed(operands)) is not None:
            settings = {"on_unpredictable": on_unpredictable, "engine": engine, "profile": profile, **keywords}
            return self.general(alike, out, where=where, **settings)
        if found is not None and (out is None or found[0].takes(out, found[1])):
            result, broken = found[0].quick(operands, found[1], out, None if where is True else where)
            if not broken or on_unpredictable != "raise":
                if found[0].kernel.plain and found[0].mode == "raise" and where is True:
                    self._shorten(found[0], operands, keywords, profile)
                return result
        owners = overriding((*operands, *keywords.values(), *(out if isinstance(out, tuple) else (out,))))
        if owners:
            keywords |= {"on_unpredictable": on_unpredictable} if on_unpredictable != "raise" else {}
            keywords |= {"engine": engine} if engine != "native" else {}
            keywords |= {"profile": profile} if profile is not None else {}
            keywords |= {"out": out, "where": None if where is True else where}
            return call_override(owners, self.specification, python_name(self.operator_name), operands, keywords)
        if isinstance(out, tuple) and len(out) == 1:  # as ufuncs are given it
            (out,) = out
        if on_unpredictable not in MODES:
            raise InvalidError(f"on_unpredictable is {on_unpredictable!r}; allowed: {', '.join(map(repr, MODES))}")
        version = keywords.pop(self.version_keyword, self.default)
        operator = catalogue.find(self.specification, self.operator_name, version)
        if profile is not None:
            if self.specification != "tosa":
                raise InvalidError(f"{operator.label}: ONNX has no profiles")
            catalogue.known_profile(str(operator.release.since), profile)
        if operator.variadic and len(operands) > MOST_OPERANDS:
            # A variadic operator folds its operands from the left, so a part may come first.
            settings = {"engine": engine, "profile": profile, self.version_keyword: version, **keywords}
            first = self.general(operands[:MOST_OPERANDS], where=where, **settings)
            rest = (first, *operands[MOST_OPERANDS:])
            return self.general(rest, out, where=where, on_unpredictable=on_unpredictable, **settings)
        given, attributes = bind(operator, operands, keywords)
        if any(isinstance(operand, Value) for operand in given):
            return apply_traced(operator, given, attributes, profile)
        if operator.constant:
            if where is not True:
                raise InvalidError(f"{operator.label}: has no operands that where could select from")
            return _constant(operator, attributes, out, on_unpredictable, profile)
        prepared, result = self._run(operator, given, attributes, out, where, on_unpredictable, engine, profile)
        # 0.0 and -0.0 are equal and of one type, so floats cannot stand in a key.
        floats = any(isinstance(value, float | np.generic) for value in attributes.values())
        if key is not None and engine == "native" and not floats and prepared.is_direct(operands, where):
            if len(self._quick) > 1000:
                self._quick.clear()
            shown = result[0] if prepared.mode == "mask" else result
            if shown.shape and shown.size:
                self._quick[key] = prepared, shown.shape
        return result

    def _numbers_typed(self, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Python numbers beside arrays of one dtype, as arrays of it; None where that is not all there is to it."""
        dtypes = {operand.dtype for operand in operands if type(operand) is np.ndarray}
        if len(dtypes) != 1 or not self._alike or all(type(operand) is np.ndarray for operand in operands):
            return None
        (dtype,) = dtypes
        found = []
        for operand in operands:
            if type(operand) is np.ndarray:
                found.append(operand)
                continue
            if type(operand) not in (int, float, bool):
                return None
            key = (dtype, type(operand), operand if type(operand) is not float else repr(operand))  # 0.0 is not -0.0
            if key not in self._numbers:
                sort = sort_of(dtype)
                try:
                    number = None if sort is None else arrays.number_as(operand, sort, "")
                except InvalidError:
                    number = None  # the long way says what does not fit
                if number is None:
                    return None
                if len(self._numbers) > 1000:
                    self._numbers.clear()
                self._numbers[key] = number
            found.append(self._numbers[key])
        return tuple(found)

    def _shorten(
        self,
        prepared: Prepared,
        operands: tuple[Array, ...],
        keywords: Mapping[str, Any],
        profile: str | None,
    ) -> None:
        """Keeps the loop for the next calls with this dtype and these keywords."""
        dtype, shape = operands[0].dtype, operands[0].shape
        if any(not one.dtype.isnative or one.dtype.num != dtype.num or one.shape != shape for one in operands):
            return
        if any(one.use == "elements" and one.ranks is not None for one in prepared.operator.arguments.values()):
            return  # the short way does not look at ranks
        if profile is not None:
            keywords = {**keywords, "profile": profile}
        values = tuple(keywords.values())
        types = tuple(map(type, values))
        if not all(kind in ALIKE for kind in types):
            return
        key = len(operands), dtype.num, tuple(keywords), types, values
        try:
            if self._short is None:
                from lanewise.engines.native.short_way import ShortWay

                short = ShortWay()
                self.short = short.call or _no_way
                self._short = short
            known = self._short.known(key)
            if known is None or known.failed:
                self._short.add(key, len(operands), dtype, keywords, prepared.kernel.direct)
        except Exception:  # the call itself has gone well
            pass

    def long(self, direct: Direct, operands: tuple[Array, ...], out: Any) -> Any:
        """The result of a call that has too many elements for the short way; None where it is not so easy."""
        given = operands if out is None else (*operands, out)
        if out is not None and not _is_apart(out, direct, operands):
            return None
        try:
            loop, shared = direct.wide(*given)
            result = loop(*given)
        except Exception:  # whatever it is, the general way says it better
            return None
        return None if shared[0] else result

    def _run(
        self,
        operator: Operator,
        given: list[Any],
        attributes: dict[str, Any],
        out: Array | None,
        where: Any,
        mode: str,
        engine: str,
        profile: str | None,
    ) -> tuple[Prepared, Any]:
        kernel_maker(engine)  # refuses what is no engine
        names = operator.argument_names(len(given))
        values = typed(operator, names, given, attributes, profile)
        types = tuple(operand_sort(operator, k, value, names[k]) for k, value in enumerate(values))
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
        mask = selection(where, shapes.result, operator.label)
        if out is not None:
            out = arrays.checked_out(out, prepared.row.output, shapes.result, operator.label)
        try:
            result, broken = prepared.compute(tensors, shapes.result, out, mask, True)
            if broken and mode == "raise":
                self._raise(prepared, names, values, tensors, shapes.result, mask)
                # It was another thread's call that broke a requirement, not this one.
                result, _ = prepared.compute(tensors, shapes.result, out, mask, False)
        except LanewiseError:
            raise
        except (MemoryError, ValueError) as error:
            raise InvalidError(
                f"{operator.label}: a result of shape {list(shapes.result)} and type {prepared.row.output.name} "
                f"cannot be allocated: {error}"
            ) from None
        return prepared, result

    def _raise(
        self,
        prepared: Prepared,
        names: list[str],
        values: list[Any],
        tensors: list[Array],
        shape: tuple[int, ...],
        mask: Array | None,
    ) -> None:
        function = prepared.function if mask is None else prepared.on_some
        failures = locate(function, prepared.with_mask(tensors, mask, None), shape, prepared.make_kernel)
        if not failures:
            return
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


def _no_way(operands: tuple[Any, ...], out: Any, keywords: Mapping[str, Any]) -> None:
    """The short way where there is none."""


def _is_apart(out: Any, direct: Direct, operands: tuple[Array, ...]) -> bool:
    """Whether `out` is an array for the result that shares no memory with the operands.

    Parts run in no particular order, and after a failure the operands are looked at again.
    """
    if type(out) is not np.ndarray or out.dtype is not direct.result or out.shape != operands[0].shape:
        return False
    return not any(np.may_share_memory(out, operand) for operand in operands)


def _constant(operator: Operator, attributes: dict[str, Any], out: Array | None, mode: str, profile: str | None) -> Any:
    """The value of a constant operator, as an array of its own."""
    constant = constant_of(operator, operator.read_attributes(attributes), operator.label, profile)
    if out is None:
        out = constant.array.copy()
    else:
        arrays.checked_out(out, constant.sort, constant.array.shape, operator.label)[...] = constant.array
    return (out, np.zeros(out.shape, np.bool_)) if mode == "mask" else out


def _prepare(
    operator: Operator,
    types: tuple[AnySort | None, ...],
    values: list[Any],
    attributes: dict[str, Any],
    profile: str | None,
    mode: str,
    engine: str,
) -> Prepared:
    read = operator.read_attributes(attributes)
    row = catalogue.row_of(operator, types, read, profile)
    known = {k: value for k, value in enumerate(values) if isinstance(value, Value)}
    used = [None if operator.argument(k).use == "numbers" else sort for k, sort in enumerate(types)]
    function = operator.function(used, row.output, read, known)
    return Prepared(operator, row, read, function, mode, engine)


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
        else (name, type(value), value if isinstance(value, bool | str | int) else repr(value))
        for name, value in attributes.items()
    )


def _number(value: Value) -> Any:
    from lanewise.engines.exact import number

    assert value.node.data is not None
    return number(value.node.data, value.element)


def _plain(item: Any) -> Any:
    """A NumPy scalar as a Python number."""
    return item.item() if hasattr(item, "item") else item
