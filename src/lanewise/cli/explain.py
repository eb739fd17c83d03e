"""`lanewise explain`: one element of one operator, bit by bit."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.cli.said import answer_lines, answers_report, grouped, plain, said_by_versions, said_lines, shown
from lanewise.conformance.one_element import Judged
from lanewise.engines.exact import Evaluator, fold, number
from lanewise.engines.exact_kernel import patterns
from lanewise.graph import arrays
from lanewise.language import nodes
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import InvalidError, LanewiseError, brief, printable
from lanewise.language.operator import Argument, Operator, Row
from lanewise.language.sorts import BY_NAME, AnySort, ArraySort, Sort, to_pattern
from lanewise.language.words import Function
from lanewise.operators.catalogue import named, row_of


def explain_command(
    name: str,
    types: str,
    values: list[str],
    attributes: list[str],
    version: str | None,
    as_json: bool,
    runtimes: bool = False,
    tosa_tools: Path | None = None,
) -> int:
    """Prints the explanation; the exit code is 3 if the element is unpredictable."""
    operator = named(name, version)

    def ask(record: Operator) -> Explanation:
        return explained(record, types, values, attributes)

    element = ask(operator)
    said = said_by_versions(operator, ask)
    found = []
    if runtimes:
        from lanewise.conformance.answers import answers

        found = answers(operator, ask, tosa_tools)
    if as_json:
        report = {**element.report(), "rule": element.rule, "versions": [one.report() for one in said]}
        if runtimes:
            report["runtimes"] = answers_report(found, element.row.output)
        print(json.dumps(report, indent=2))
    else:
        lines = [*element.lines(), f"  decided by: {element.rule}", "", *said_lines(said)]
        lines += answer_lines(found, element.row.output)
        print("\n".join(printable(line) for line in lines))
    return 3 if element.broken else 0


def explained(operator: Operator, types: str, values: list[str], attributes: list[str]) -> Explanation:
    """The element under one version of the operator."""
    settings = settings_of(attributes)
    late = {key: settings.pop(key) for key in list(settings) if key in operator.arguments}
    check_given(operator, settings)
    read = operator.read_attributes(settings)
    names, sorts, operands = _operands(operator, types, values, late, read)
    row = row_of(operator, sorts, read)
    function = fold(operator.function(sorts, row.output, read))
    return Explanation(operator, row, read, names, sorts, operands, function)


class Explanation:
    """One element: operands, the steps of the definition, requirements, result."""

    def __init__(
        self,
        operator: Operator,
        row: Row,
        attributes: Mapping[str, Any],
        names: list[str],
        sorts: list[AnySort | None],
        operands: list[Any],
        function: Function,
    ) -> None:
        self.operator, self.row, self.attributes = operator, row, attributes
        self.all_sorts, self.all_operands = sorts, operands
        present = [(n, s, o) for n, s, o in zip(names, sorts, operands, strict=True) if s is not None]
        self.names = [n for n, _, _ in present]
        self.sorts = [s for _, s, _ in present]
        self.operands = [o for _, _, o in present]
        roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
        self.function = function
        self._evaluator = Evaluator(roots)
        self._values = dict(zip(self._evaluator.nodes, self._evaluator.trail(self.operands), strict=True))
        self.result = self._values[function.results[0]]
        self.requirements = [(r.reason, bool(self._values[r.condition])) for r in function.requirements]
        self.broken = [reason for reason, holds in self.requirements if not holds]

    @property
    def rule(self) -> str:
        """What decides: the requirement that fails, a reading where the text is silent, or else the definition."""
        release = self.operator.release
        first = (inspect.getdoc(self.operator.meaning) or "").splitlines()[:1]
        what = f'require "{self.broken[0]}"' if self.broken else "".join(first).rstrip(".")
        place = f"{release.title}, {release.section}"
        reading = Judged(self).reading
        if reading:
            return f"lanewise's reading {reading}, as the text is silent here ({place}): {what}"
        return f"{what} ({place})"

    def lines(self) -> list[str]:
        operator = self.operator
        lines = [f"{operator.label} ({operator.release.title}, {operator.release.section})"]
        lines += [f"  {line}".rstrip() for line in (inspect.getdoc(operator.meaning) or "").splitlines()]
        lines.append("")
        width = max(len(name) for name in (*self.names, "result"))
        for name, sort, operand in zip(self.names, self.sorts, self.operands, strict=True):
            lines.append(f"  {name:{width}} = {_show(operand, sort)}")
        for name, value in self.attributes.items():
            if value is not None:
                lines.append(f"  {name:{width}} = {value.name if isinstance(value, Sort) else value}")
        lines.append("")
        lines += [f"  {line}".rstrip() for line in self._steps()]
        for reason, holds in self.requirements:
            lines.append(f"  require {reason}: {'holds' if holds else 'BROKEN'}")
        shown = _show(self.result, self.row.output)
        if self.broken:
            lines.append(f"  unpredictable, because it breaks: {'; '.join(self.broken)}")
            lines.append(f"  (the total reading, which nothing promises: {shown})")
        else:
            lines.append(f"  {'result':{width}} = {shown}")
        return lines

    def _steps(self) -> list[str]:
        """The definition as it was traced: every step with the value it has for this element."""
        labels: dict[nodes.Node, str] = {}
        lines: list[str] = []
        for node in nodes.postorder(self.function.results):
            if node.kind == "input":
                assert node.data is not None
                labels[node] = self.names[node.data]
            elif node.kind == "const":
                assert isinstance(node.sort, Sort)
                labels[node] = _constant(node)
            else:
                labels[node] = f"s{len(lines) + 1}"
                arguments = ", ".join(labels[arg] for arg in node.args)
                lines.append(
                    f"{labels[node]} = {node.kind}({arguments})".ljust(34)
                    + f" = {_show(self._values[node], node.sort)}"
                )
        return [*lines, ""] if lines else []

    def report(self) -> dict[str, Any]:
        return {
            "operator": self.operator.name,
            "specification": self.operator.release.title,
            "inputs": {
                name: {"type": sort.name, "value": _plain(operand, sort), "bits": _bits(operand, sort)}
                for name, sort, operand in zip(self.names, self.sorts, self.operands, strict=True)
            },
            "attributes": {
                k: v.name if isinstance(v, Sort) else v for k, v in self.attributes.items() if v is not None
            },
            "requirements": [{"requirement": reason, "holds": holds} for reason, holds in self.requirements],
            "status": "unpredictable" if self.broken else "valid",
            "result": {
                "type": self.row.output.name,
                "value": _plain(self.result, self.row.output),
                "bits": _bits(self.result, self.row.output),
            },
        }


def settings_of(given: list[str]) -> dict[str, Any]:
    """What NAME=VALUE on the command line sets, by name."""
    result: dict[str, Any] = {}
    for item in given:
        key, separator, value = item.partition("=")
        if not separator or not key:
            raise InvalidError(f"--attr {item}: write it as NAME=VALUE")
        result[key] = _setting(value)
    return result


def check_given(operator: Operator, settings: Mapping[str, Any]) -> None:
    """Refuses a command that leaves out an attribute, and says how it is given."""
    for name, attribute in operator.attributes.items():
        if attribute.default is REQUIRED and name not in settings:
            raise InvalidError(
                f"{operator.label}: attribute {name} is missing; allowed: {attribute.allowed}; "
                f"give it as -a {name}=VALUE"
            )


def _setting(text: str) -> Any:
    """true and false, numbers, lists of numbers, @FILE.npy, else the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith("@"):
        from lanewise.formats.tensors import read_tensors

        return next(iter(read_tensors(Path(text[1:])).values()))
    if "," in text:
        return [_setting(part) for part in text.split(",")]
    for read in (lambda t: int(t, 0), float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _operands(
    operator: Operator, types: str, values: list[str], late: dict[str, Any], attributes: Mapping[str, Any]
) -> tuple[list[str], list[AnySort | None], list[Any]]:
    """Names, sorts and patterns of all operands: elements from the values, the rest from attributes."""
    given = [_sort(name.strip()) for name in types.split(",")]
    names = operator.argument_names(len(values)) if operator.variadic else list(operator.arguments)
    elements = [n for k, n in enumerate(names) if operator.argument(k).use == "elements" and n not in late]
    least = sum(1 for k, n in enumerate(names) if n in elements and not operator.argument(k).optional)
    if not least <= len(values) <= len(elements):
        rest = "" if len(names) == len(elements) else "; other arguments and attributes are given as -a NAME=VALUE"
        raise InvalidError(f"{operator.label}: {len(values)} values are given; it takes {', '.join(elements)}{rest}")
    if len(given) not in (1, len(values)):
        raise InvalidError(f"{operator.label}: {len(given)} types for {len(values)} values; give one type, or one each")
    given = given * len(values) if len(given) == 1 else given
    if len(values) == 3 and given[0] == given[1]:
        given = _condition_first(operator, given)
    queue = list(zip(given, values, strict=True))
    sorts: list[AnySort | None] = []
    operands: list[Any] = []
    for k, name in enumerate(names):
        argument = operator.argument(k)
        if name in elements and queue:
            sort, text = queue.pop(0)
            sorts.append(sort)
            operands.append(_pattern(text, sort, f"{operator.label}: {name}"))
        elif argument.use == "numbers" or (argument.optional and name not in late):
            sorts.append(None)
            operands.append(None)
        else:
            late_sort, operand = _late(operator, k, name, argument, given[0], late, attributes)
            sorts.append(late_sort)
            operands.append(operand)
    return names, sorts, operands


def _condition_first(operator: Operator, given: list[Sort]) -> list[Sort]:
    """One type for a choice is the type of what is chosen; the condition is boolean."""
    if all(row.inputs and row.inputs[0] == BY_NAME["bool"] for row in operator.rows):
        return [BY_NAME["bool"], *given[1:]]
    return given


def _late(
    operator: Operator,
    k: int,
    name: str,
    argument: Argument,
    first: Sort,
    late: dict[str, Any],
    attributes: Mapping[str, Any],
) -> tuple[AnySort, Any]:
    """An operand that is written as an attribute: a scalar, a channel's number, a table."""
    who = f"{operator.label}: {name}"
    value = late.get(name, argument.default)
    rows = [row for row in operator.rows if row.inputs[0] == first] or list(operator.rows)
    sort = argument.sort(attributes) if argument.sort is not None else rows[0].inputs[k]
    if name not in late and not isinstance(value, int):
        raise InvalidError(
            f"{who} is missing; give --attr {name}={'@FILE.npy' if argument.use == 'table' else 'NUMBER'}"
        )
    if isinstance(sort, ArraySort):
        array = arrays.list_as(np.asarray(value), sort.element, who)
        return ArraySort(sort.element, array.size), patterns(array.ravel(), sort.element)
    array = arrays.list_as(np.asarray(value), sort, who)
    if array.size != 1:
        raise InvalidError(f"{who} has {array.size} values; one element needs one")
    return sort, patterns(array.reshape(1), sort)[0]


def _sort(name: str) -> Sort:
    if name not in BY_NAME:
        raise InvalidError(f"type {name!r}; allowed: {', '.join(BY_NAME)}")
    return BY_NAME[name]


def _pattern(text: str, sort: Sort, who: str) -> int:
    """The bits of a number as text."""
    value: int | float
    try:
        if sort.kind == "bool":
            return {"true": 1, "false": 0, "1": 1, "0": 0}[text.lower()]
        value = int(text, 0) if sort.kind == "int" else _real(text)
    except (ValueError, KeyError):
        raise InvalidError(f"{who}: {brief(text)} is no {sort.name}") from None
    if sort.kind == "float":
        if value in (math.inf, -math.inf) and "inf" not in text.lower():
            raise InvalidError(f"{who}: {brief(text)} does not fit {sort.name}")
        return arrays.float_pattern(value, sort, who)
    if not sort.lowest <= value <= sort.highest:
        raise InvalidError(f"{who}: {brief(value)} does not fit {sort.name} ({sort.lowest} … {sort.highest})")
    return to_pattern(int(value), sort)


def _real(text: str) -> int | float:
    """The number as it is written: a whole one, which must be kept, or one that may be rounded."""
    try:
        whole = int(text, 0)
    except ValueError:
        return float(text)
    return -0.0 if whole == 0 and text.startswith("-") else whole


def _plain(operand: Any, sort: AnySort) -> Any:
    if isinstance(sort, ArraySort):
        return f"{len(operand)} entries"
    return plain(number(operand, sort))


def _bits(operand: Any, sort: AnySort) -> str:
    return "" if isinstance(sort, ArraySort) else grouped(operand, sort.width)


def _show(operand: Any, sort: AnySort) -> str:
    """A value in decimal, binary and hexadecimal; signless words are shown without sign."""
    if isinstance(sort, ArraySort):
        return f"a table of {len(operand)} entries"
    return shown(operand, sort)


def _constant(node: nodes.Node) -> str:
    assert isinstance(node.sort, Sort) and node.data is not None
    if node.sort.kind == "bool":
        return str(bool(node.data)).lower()
    return str(number(node.data, node.sort)) if node.sort.kind == "float" else str(node.data)


__all__ = ["Explanation", "LanewiseError", "check_given", "explain_command", "explained", "settings_of"]
