"""`lanewise ops OPERATOR --diff A B`: what changes between two versions, in words and in values."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lanewise.engines.exact import Evaluator, number
from lanewise.graph.requirements import requirements, settings
from lanewise.language import floats
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import InvalidError, LanewiseError
from lanewise.language.operator import Argument, Operator, Row
from lanewise.language.shapes import same_rank
from lanewise.language.sorts import AnySort, ArraySort, Sort, to_pattern
from lanewise.operators.catalogue import named

SHOWN = 2  # differing elements for each row
TRIED = 20_000  # elements tried for each row and setting


def diff_command(name: str, old: str, new: str) -> None:
    """Prints the differences; says so if there are none."""
    before, after = named(name, old), named(name, new)
    print(f"{name}: {before.release.title} → {after.release.title}")
    words = list(_words(before, after))
    for line in words:
        print(f"  {line}")
    values = list(_values(before, after))
    if values:
        print("  values (the smallest found):")
        for line in values:
            print(f"    {line}")
    if not words and not values:
        print("  no difference found")


def _words(before: Operator, after: Operator) -> Iterator[str]:
    meanings = [inspect.getdoc(record.meaning) or "" for record in (before, after)]
    if meanings[0] != meanings[1]:
        yield f"meaning: {meanings[0].splitlines()[0]}"
        yield f"      →  {meanings[1].splitlines()[0]}"
    listed = [{_core(record, row): row for row in record.rows} for record in (before, after)]
    for core, row in listed[0].items():
        if core not in listed[1]:
            yield f"row gone: {row}"
    for core, row in listed[1].items():
        if core not in listed[0]:
            yield f"row new: {row}{f'  {_profiles(row)}' if row.profiles else ''}"
    shared = [core for core in listed[0] if core in listed[1]]
    moved: dict[tuple[str, str], list[str]] = {}
    for core in shared:
        row = listed[0][core]
        first, change = (*row.inputs, row.output)[0].name, (_profiles(row), _profiles(listed[1][core]))
        if change[0] != change[1] and first not in moved.setdefault(change, []):
            moved[change].append(first)
    for (one, other), sorts in moved.items():
        yield f"profiles for {', '.join(sorts)}: {one} → {other}"
    if list(before.arguments) != list(after.arguments):
        yield f"arguments: {', '.join(before.arguments)} → {', '.join(after.arguments)}"
    for k, name in enumerate(after.arguments):
        if name in before.arguments:
            yield from _argument_words(name, before.arguments[name], after.arguments[name])
        elif after.argument(k).constant_in:
            yield f"argument {name}: {_constant_words(after.arguments[name])}"
    if before.shape is not after.shape:
        yield f"shapes: {' '.join((inspect.getdoc(before.shape) or '').split())}"
        yield f"     →  {' '.join((inspect.getdoc(after.shape) or '').split())}"
    if before.release.since == "0.23.0" != after.release.since and same_rank in (before.shape, after.shape):
        yield "output shape: not checked, operands may repeat into a larger one → the operands' broadcast shape"
    yield from (f"attribute gone: {key}" for key in before.attributes if key not in after.attributes)
    for key, attribute in after.attributes.items():
        if key not in before.attributes:
            yield f"attribute new: {key} ({attribute.allowed})"
    reasons = [requirements(record) for record in (before, after)]
    yield from (f"no longer requires{line}" for line in _only_first(*reasons))
    yield from (f"now requires{line}" for line in _only_first(*reversed(reasons)))


def _argument_words(name: str, before: Argument, after: Argument) -> Iterator[str]:
    if before.ranks != after.ranks:
        yield f"argument {name}: {_rank_words(before)} → {_rank_words(after)}"
    if before.constant_in != after.constant_in or before.attribute_in != after.attribute_in:
        yield f"argument {name}: {_constant_words(before)} → {_constant_words(after)}"


def _rank_words(argument: Argument) -> str:
    if argument.ranks is None:
        return "any rank"
    low, high = argument.ranks
    return f"rank {low}" if low == high else f"rank {low} to {high}"


def _constant_words(argument: Argument) -> str:
    if argument.attribute_in:
        return f"an attribute in {', '.join(argument.attribute_in)}"
    if argument.constant_in:
        return f"a compile-time constant in {', '.join(argument.constant_in)}"
    return "any tensor"


def _only_first(one: Mapping[str, list[str]], other: Mapping[str, list[str]]) -> Iterator[str]:
    """Requirements of one record that the other has not, or not for these input types."""
    for reason, sorts in one.items():
        alone = [sort for sort in sorts if sort not in other.get(reason, ())]
        if alone:
            yield f" for {', '.join(alone)}: {reason}"


def _elements(record: Operator, row: Row) -> tuple[AnySort, ...]:
    """The sorts of the operands that every version has: those that are no late arguments."""
    return tuple(sort for k, sort in enumerate(row.inputs) if record.argument(k).use in ("elements", "table"))


def _core(record: Operator, row: Row) -> tuple[Any, ...]:
    """A row without its late arguments, whose storage differs between versions."""
    return (*_elements(record, row), row.output)


def _profiles(row: Row) -> str:
    return ", ".join(sorted(row.profiles))


# --- values ----------------------------------------------------------------------------------


def _values(before: Operator, after: Operator) -> Iterator[str]:
    if before.constant or after.constant:
        return
    for row in before.rows:
        partner = next(
            (
                other
                for other in after.rows
                if other.output == row.output and _elements(after, other) == _elements(before, row)
            ),
            None,
        )
        if partner is None or any(isinstance(sort, ArraySort) and sort.length > 600 for sort in row.inputs):
            continue
        yield from itertools.islice(_row_values(before, after, row, partner), SHOWN)


def _row_values(before: Operator, after: Operator, row: Row, partner: Row) -> Iterator[str]:
    for setting in settings(before, row):
        shared = {key: value for key, value in setting.items() if key in after.attributes}
        for missing, late in itertools.product(_new_settings(after, shared), _late_values(before, row)):
            try:
                old = _evaluator(before, row, setting, late)
                new = _evaluator(after, partner, {**missing, **shared}, late)
            except (LanewiseError, KeyError):
                continue
            # A new attribute shows what it does where it has not its default.
            own = {key: value for key, value in missing.items() if value != after.attributes[key].default}
            for operands in itertools.islice(_operands(_elements(before, row)), TRIED):
                one, other = old(operands), new(operands)
                if one != other:
                    yield _line(before, row, {**setting, **own}, late, operands, one, other)
                    break


def _new_settings(after: Operator, shared: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Values of the attributes that only the new version has, the defaults first."""
    own = {
        key: sorted(attribute.choices or (attribute.default,), key=lambda value: value != attribute.default)
        for key, attribute in after.attributes.items()
        if key not in shared and attribute.default is not REQUIRED
    }
    for values in itertools.product(*own.values()):
        yield dict(zip(own, values, strict=True))


def _late_values(record: Operator, row: Row) -> Iterator[dict[str, int]]:
    """Values for scalars and channel numbers, the small ones first."""
    names = [n for k, n in enumerate(record.arguments) if record.argument(k).use in ("scalar", "channel")]
    choices = [(0, 1, 2, 7, 31, 62) if name == "shift" else (1 << 14, 0, 1) for name in names]
    for values in itertools.product(*choices):
        yield dict(zip(names, values, strict=True))


def _evaluator(record: Operator, row: Row, setting: Mapping[str, Any], late: Mapping[str, int]) -> Any:
    """element operands → the result as a number, or "unpredictable"."""
    function = record.function(row.inputs, row.output, setting)
    evaluate = Evaluator([*function.results, *(r.condition for r in function.requirements)])
    names = list(record.arguments)

    def run(operands: Sequence[Any]) -> Any:
        queue = iter(operands)
        given = []
        for k, sort in enumerate(row.inputs):
            if record.argument(k).use in ("elements", "table"):
                given.append(next(queue))
            else:
                assert isinstance(sort, Sort)
                value = late.get(names[k], 0)
                if not sort.lowest <= value <= sort.highest:
                    raise InvalidError(f"{names[k]} is {value}")
                given.append(to_pattern(value, sort))
        result, *conditions = evaluate(given)
        if not all(conditions):
            return "unpredictable"
        found = number(result, row.output)
        return str(found) if isinstance(found, float) else found

    return run


def _operands(sorts: Sequence[AnySort]) -> Iterator[tuple[Any, ...]]:
    """Operands at the edges of their sorts, the small ones first."""
    yield from itertools.product(*(_edges(sort) for sort in sorts))


def _edges(sort: AnySort) -> list[Any]:
    if isinstance(sort, ArraySort):
        steep = [sort.element.highest if k % 2 else 0 for k in range(sort.length)]
        wild = [sort.element.highest if k % 2 else -(1 << (sort.element.width - 1)) for k in range(sort.length)]
        return [steep, [value & ((1 << sort.element.width) - 1) for value in wild]]
    if sort.kind == "float":
        values = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, float("inf"), float("-inf"), float("nan"))
        return [floats.encode(value, sort) for value in values]
    numbers = [0, 1, -1, 2, -2, 3, -3, 7, 8, 15, 16, 31, 32, sort.highest, sort.lowest]
    return [to_pattern(value, sort) for value in dict.fromkeys(numbers) if sort.lowest <= value <= sort.highest]


def _line(
    record: Operator,
    row: Row,
    setting: Mapping[str, Any],
    late: Mapping[str, int],
    operands: Sequence[Any],
    one: Any,
    other: Any,
) -> str:
    shown = ", ".join(
        f"table of {len(operand)}" if isinstance(sort, ArraySort) else str(number(operand, sort))
        for operand, sort in zip(operands, _elements(record, row), strict=True)
    )
    extra = {**{k: getattr(v, "name", v) for k, v in setting.items() if k != record.output_attribute}, **late}
    listed = "".join(f" {key}={value}" for key, value in extra.items())
    return f"{row.inputs[0].name} → {row.output.name}: {shown}{listed}: {one} → {other}"
