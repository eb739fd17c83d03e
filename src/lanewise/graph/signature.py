"""How an operator looks from Python: name, signature, documentation."""

from __future__ import annotations

import inspect
from keyword import iskeyword
from typing import Any

from lanewise.language.attributes import REQUIRED
from lanewise.language.operator import Operator


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
    for name, value in (("profile", None),) if keyword == "version" else ():
        parameters.append(inspect.Parameter(name, keyed, default=value))
    for name, value in (("out", None), ("on_unpredictable", "raise"), ("engine", "native")):
        parameters.append(inspect.Parameter(name, keyed, default=value))
    return inspect.Signature(parameters)


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, kind, default=inspect.Parameter.empty if default is REQUIRED else default)


def documentation(operator: Operator) -> str:
    """The definition's text, then shapes, types, ranges, errors and source."""
    lines = [
        inspect.getdoc(operator.meaning) or "",
        "",
        f"Source: {operator.release.title}, {operator.release.section}.",
    ]
    return "\n".join(lines)
