"""How an operator looks from Python: name, signature, documentation."""

from __future__ import annotations

import inspect
from keyword import iskeyword
from typing import Any

from lanewise.graph.requirements import requirements, row_text
from lanewise.language.attributes import REQUIRED, Attribute
from lanewise.language.operator import Operator

SHOWN = 12  # rows of a table of types
USES = {
    "scalar": "one number",
    "table": "a list that is read by index",
    "channel": "a list of one number, or of one for each index of the last axis",
    "numbers": "a list of whole numbers",
}


def python_name(name: str) -> str:
    """The Python name: ADD → add, BitShift → bit_shift; And → and_, because `and` is Python's own."""
    if not name.isupper() and "_" not in name:
        name = "".join("_" + letter if letter.isupper() and k else letter for k, letter in enumerate(name))
    name = name.lower()
    return name + "_" if iskeyword(name) else name


def signature(operator: Operator, keyword: str, default: int | str) -> inspect.Signature:
    plain, keyed = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = []
    for name, argument in operator.arguments.items():
        if operator.variadic:
            parameters.append(inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL))
        elif argument.use == "scalar" and argument.default is not REQUIRED:
            continue
        else:
            absent = None if argument.optional else argument.default
            parameters.append(_parameter(name, plain, absent))
    for name, argument in operator.arguments.items():
        if argument.use == "scalar" and argument.default is not REQUIRED:
            parameters.append(_parameter(name, keyed, argument.default))
    for name, attribute in operator.attributes.items():
        parameters.append(_parameter(name, keyed, attribute.default))
    parameters.append(inspect.Parameter(keyword, keyed, default=default))
    common: dict[str, Any] = {"profile": None} if keyword == "version" else {}
    common |= {"out": None, "where": True, "on_unpredictable": "raise", "engine": "native"}
    for name, value in common.items():
        parameters.append(inspect.Parameter(name, keyed, default=value))
    return inspect.Signature(parameters)


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, kind, default=inspect.Parameter.empty if default is REQUIRED else default)


def documentation(operator: Operator) -> str:
    """The result, then shapes, element types, attributes, requirements, errors and the section."""
    parts = {
        "Shapes": inspect.getdoc(operator.shape),
        "Element types": _listing(list(map(row_text, operator.rows)), f"lanewise ops {operator.name}"),
        "Arguments": "\n".join(_argument(operator, k) for k in range(len(operator.arguments))),
        "Attributes": "\n".join(_attribute(*item) for item in operator.attributes.items()),
        "Requires": "\n".join(f"{reason}  [{', '.join(sorts)}]" for reason, sorts in requirements(operator).items()),
    }
    errors = ["InvalidError: no row has the element types, or shapes or attributes break a rule"]
    if parts["Requires"]:
        errors.append(
            "UnpredictableError: an element breaks a requirement (on_unpredictable: mask says which, value computes on)"
        )
    parts["Raises"] = "\n".join([*errors, "UnsupportedError: a version that lanewise does not have"])
    parts["Section"] = f"{operator.release.title}, {operator.release.section}"
    lines = [inspect.getdoc(operator.meaning) or ""]
    for title, text in parts.items():
        if text and text.strip():
            lines += ["", f"{title}:", *(f"    {line}" for line in text.splitlines() if line)]
    return "\n".join(lines)


def _argument(operator: Operator, k: int) -> str:
    """What an operand is that is no tensor of elements."""
    argument, name = operator.argument(k), list(operator.arguments)[k]
    if argument.use not in USES:
        return ""
    types = ", ".join(dict.fromkeys(row.inputs[k].name for row in operator.rows))
    default = "" if argument.default in (REQUIRED, None) else f"; default {argument.default}"
    return f"{name}: {USES[argument.use]} ({types}){default}"


def _attribute(name: str, attribute: Attribute) -> str:
    default = getattr(attribute.default, "name", attribute.default)
    return f"{name}: {attribute.allowed}; {'required' if default is REQUIRED else f'default {default}'}"


def _listing(lines: list[str], command: str) -> str:
    more = [f"and {len(lines) - SHOWN} more: {command}"] if len(lines) > SHOWN else []
    return "\n".join([*lines[:SHOWN], *more])
