"""Operators' attributes as TOSA files keep them.

`attributes_of` splits them into attributes of the record and arguments (operands of the definition
that the old schema keeps as attributes: MUL's shift, TABLE's table, RESCALE's multiplier and shift).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lanewise.engines.storage import dtype_of
from lanewise.formats.tosa_data import decode, encode
from lanewise.formats.tosa_schema import NAN_MODES, ROUNDING_MODES
from lanewise.graph.model import TensorType
from lanewise.language.errors import InvalidError
from lanewise.language.sorts import Sort

TypeOf = Callable[[str], TensorType]

# 0.23.0: operator → the attribute table it must have, and which field is what.
_OLD: dict[str, tuple[str, dict[str, str]]] = {
    "ARITHMETIC_RIGHT_SHIFT": ("ArithmeticRightShiftAttribute", {"round": "round"}),
    "MUL": ("MulAttribute", {"shift": "shift"}),
    "TABLE": ("TableAttribute", {"table": "table"}),
    "RESHAPE": ("ReshapeAttribute", {"shape": "new_shape"}),
    "CLAMP": ("ClampAttribute", {}),
    "RESCALE": (
        "RescaleAttribute",
        {
            name: name
            for name in (
                "input_zp", "output_zp", "multiplier", "shift", "scale32", "double_round", "per_channel"
            )
        },
    ),
}  # fmt: skip
_OLD_ARGUMENTS = {"MUL": ("shift",), "TABLE": ("table",), "RESCALE": ("multiplier", "shift")}

# 1.x: which field of the operator's own table is what.
_NEW: dict[str, dict[str, str]] = {
    "ARITHMETIC_RIGHT_SHIFT": {"round": "round"},
    "CLAMP": {"min_val": "min_val", "max_val": "max_val", "nan_mode": "nan_mode"},
    "MAXIMUM": {"nan_mode": "nan_mode"},
    "MINIMUM": {"nan_mode": "nan_mode"},
    "RESCALE": {
        name: name for name in ("scale32", "rounding_mode", "per_channel", "input_unsigned", "output_unsigned")
    },
}
_ENUMS = {"nan_mode": NAN_MODES, "rounding_mode": ROUNDING_MODES}


def attributes_of(
    old: bool, op: str, entry: Mapping[str, Any], type_of: TypeOf, who: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Attributes, and arguments kept as attributes, of one operator in a file."""
    return _old(op, entry, type_of, who) if old else _new(op, entry, type_of, who)


def _old(op: str, entry: Mapping[str, Any], type_of: TypeOf, who: str) -> tuple[dict[str, Any], dict[str, Any]]:
    wanted, fields = _OLD.get(op, (None, {}))
    found = entry["attribute"]
    kind, values = found if found is not None else (None, {})
    if kind != wanted:
        raise InvalidError(f"{who}: has {kind or 'no attribute'}; {op} needs {wanted or 'none'}")
    if entry["quant_info"] is not None and op != "NEGATE":
        raise InvalidError(f"{who}: has {entry['quant_info'][0]}; {op} has none")
    if op == "CLAMP":
        return _old_bounds(entry, values, type_of, who), {}
    attributes = {ours: values[theirs] for theirs, ours in fields.items()}
    if op == "NEGATE":
        attributes |= _zero_points(entry, who)
    for name in ("multiplier", "shift", "table", "new_shape"):
        if name in attributes and attributes[name] is None:
            attributes[name] = []  # an empty list is not written
    arguments = {name: attributes.pop(name) for name in _OLD_ARGUMENTS.get(op, ())}
    return attributes, arguments


def _old_bounds(entry: Mapping[str, Any], values: Mapping[str, Any], type_of: TypeOf, who: str) -> dict[str, Any]:
    """CLAMP keeps whole and real bounds side by side; the input's type says which count."""
    if not entry["inputs"]:
        raise InvalidError(f"{who}: lists no input")
    sort = type_of(entry["inputs"][0]).sort
    suffix = "fp" if isinstance(sort, Sort) and sort.kind == "float" else "int"
    return {"min_val": values[f"min_{suffix}"], "max_val": values[f"max_{suffix}"]}


def _zero_points(entry: Mapping[str, Any], who: str) -> dict[str, int]:
    quantisation = entry["quant_info"]
    if quantisation is None:
        return {}
    kind, values = quantisation
    if kind != "UnaryQuantInfo":
        raise InvalidError(f"{who}: has {kind}; it may have UnaryQuantInfo")
    return {"input1_zp": values["input_zp"], "output_zp": values["output_zp"]}


def _new(op: str, entry: Mapping[str, Any], type_of: TypeOf, who: str) -> tuple[dict[str, Any], dict[str, Any]]:
    found = entry["attribute"]
    kind, values = found if found is not None else (None, {})
    if kind is not None and kind != op:
        raise InvalidError(f"{who}: has the attributes of {kind}")
    fields = _NEW.get(op, {})
    if fields and kind is None:
        raise InvalidError(f"{who}: has no attributes; {op} needs {', '.join(fields)}")
    attributes = {ours: values[theirs] for theirs, ours in fields.items()}
    for name, names in _ENUMS.items():
        if name in attributes:
            number = attributes[name]
            if number >= len(names):
                raise InvalidError(f"{who}: {name} has the unknown number {number}")
            attributes[name] = names[number]
    if op == "CLAMP":
        if not entry["inputs"]:
            raise InvalidError(f"{who}: lists no input")
        sort = type_of(entry["inputs"][0]).sort
        assert isinstance(sort, Sort)
        for name in ("min_val", "max_val"):
            attributes[name] = decode(attributes[name], sort, (), 8, f"{who}: {name}").item()
            if not isinstance(attributes[name], int | float):
                attributes[name] = float(attributes[name])
    return attributes, {}


# --- writing ---------------------------------------------------------------------------------


def old_fields(op: str, attributes: Mapping[str, Any], arguments: Mapping[str, Any], sort: Any) -> tuple[Any, Any]:
    """The attribute table and the quantisation table of a 0.23.0 operator."""
    table, fields = _OLD.get(op, (None, {}))
    quantisation = None
    if op == "NEGATE":
        quantisation = ("UnaryQuantInfo", {"input_zp": attributes["input1_zp"], "output_zp": attributes["output_zp"]})
    if table is None:
        return None, quantisation
    if op == "CLAMP":
        suffix = "fp" if sort.kind == "float" else "int"
        return (table, {f"min_{suffix}": attributes["min_val"], f"max_{suffix}": attributes["max_val"]}), None
    values = {**attributes, **arguments}
    content = {}
    for theirs, ours in fields.items():
        value = values[ours]
        content[theirs] = value[0] if theirs == "shift" and op == "MUL" else _listed(value)
    return (table, content), quantisation


def kept_attributes(op: str) -> frozenset[str]:
    """The attributes that a 1.x file has a field for."""
    return frozenset(_NEW.get(op, {}).values())


def new_fields(op: str, attributes: Mapping[str, Any], sort: Any) -> dict[str, Any]:
    """The fields of a 1.x operator's own table."""
    content = {}
    for theirs, ours in _NEW.get(op, {}).items():
        value = attributes[ours]
        if theirs in _ENUMS:
            value = _ENUMS[theirs].index(value)
        elif op == "CLAMP":
            value = encode(np.array(value, dtype_of(sort)), sort)
        content[theirs] = value
    return content


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
