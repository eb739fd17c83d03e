"""Every ONNX record against the schemas of the `onnx` package: versions, names, types, attributes."""

from __future__ import annotations

import itertools
import keyword
import struct

import onnx.defs
import pytest

import lanewise as lw
from lanewise.graph.signature import python_name
from lanewise.language.attributes import REQUIRED
from lanewise.language.operator import Row
from lanewise.language.sorts import BY_NAME, i64
from lanewise.operators.catalogue import versions_of
from lanewise.operators.onnx.rows import NEWEST_OPSET
from tests.operators.battery import check_examples

# The types of ONNX that lanewise has not.
LEFT_OUT = {
    "string", "complex64", "complex128", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
    "float8e8m0", "float6e2m3", "float6e3m2", "float4e2m1", "int4", "uint4", "int2", "uint2",
}  # fmt: skip
NAMES = {"float": "float32", "double": "float64"}

SCHEMAS = {
    (schema.name, schema.since_version): schema
    for schema in onnx.defs.get_all_schemas_with_history()
    if schema.domain == "" and schema.since_version <= NEWEST_OPSET
}
RECORDS = [record for records in versions_of("onnx").values() for record in records]


def sorts(types):
    """The sorts of some type strings; sequences, optionals and the types above are left out."""
    found = []
    for name in types:
        inner = name.removeprefix("tensor(").removesuffix(")")
        if "(" in inner or inner in LEFT_OUT:
            continue
        found.append(BY_NAME[NAMES.get(inner, inner)])
    return found


def rows_of(schema):
    """All rows that the type parameters of a schema allow."""
    parameters = {
        constraint.type_param_str: sorts(constraint.allowed_type_strs) for constraint in schema.type_constraints
    }
    rows = set()
    for choice in itertools.product(*parameters.values()):
        chosen = dict(zip(parameters, choice, strict=True))
        inputs = tuple(chosen[i.type_str] if i.type_str in chosen else sorts([i.type_str])[0] for i in schema.inputs)
        rows.add(Row(inputs, chosen[schema.outputs[0].type_str]))
    return {row for row in rows if not (schema.name == "Pow" and mixes_floats(row))}


def mixes_floats(row):
    """Operands of two types with a float among them, for which Pow has no rows here (O16)."""
    return len(set(row.inputs)) > 1 and any(sort.kind == "float" for sort in row.inputs)


def test_the_versions_of_each_operator_are_all_there():
    for name, records in versions_of("onnx").items():
        assert [record.release.since for record in records] == sorted(s for n, s in SCHEMAS if n == name), name


def test_there_are_as_many_operators_as_expected():
    assert len(versions_of("onnx")) == 33
    assert len(RECORDS) == 135


def test_every_operator_has_a_name_that_python_can_write():
    names = [python_name(name) for name in versions_of("onnx")]
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
    assert lw.onnx.__all__ == sorted(names)
    assert {"and_", "or_", "not_", "bit_shift", "max"} < set(names)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.label)
def test_record(record):
    schema = SCHEMAS[record.name, record.release.since]
    variadic, optional = (
        onnx.defs.OpSchema.FormalParameterOption.Variadic,
        onnx.defs.OpSchema.FormalParameterOption.Optional,
    )
    assert set(record.rows) == rows_of(schema)
    assert len(record.rows) == len(set(record.rows))
    assert list(record.arguments) == [i.name for i in schema.inputs]
    assert [a.optional for a in record.arguments.values()] == [i.option == optional for i in schema.inputs]
    assert record.variadic == any(i.option == variadic for i in schema.inputs)
    assert [record.output] == [o.name for o in schema.outputs]
    numbers = [a.use == "numbers" for a in record.arguments.values()]
    assert numbers == [i.type_str == "tensor(int64)" for i in schema.inputs]
    assert all(row.inputs[k] == i64 for row in record.rows for k, number in enumerate(numbers) if number)
    assert set(record.attributes) == set(schema.attributes)
    for name, attribute in record.attributes.items():
        stated = schema.attributes[name]
        assert (attribute.default is REQUIRED) == stated.required, name
        if stated.required:
            continue
        value = onnx.helper.get_attribute_value(stated.default_value) if stated.default_value.name else None
        if value is None:
            assert attribute.default is None, name
        else:
            assert attribute.default == attribute.read(value), name
            assert isinstance(attribute.default, bool | str) or struct.pack("<f", attribute.default) == struct.pack(
                "<f", value
            )


@pytest.mark.parametrize("record", [r for r in RECORDS if not r.constant], ids=lambda record: record.label)
def test_examples(record):
    check_examples(record)
