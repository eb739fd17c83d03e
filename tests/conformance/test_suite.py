"""Running folders of tests: every verdict, on tests made here; and on other people's, where they are present."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanewise.conformance.suite import Verdict, find_tests, report, run_test, run_tests
from lanewise.formats.flatbuffer import Writer
from lanewise.formats.tosa_schema import IDENTIFIER, OPERATORS_1, SCHEMA_1, TYPES_1, UNIONS_1
from tests.cli.test_commands import lanewise
from tests.formats.test_tosa_file import adder, operator, tensor

A, B = np.array([1, 2, 3, 4], np.int32), np.array([5, 6, 7, 8], np.int32)


def make(folder: Path, content: bytes, *, reference: np.ndarray | None = None, **changes: Any) -> Path:
    """A test of a graph of a and b."""
    folder.mkdir(parents=True)
    (folder / "test.tosa").write_bytes(content)
    np.save(folder / "a.npy", changes.pop("a", A))
    np.save(folder / "b.npy", changes.pop("b", B))
    if reference is not None:
        np.save(folder / "ref.npy", reference)
    description = {
        "tosa_file": "test.tosa",
        "ifm_name": ["a", "b"],
        "ifm_file": ["a.npy", "b.npy"],
        "ofm_name": ["c"],
        "ofm_file": ["ref.npy"],
        "expected_failure": False,
    }
    (folder / "desc.json").write_text(json.dumps({**description, **changes}))
    return folder


def verdict(folder: Path) -> Verdict:
    return run_test(folder, folder.parent)


def test_equal_passes_and_different_fails(tmp_path: Path):
    good = verdict(make(tmp_path / "good", adder(), reference=A + B))
    assert (good.test, good.verdict, good.reason) == ("good", "passed", "valid")
    bad = verdict(make(tmp_path / "bad", adder(), reference=A + B + [0, 0, -1, 0]))
    assert bad.verdict == "failed"
    assert bad.difference == {
        "output": "c",
        "index": [2],
        "got": "10",
        "expected": "9",
        "got_bits": f"{10:032b}",
        "expected_bits": f"{9:032b}",
    }
    shape = verdict(make(tmp_path / "shape", adder(), reference=(A + B)[:3]))
    assert shape.difference == {"output": "c", "got": "shape [4]", "expected": "shape [3]"}
    assert verdict(make(tmp_path / "none", adder())).verdict == "passed"


def test_unpredictable_passes_only_if_the_rest_is_equal(tmp_path: Path):
    a = np.array([2**31 - 1, 2, 3, 4], np.int32)
    same = verdict(make(tmp_path / "same", adder(), a=a, reference=np.array([77, 8, 10, 12], np.int32)))
    assert same.verdict == "passed"
    assert same.reason.startswith("unpredictable (ADD at operator 0 (ADD): unpredictable: element [0]")
    assert (
        verdict(make(tmp_path / "other", adder(), a=a, reference=np.array([77, 8, 10, 13], np.int32))).verdict
        == "failed"
    )


def test_what_must_be_refused(tmp_path: Path):
    wrong = adder(operators=[operator("ADD", ["a"], ["c"])])
    refused = verdict(make(tmp_path / "refused", wrong, expected_failure=True))
    assert refused.verdict == "passed"
    assert "lists 1 inputs; ADD has 2" in refused.reason
    accepted = verdict(make(tmp_path / "accepted", adder(), expected_failure=True, expected_failure_desc="no reason"))
    assert (accepted.verdict, accepted.reason) == ("failed", "was not refused, and must be: no reason")
    assert verdict(make(tmp_path / "wrongly", wrong)).verdict == "failed"


def test_a_broken_negative_test_does_not_pass(tmp_path: Path):
    whole = adder()
    for name, changes, content in (
        ("model", {"tosa_file": "missing.tosa"}, whole),
        ("input", {"ifm_file": ["a.npy", "missing.npy"]}, whole),
        ("garbage", {}, bytes(100)),
        ("cut", {}, whole[:100]),
    ):
        assert verdict(make(tmp_path / name, content, expected_failure=True, **changes)).verdict == "failed", name


def test_only_what_is_not_there_is_skipped(tmp_path: Path):
    foreign = adder(operators=[operator("CONV2D", ["a", "b"], ["c"])])
    skipped = verdict(make(tmp_path / "foreign", foreign))
    assert skipped.verdict == "skipped"
    assert "CONV2D" in skipped.reason


def test_narrow_integers_in_wide_arrays(tmp_path: Path):
    narrow = adder(
        operators=[operator("BITWISE_AND", ["a", "b"], ["c"])],
        tensors=[tensor("a", "int8"), tensor("b", "int8"), tensor("c", "int8")],
    )
    assert verdict(make(tmp_path / "fits", narrow, reference=A & B)).verdict == "passed"
    beyond = verdict(make(tmp_path / "beyond", narrow, a=A + 300, reference=A))
    assert beyond.verdict == "failed"
    assert "outside int8" in beyond.reason


def test_a_reference_is_excused_only_by_the_defect_it_shows(tmp_path: Path):
    """The 0.23.0 model computes LOGICAL_XOR as OR: such a reference passes a right result, any other fails it."""
    kinds = [tensor(name, "bool") for name in "abc"]
    content = adder(operators=[operator("LOGICAL_XOR", ["a", "b"], ["c"])], tensors=kinds)
    a, b = np.array([0, 0, 1, 1], np.bool_), np.array([0, 1, 0, 1], np.bool_)
    right = verdict(make(tmp_path / "right", content, a=a, b=b, reference=a ^ b))
    assert (right.verdict, right.reason) == ("passed", "valid")
    excused = verdict(make(tmp_path / "excused", content, a=a, b=b, reference=a | b))
    assert excused.verdict == "passed"
    assert "the reference is wrong: the 0.23.0 model computes LOGICAL_XOR as LOGICAL_OR" in excused.reason
    assert excused.difference is not None
    assert verdict(make(tmp_path / "wrong", content, a=a, b=b, reference=a & b)).verdict == "failed"


def test_float_bounds(tmp_path: Path):
    kinds = [tensor(name, "float32") for name in "abc"]
    x = np.array([1.1, 2.0, np.nan, 0.0], np.float32)
    close = np.nextafter(x + x, np.float32(9), dtype=np.float32)
    changes: dict[str, Any] = {"a": x, "b": x, "reference": close}
    assert verdict(make(tmp_path / "exact", adder(tensors=kinds), **changes)).verdict == "failed"
    for units, expected in ((0.5, "failed"), (1.0, "passed")):  # the reference is one float away
        meta = {"compliance": {"tensors": {"c": {"mode": "ULP", "ulp_info": {"ulp": units}}}}}
        assert verdict(make(tmp_path / f"ulp{units}", adder(tensors=kinds), meta=meta, **changes)).verdict == expected


def test_inexact_rounding_may_be_that_of_float32(tmp_path: Path):
    """RESCALE_INEXACT: one step and what float32 cannot hold; exact comparison everywhere else."""
    a, b = np.array([1 << 28, 7], np.int32), np.array([0, 0], np.int32)
    meta = {"compliance": {"tensors": {"c": {"mode": "RESCALE_INEXACT"}}}}
    kinds = [tensor(name, "int32", (2,)) for name in "abc"]
    for name, apart, verdict_ in (
        ("near", [33, -1], "passed"),
        ("far", [34, 0], "failed"),
        ("small", [0, 2], "failed"),
    ):
        for described in (meta, {}):
            folder = make(
                tmp_path / f"{name}{len(described)}",
                adder(tensors=kinds),
                a=a,
                b=b,
                reference=a + apart,
                meta=described,
            )
            assert verdict(folder).verdict == (verdict_ if described else "failed"), (name, described)


def test_types_that_are_not_ours_are_skipped_whatever_their_arrays(tmp_path: Path):
    """Arrays of 8-bit floats have no type that NumPy could name; the graph says what they are."""
    block = {
        "name": "main",
        "operators": [{"op": OPERATORS_1.index("ADD"), "inputs": ["a", "b"], "outputs": ["c"]}],
        "tensors": [{"name": name, "shape": [4], "type": TYPES_1.index("FP8E4M3")} for name in "abc"],
        "inputs": ["a", "b"],
        "outputs": ["c"],
    }
    root = {"version": {"major": 1, "minor": 1, "patch": 0}, "regions": [{"name": "main", "blocks": [block]}]}
    folder = make(tmp_path / "fp8", Writer(SCHEMA_1, UNIONS_1).root("Graph", root, IDENTIFIER))
    np.save(folder / "a.npy", np.zeros(4, "V1"))
    found = verdict(folder)
    assert found.verdict == "skipped", found.reason
    assert "FP8E4M3" in found.reason


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tosa_file": "../good/test.tosa"}, "names the file '../good/test.tosa', which is not in its folder"),
        ({"tosa_file": "/etc/passwd"}, "which is not in its folder"),
        ({"tosa_file": None}, "names the file None"),
        ({"ifm_file": ["a.npy"]}, "are not two lists of one length"),
        ({"ifm_file": ["a.npy", "missing.npy"]}, "No such file"),
        ({"ofm_name": ["zz"]}, "the graph has no output 'zz'"),
    ],
)
def test_descriptions_are_hostile_too(changes: dict[str, Any], says: str, tmp_path: Path):
    found = verdict(make(tmp_path / "t", adder(), reference=A + B, **changes))
    assert found.verdict == "failed"
    assert says in found.reason


def test_command(tmp_path: Path):
    for number in range(20):
        make(tmp_path / "add" / f"t{number}", adder(), reference=A + B)
    make(tmp_path / "conv" / "t", adder(operators=[operator("CONV2D", ["a", "b"], ["c"])]))
    out, _ = lanewise("suite", tmp_path)
    assert out.splitlines()[-1] == "20 passed, 0 failed, 1 skipped"
    assert "skipped 1: " in out
    make(tmp_path / "add" / "bad", adder(), reference=A)
    out, _ = lanewise("suite", tmp_path, "--json", tmp_path / "r.json", "--workers", 2, code=1)
    assert "FAILED add/bad: output 'c' differs from the reference at [0]: 6, expected 1" in out
    assert out.splitlines()[-1] == "20 passed, 1 failed, 1 skipped"
    found = json.loads((tmp_path / "r.json").read_text())
    assert (found["passed"], found["failed"], found["skipped"], len(found["tests"])) == (20, 1, 1, 22)
    assert lanewise("suite", tmp_path, "--filter", "add/t1")[0].splitlines()[-1] == "11 passed, 0 failed, 0 skipped"
    assert "holds no test" in lanewise("suite", tmp_path, "--filter", "zz", code=4)[1]
    assert "no such folder" in lanewise("suite", tmp_path / "zz", code=4)[1]
    assert "--filter '('" in lanewise("suite", tmp_path, "--filter", "(", code=4)[1]


SUITES = Path(os.environ.get("LANEWISE_SUITES", Path(__file__).parents[3] / "shared" / "suites"))
# The 0.23.0 model computes OR where LOGICAL_XOR is asked for (reading T6).
WRONG_REFERENCES = {
    "logical_xor/logical_xor_1x1x2_b",
    "logical_xor/logical_xor_6x1_b",
    "logical_xor/logical_xor_8x6x7x6_b",
}


@pytest.mark.parametrize(
    ("name", "count", "wrong"), [("tosa-0.23.0", 1234, WRONG_REFERENCES), ("tosa-1.1-draft", 2107, set())]
)
def test_other_peoples_suites(name: str, count: int, wrong: set[str], tmp_path: Path):
    archive = SUITES / f"{name}.tar.xz"
    if not archive.exists():
        pytest.skip(f"{archive} is not there (LANEWISE_SUITES names the folder)")
    with tarfile.open(archive) as content:
        content.extractall(tmp_path, filter="data")
    verdicts = run_tests(find_tests(tmp_path), tmp_path, 1, lambda verdict: None)
    counts = report(verdicts)
    assert counts["skipped"] == 0
    assert counts["failed"] == 0
    assert counts["passed"] == count
    assert {v.test for v in verdicts if v.reason.startswith("the reference is wrong")} == wrong
