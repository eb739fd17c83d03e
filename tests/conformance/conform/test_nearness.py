"""How far from the nearest number a result may be, by operator and version; and kernels that are made in haste."""

from __future__ import annotations

import numpy as np
import pytest

from lanewise.conformance.judging.cells import Cell
from lanewise.conformance.judging.questions import asked, cells
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.targets.names import target_of
from lanewise.engines.checks import masked
from lanewise.engines.native.kernel import kernel


def named(specification: str, version: str, operator: str, kind: str) -> Cell:
    found = cells(specification, [version])
    return next(cell for cell in found if cell.operator == operator and cell.type_text == kind)


@pytest.mark.parametrize(("specification", "version", "operator", "kind", "allowed"), [
    ("tosa", "0.23.0", "reciprocal", "float32", 0),
    ("tosa", "1.0", "reciprocal", "float32", 1),
    ("tosa", "1.1", "reciprocal", "float16", 1),
    ("tosa", "1.0", "add", "bfloat16", 0),
    ("tosa", "1.1", "add", "bfloat16", 1),
    ("tosa", "1.1", "mul", "bfloat16", 1),
    ("tosa", "1.1", "sub", "float16", 0),
    ("tosa", "0.23.0", "pow", "float32", 1),
    ("onnx", "28", "add", "bfloat16", 0),
])  # fmt: skip
def test_what_is_allowed_is_no_difference_and_one_more_is(
    specification: str, version: str, operator: str, kind: str, allowed: int
) -> None:
    cell = named(specification, version, operator, kind)
    operands = [np.array([3.0], np.float32).astype(Subject(cell).expected.dtype) for _ in cell.free]
    subject = Subject(cell, operands)
    want = subject.expected
    for distance in range(3):
        found = (want.view(f"u{want.itemsize}") + distance).astype(f"u{want.itemsize}").view(want.dtype)
        assert subject.differs(found, want).tolist() == [distance > allowed]


def test_kernels_made_in_haste_give_the_same_bits() -> None:
    for cell in list(asked(target_of("numpy")))[::7]:
        if any(isinstance(value, list) for value in cell.fixed.values()):
            continue
        columns, function = Subject(cell).columns, masked(cell.function)
        shape = columns[0].shape
        given = list(columns)
        slow, fast = (kernel(function, optimised=best)(given, shape)[0] for best in (False, True))
        for one, other in zip(slow, fast, strict=True):
            assert one.tobytes() == other.tobytes(), cell.key
