"""Each library is asked about every operator that it has; what it has not is listed here."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from lanewise.conformance.targets.names import LIBRARIES, target_of
from lanewise.conformance.targets.process import TargetProcess
from lanewise.conformance.targets.protocol import array_of, tensor
from lanewise.graph.signature import python_name
from lanewise.operators import catalogue

SHAPES = {"constant", "const", "expand", "reshape", "squeeze", "unsqueeze"}  # they move elements, or make them
LACKING = {
    "numpy": {"clz"},
    "torch": {"clz"},
    "jax": set(),
    "litert": {"bitwise_not", "bitwise_or", "clip", "clz", "identity", "reciprocal", "rescale", "table"},
}
ONE = np.array([1, 0, 7], np.int8)
TWO = np.array([1, 2, -3], np.int8)
RUNS: list[tuple[str, str, Any, tuple[Any, ...], dict[str, Any], list[Any]]] = [
    ("onnx", "Where", 16, (ONE == 1, ONE, TWO), {}, [1, 2, -3]),
    ("onnx", "Pow", 15, (TWO.astype(np.int32), ONE.astype(np.int32)), {}, [1, 1, -2187]),
    ("tosa", "GREATER_EQUAL", "0.23.0", (ONE.astype(np.int32), TWO.astype(np.int32)), {}, [True, False, True]),
    ("tosa", "SELECT", "0.23.0", (ONE == 1, ONE, TWO), {}, [1, 2, -3]),
    ("tosa", "LOGICAL_NOT", "0.23.0", (ONE == 1,), {}, [False, True, True]),
    ("tosa", "CLAMP", "0.23.0", (TWO.astype(np.float32),), {"min_val": -1.0, "max_val": 1.0}, [1.0, 1.0, -1.0]),
    ("tosa", "NEGATE", "0.23.0", (TWO,), {"input1_zp": 0, "output_zp": 0}, [-1, -2, 3]),
    ("tosa", "NEGATE", "1.1", (TWO, np.zeros(1, np.int8), np.zeros(1, np.int8)), {}, [-1, -2, 3]),
    ("tosa", "RECIPROCAL", "0.23.0", (np.array([0.5, -4.0, 1.0], np.float32),), {}, [2.0, -0.25, 1.0]),
    ("tosa", "CLZ", "0.23.0", (ONE.astype(np.int32),), {}, [31, 32, 29]),
    ("tosa", "IDENTITY", "0.23.0", (ONE,), {}, [1, 0, 7]),
    (
        "tosa",
        "MAXIMUM",
        "1.1",
        (np.array([np.nan, 1, 2], np.float32), np.zeros(3, np.float32)),
        {"nan_mode": "IGNORE"},
        [0.0, 1.0, 2.0],
    ),
    ("onnx", "Max", 13, (ONE, TWO, np.full(3, 3, np.int8)), {}, [3, 3, 7]),
]


def module(library: str) -> Any:
    if LIBRARIES[library].missing is not None:
        pytest.skip(LIBRARIES[library].missing)
    return importlib.import_module(f"lanewise.conformance.targets.spelt_{library}")


def asked(
    specification: str, operator: str, version: Any, attributes: dict[str, Any], output: str, operands: tuple[Any, ...]
) -> dict[str, Any]:
    return {
        "do": "run",
        "specification": specification,
        "operator": operator,
        "version": version,
        "attributes": attributes,
        "output": output,
        "inputs": [tensor(operand) for operand in operands],
        "layout": "contiguous",
    }


@pytest.mark.parametrize("library", LACKING)
def test_every_operator_is_spelt_where_the_library_has_it(library: str) -> None:
    spelt = module(library)
    lacking = {
        python_name(name)
        for specification, written in (("onnx", spelt.Onnx), ("tosa", spelt.Tosa))
        for name in catalogue.versions_of(specification)
        if not hasattr(written, python_name(name))
    }
    assert lacking - SHAPES == LACKING[library]


@pytest.mark.parametrize("library", LACKING)
def test_what_they_give(library: str) -> None:
    module(library)
    with TargetProcess(target_of(library), 60) as process:
        for specification, operator, version, operands, attributes, want in RUNS:
            output = {bool: "bool", float: "float32"}.get(type(want[0]), operands[0].dtype.name)
            output = "int8" if output == "bool" and want == [1, 2, -3] else output
            reply = process.ask(asked(specification, operator, version, attributes, output, operands))
            of_two = library == "litert" and (len(operands) == 3 and operator == "Max")
            if of_two:
                assert "refuses" in reply
            elif python_name(operator) in LACKING[library] or (library == "litert" and "nan_mode" in attributes):
                assert "absent" in reply, operator
            else:
                assert "output" in reply, (operator, reply)
                found = array_of(reply["output"])
                assert (found.dtype.name, found.tolist()) == (output, want), operator


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_the_rounding_shift_does_not_wrap(library: str) -> None:
    module(library)
    x, n = np.array([127, -128, 127, -128, -1, 5], np.int8), np.array([1, 1, 7, 7, 7, 0], np.int8)
    with TargetProcess(target_of(library), 60) as process:
        request = asked("tosa", "ARITHMETIC_RIGHT_SHIFT", "0.23.0", {"round": True}, "int8", (x, n))
        assert array_of(process.ask(request)["output"]).tolist() == [64, -64, 1, -1, 0, 5]


@pytest.mark.parametrize("library", LACKING)
def test_zero_points_have_no_spelling(library: str) -> None:
    module(library)
    with TargetProcess(target_of(library), 60) as process:
        attributes = {"input1_zp": 1, "output_zp": 0}
        assert "absent" in process.ask(asked("tosa", "NEGATE", "0.23.0", attributes, "int8", (ONE,)))


ARRAYS = ["numpy", "torch", "jax"]
SCALE = np.array([1 << 30], np.int32)


@pytest.mark.parametrize("library", ARRAYS)
def test_bits_read_without_sign(library: str) -> None:
    module(library)
    with TargetProcess(target_of(library), 60) as process:
        attributes = {"output_type": "int16", "input_unsigned": True}
        reply = process.ask(asked("tosa", "CAST", "1.1", attributes, "int16", (TWO,)))
        assert array_of(reply["output"]).tolist() == [1, 2, 253]


@pytest.mark.parametrize("library", ARRAYS)
def test_scales_round_halves_up_and_clip(library: str) -> None:
    module(library)
    x, zeros = np.array([127, -128, 1, -1], np.int8), (np.array([-7], np.int8), np.array([12], np.int8))
    old = {"scale32": True, "double_round": False, "input_zp": -7, "output_zp": 12, "output_type": "int8"}
    new = {"scale32": True, "rounding_mode": "SINGLE_ROUND", "input_unsigned": False, "output_unsigned": False}
    with TargetProcess(target_of(library), 60) as process:
        for version, attributes, operands in (
            ("0.23.0", old, (SCALE, np.array([31], np.uint8))),
            ("1.1", new | {"output_type": "int8"}, (SCALE, np.array([31], np.int8), *zeros)),
        ):
            reply = process.ask(asked("tosa", "RESCALE", version, attributes, "int8", (x, *operands)))
            assert array_of(reply["output"]).tolist() == [79, -48, 16, 15]  # 134 / 2 + 12, -60.5 up, 8 / 2, 6 / 2
        twice = asked("tosa", "RESCALE", "0.23.0", old | {"double_round": True}, "int8", (x, SCALE, SCALE[:1] * 0 + 33))
        assert "absent" in process.ask(twice)


@pytest.mark.parametrize("library", ARRAYS)
def test_bounds_that_are_attributes_or_overlook_nan(library: str) -> None:
    module(library)
    x = np.array([np.nan, -9, 200], np.float32)
    with TargetProcess(target_of(library), 60) as process:
        reply = process.ask(asked("onnx", "Clip", 6, {"min": -5.0}, "float32", (x,)))
        assert array_of(reply["output"]).tolist()[1:] == [-5, 200]
        attributes = {"min_val": -1.0, "max_val": 1.0, "nan_mode": "IGNORE"}
        reply = process.ask(asked("tosa", "CLAMP", "1.1", attributes, "float32", (x,)))
        assert array_of(reply["output"]).tolist() == [-1, -1, 1]
