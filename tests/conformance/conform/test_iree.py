"""IREE as a target: what it is asked, how requests are shaped, and what is found out about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.run import conform
from lanewise.conformance.targets.case import Case, NotThere
from lanewise.conformance.targets.names import target_of

if target_of("iree").missing is not None:
    pytest.skip(f"IREE: {target_of('iree').missing}", allow_module_level=True)

from lanewise.conformance.targets import iree_modules

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the copies of a process with threads


def judged(operators: str, types: str) -> list[v.Finding]:
    return conform([target_of("iree")], [operators], [types]).findings


def ask(operator: str, output: str, *operands: Any, version: str = "1.1", **attributes: Any) -> Any:
    return iree_modules.runner("iree")(Case("tosa", operator, version, attributes, output), [*operands])


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_operators_with_attributes_constants_and_tables(version: str) -> None:
    x, y = np.array([-7, 5, 100], np.int8), np.array([1, 2, 3], np.int8)
    shifted = ask("ARITHMETIC_RIGHT_SHIFT", "int8", x, y, version=version, round=True)
    assert (shifted.dtype, shifted.tolist()) == (np.int8, [-3, 1, 13])
    wide = np.array([5, -5], np.int32), np.array([2, 2], np.int32)
    assert ask("MUL", "int32", *wide, np.array([2], np.int8), version=version).tolist() == [3, -2]
    table = np.arange(-128, 128).astype(np.int8)[::-1]
    assert ask("TABLE", "int8", x, table, version=version).tolist() == [6, -6, -101]
    reals = np.array([np.nan, 1], np.float16), np.array([2, -1], np.float16)
    assert ask("MAXIMUM", "float16", *reals, version=version, nan_mode="IGNORE").tolist() == [2, 1]
    truths = np.array([True, False]), np.array([True, True])
    assert ask("LOGICAL_XOR", "bool", *truths, version=version).tolist() == [False, True]


def test_operands_are_filled_up_to_few_shapes_and_results_cut() -> None:
    sizes = [iree_modules._filled(np.zeros(shape, np.int8)).shape for shape in [(1,), (8192,), (1, 60), (200, 1)]]
    assert sizes == [(8192,), (8192,), (1, 64), (256, 1)]
    kept = iree_modules._filled(np.arange(3, dtype=np.int8))
    assert kept[:6].tolist() == [0, 1, 2, 0, 1, 2]
    a, b = np.arange(3, dtype=np.int32)[None, :], np.arange(5, dtype=np.int32)[:, None]
    assert (ask("ADD", "int32", a, b) == a + b).all()


def test_other_specifications_and_versions_are_not_there() -> None:
    x = np.array([1], np.int32)
    with pytest.raises(NotThere):
        ask("ADD", "int32", x, x, version="0.23.0")
    with pytest.raises(NotThere):
        iree_modules.runner("iree")(Case("onnx", "Add", 14, {}, "int32"), [x, x])


def test_what_does_not_compile_is_a_refusal_in_the_compilers_words() -> None:
    found = iree_modules._compiled(b"func.func @main() { return %x : i32 }")
    assert isinstance(found, ValueError)
    assert "undeclared" in str(found)
    assert "\n" not in str(found)


def test_shifts_agree_on_every_pair_of_bytes() -> None:
    findings = judged("^(ARITHMETIC|LOGICAL)_RIGHT_SHIFT", "^int8$")
    assert [(f.verdict, f.exhaustive, f.differing) for f in findings] == [(v.AGREES, True, 0)] * 3
    assert {f.compared for f in findings} == {256 * 8}
    assert {f.layouts["broadcast"] for f in findings} == {v.AGREES}


def test_subnormal_sums_are_found_to_be_0() -> None:
    (finding,) = judged("^ADD", "^float32$")
    assert (finding.verdict, finding.differing, finding.reading) == (v.AGREES, 0, "T5")
    if not finding.open_differing:
        pytest.skip("this release of IREE keeps subnormal numbers")
    rule = finding.open_rules[0]
    assert (rule.name, rule.explained) == ("subnormal numbers are 0", finding.open_differing)
