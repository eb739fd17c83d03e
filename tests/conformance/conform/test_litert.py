"""LiteRT as a target: the models that it is given, and what is found out about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.run import conform
from lanewise.conformance.targets.case import Case, Died, NotThere
from lanewise.conformance.targets.names import target_of

pytest.importorskip("ai_edge_litert", reason="LiteRT is not installed: pip install ai-edge-litert")

from ai_edge_litert import schema_py_generated as schema

from lanewise.conformance.targets import litert_models, spelt_litert

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the copies of a process with threads
Codes = schema.BuiltinOperator


def judged(operators: str, types: str) -> list[v.Finding]:
    return conform([target_of("litert")], [operators], [types]).findings


def ask(specification: str, operator: str, output: str, *operands: Any, **attributes: Any) -> Any:
    run = spelt_litert.runner("litert")
    return run(
        Case(specification, operator, 28 if specification == "onnx" else "0.23.0", attributes, output), [*operands]
    )


def test_a_model_is_one_operator_with_its_options() -> None:
    content = litert_models.model_of(Codes.CAST, [("int8", (2, 3))], "float32")
    assert schema.Model.ModelBufferHasIdentifier(content, 0)
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    (graph,), (code,) = model.subgraphs, model.operatorCodes
    (operator,) = graph.operators
    assert (code.builtinCode, code.deprecatedBuiltinCode) == (Codes.CAST, Codes.CAST)
    assert [(tensor.type, list(tensor.shape)) for tensor in graph.tensors] == [
        (schema.TensorType.INT8, [2, 3]),
        (schema.TensorType.FLOAT32, [2, 3]),
    ]
    assert (operator.builtinOptions.inDataType, operator.builtinOptions.outDataType) == (
        schema.TensorType.INT8,
        schema.TensorType.FLOAT32,
    )
    assert (list(operator.inputs), list(operator.outputs)) == ([0], [1])


def test_later_operators_are_marked_for_older_readers() -> None:
    content = litert_models.model_of(Codes.RIGHT_SHIFT, [("int8", (4, 1)), ("int8", (1, 3))], "int8")
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    code = model.operatorCodes[0]
    assert (code.builtinCode, code.deprecatedBuiltinCode) == (Codes.RIGHT_SHIFT, 127)
    assert list(model.subgraphs[0].tensors[2].shape) == [4, 3]


def test_operators_are_those_that_are_meant() -> None:
    x, y = np.array([-8, 5], np.int8), np.array([1, 2], np.int8)
    assert ask("onnx", "BitShift", "int8", x, y, direction="RIGHT").tolist() == [-4, 1]
    assert ask("onnx", "BitShift", "int8", x, y, direction="LEFT").tolist() == [-16, 20]
    assert ask("tosa", "LOGICAL_RIGHT_SHIFT", "int8", x, y).tolist() == [124, 1]
    assert ask("onnx", "BitwiseXor", "int8", x, y).tolist() == [-7, 7]
    truths = np.array([True, True, False]), np.array([True, False, False])
    assert ask("onnx", "Xor", "bool", *truths).tolist() == [False, True, False]
    wide = np.array([-7, 7], np.int32), np.array([2, -2], np.int32)
    assert ask("tosa", "INTDIV", "int32", *wide).tolist() == [-3, -3]
    assert ask("onnx", "Mod", "int32", *wide, fmod=False).tolist() == [1, -1]
    assert ask("tosa", "MUL", "int32", *wide, np.array([0], np.uint8)).tolist() == [-14, -14]
    assert ask("onnx", "Cast", "bool", np.array([0.0, -0.5], np.float32), to="bool").tolist() == [False, True]


@pytest.mark.parametrize(("specification", "operator", "attributes"), [
    ("onnx", "BitwiseOr", {}),
    ("onnx", "Mod", {"fmod": True}),
    ("tosa", "ARITHMETIC_RIGHT_SHIFT", {"round": True}),
])  # fmt: skip
def test_what_has_no_counterpart_is_not_there(specification: str, operator: str, attributes: dict[str, Any]) -> None:
    x = np.array([1], np.int32)
    with pytest.raises(NotThere):
        ask(specification, operator, "int32", x, x, **attributes)


def test_products_that_take_more_than_one_operator_are_not_there() -> None:
    x = np.array([1], np.int32)
    for operand, shift in ((x, 5), (x.astype(np.int8), 0)):
        with pytest.raises(NotThere):
            ask("tosa", "MUL", "int32", operand, operand, np.array([shift], np.uint8))


def test_a_type_that_is_not_taken_is_a_refusal() -> None:
    x = np.array([1], np.uint64)
    with pytest.raises(RuntimeError, match="UINT64"):
        ask("onnx", "BitwiseXor", "uint64", x, x)


def test_counts_are_found_to_be_clamped() -> None:
    (right,) = [f for f in judged("^BitShift-28", "^int8$") if "RIGHT" in f.key]
    if not right.differing:
        pytest.skip("this release of LiteRT shifts as specified")
    assert (right.verdict, right.exhaustive) == (v.DIFFERS, True)
    assert (right.rules[0].name, right.rules[0].explained) == ("count clamped on both sides", right.differing)


def test_a_division_that_kills_leaves_the_rest_to_be_judged() -> None:
    (finding,) = judged("^Mod-28", "^int32$")[:1]
    dead = [failing for failing in finding.failing if failing.kind == "crash"]
    if not dead:
        pytest.skip("this release of LiteRT survives")
    assert (finding.verdict, dead[0].operands, dead[0].place) == (v.CRASHES, ["-2147483648", "-1"], "specified")
    assert "SIGFPE" in dead[0].message
    assert finding.compared > 4000
    assert finding.differing == 0


def test_sums_of_bytes_without_a_scale() -> None:
    x = np.array([1, 2], np.int8)
    try:
        found = ask("onnx", "Add", "int8", x, x)
    except Died as error:
        assert "SIGABRT" in str(error)
    else:
        pytest.skip(f"this release of LiteRT gives {found}")
