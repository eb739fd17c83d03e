"""Every format, read back by other means than those that wrote it, and run where something runs it."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lanewise.conformance.vectors import folder
from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.coverage import coverage
from lanewise.conformance.vectors.folder import Selection
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import patterns
from lanewise.formats.tensors import read_tensors
from tests.cli.test_commands import lanewise

FILTER = (
    r"^onnx 28 BitShift \((int8|uint64)|^tosa 1.0 (ARITHMETIC_RIGHT_SHIFT|MUL) \(int32|^tosa 1.0 TABLE"
    r"|^tosa 1.1 (ADD|NEGATE) \((bfloat16|int8)|^tosa 0.23.0 RESCALE .int48, int16, uint6. -> int8|LOGICAL_NOT|INTDIV"
)


@pytest.fixture(scope="module")
def corpus() -> dict[str, VectorSet]:
    return {vectors.name: vectors for vectors in Selection(FILTER, None).sets()}


def written(path: Path, format: str, filter: str = FILTER) -> Path:
    folder.write(path, format, Selection(filter, None))
    return path


def test_npz(tmp_path: Path, corpus: dict[str, VectorSet]):
    out = written(tmp_path / "out", "npz")
    assert len(list(out.glob("*.npz"))) == len(corpus)
    for name, vectors in corpus.items():
        found = read_tensors(out / f"{name}.npz")
        for column in vectors.columns:
            assert tuple(patterns(found[column.name], column.sort)) == column.patterns
        assert tuple(patterns(found["result"], vectors.row.output)) == vectors.results
        assert found["unpredictable"].tolist() == [bool(reason) for reason in vectors.broken]


def test_csv(tmp_path: Path, corpus: dict[str, VectorSet]):
    out = written(tmp_path / "out", "csv")
    for name, vectors in corpus.items():
        with (out / f"{name}.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        assert len(lines) == len(vectors.results)
        for at, line in enumerate(lines):
            for column in vectors.columns:
                assert int(line[f"{column.name}_hex"], 16) == column.patterns[at]
                read = float if column.sort.kind == "float" else int
                assert repr(read(line[column.name])) == repr(read(number(column.patterns[at], column.sort)))
            assert line["unpredictable"] == vectors.broken[at]
            assert (
                line["result_hex"] == "" if vectors.broken[at] else int(line["result_hex"], 16) == vectors.results[at]
            )


def test_json(tmp_path: Path, corpus: dict[str, VectorSet]):
    out = written(tmp_path / "out", "json")
    index = json.loads((out / "index.json").read_text())
    assert [entry["name"] for entry in index["sets"]] == list(corpus)
    for name, vectors in corpus.items():
        found = json.loads((out / f"{name}.json").read_text())
        for column, entry in zip(vectors.columns, found["operands"], strict=True):
            assert (entry["name"], entry["type"]) == (column.name, column.sort.name)
            assert tuple(int(text, 16) for text in entry["hex"]) == column.patterns
        assert [text is None for text in found["result"]] == [bool(reason) for reason in vectors.broken]
        assert tuple(0 if text is None else int(text, 16) for text in found["result"]) == vectors.results


def test_readmemh(tmp_path: Path, corpus: dict[str, VectorSet]):
    out = written(tmp_path / "out", "readmemh")
    for name, vectors in corpus.items():
        for column in vectors.columns:
            assert memory(out / name / f"{column.name}.hex") == list(column.patterns)
        assert memory(out / name / "result.hex") == list(vectors.results)
        assert memory(out / name / "unpredictable.hex") == [int(bool(reason)) for reason in vectors.broken]
        assert (out / name / "coverage.txt").read_text().startswith(vectors.title)
    tables = [name for name, vectors in corpus.items() if "table" in vectors.choice.fixed]
    assert tables
    for name in tables:
        assert tuple(memory(out / name / "table.hex")) == corpus[name].choice.fixed["table"]


def memory(path: Path) -> list[int]:
    """A memory file as the standard has it: words in hexadecimal, comments to the end of the line."""
    return [int(word, 16) for line in path.read_text().splitlines() for word in line.split("//")[0].split()]


def test_icarus_reads_the_memories(tmp_path: Path):
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    out = written(tmp_path / "out", "readmemh", r"^onnx_28_BitShift_int8.*RIGHT")
    (name,) = (path.name for path in out.iterdir() if path.is_dir())
    count = len(memory(out / name / "X.hex"))
    found = {wrong: bench(tmp_path, out / name, count, wrong) for wrong in (0, 1)}
    assert found == {0: f"0 of {count} wrong", 1: f"1 of {count} wrong"}


def bench(tmp_path: Path, path: Path, count: int, flip: int) -> str:
    """What a shifter in Verilog says of the vectors; `flip` is added to its result for the last element."""
    (tmp_path / "bench.v").write_text(f"""
module bench;
  reg [7:0] x [0:{count - 1}], y [0:{count - 1}], z [0:{count - 1}];
  reg signed [7:0] value; reg signed [7:0] by; reg signed [7:0] found; integer k, wrong;
  initial begin
    $readmemh("{path}/X.hex", x); $readmemh("{path}/Y.hex", y); $readmemh("{path}/result.hex", z);
    wrong = 0;
    for (k = 0; k < {count}; k = k + 1) begin
      value = x[k]; by = y[k];
      if (by < 0 || by > 7) found = {{8{{value[7]}}}};
      else found = value >>> by;
      if (k == {count - 1}) found = found ^ {flip};
      if (found !== $signed(z[k])) wrong = wrong + 1;
    end
    $display("%0d of %0d wrong", wrong, {count});
  end
endmodule
""")
    subprocess.run(["iverilog", "-g2012", "-o", tmp_path / "bench", tmp_path / "bench.v"], check=True)
    return subprocess.run([tmp_path / "bench"], check=True, capture_output=True, text=True).stdout.strip()


def test_c_header(tmp_path: Path, corpus: dict[str, VectorSet]):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    out = written(tmp_path / "out", "c")
    lines = ["#include <stdio.h>", *(f'#include "{name}.h"' for name in corpus), "int main(void) {"]
    for name, vectors in corpus.items():
        arrays = [*(column.name for column in vectors.columns), "result", "unpredictable"]
        for array in arrays:
            lines.append(
                f'  for (int k = 0; k < {name}_COUNT; k++) printf("%llx ", (unsigned long long){name}_{array}[k]);'
            )
            lines.append('  printf("\\n");')
        lines += [f"  (void){name}_{label};" for label, value in vectors.choice.fixed.items() if value is not None]
    (tmp_path / "print.c").write_text("\n".join([*lines, "  return 0;", "}"]))
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{out}", "-o", tmp_path / "print", tmp_path / "print.c"],
        check=True,
    )
    printed = subprocess.run([tmp_path / "print"], check=True, capture_output=True, text=True).stdout.splitlines()
    expected = []
    for vectors in corpus.values():
        expected += [list(column.patterns) for column in vectors.columns]
        expected += [list(vectors.results), [int(bool(reason)) for reason in vectors.broken]]
    assert [[int(word, 16) for word in line.split()] for line in printed] == expected


def test_tosa_folders_run_through_the_suite(tmp_path: Path):
    out = written(tmp_path / "out", "tosa")
    printed, _ = lanewise("suite", out)
    count = len(json.loads((out / "index.json").read_text())["sets"])
    assert printed.rstrip().endswith(f"{count} passed, 0 failed, 0 skipped")
    assert count > 30


def test_a_corrupted_vector_is_found_by_the_suite_and_by_the_check(tmp_path: Path):
    out = written(tmp_path / "out", "tosa", r"^tosa 1.0 (INTDIV|CLZ)")
    lanewise("vectors", out, "--check")
    (target,) = out.glob("tosa_1_0_INTDIV*/*_result.npy")
    array = np.load(target)
    array[5] ^= 1
    np.save(target, array)
    printed, _ = lanewise("suite", out, code=1)
    assert "1 passed, 1 failed, 0 skipped" in printed
    printed, _ = lanewise("vectors", out, "--check", code=1)
    assert f"{target.relative_to(out)}: differs" in printed
    target.unlink()
    (out / "more.txt").write_text("")
    both, _ = lanewise("vectors", out, "--check", code=1)
    assert "leave --format" in lanewise("vectors", out, "--check", "--filter", "ADD", code=4)[1]
    assert f"{target.relative_to(out)}: missing" in both
    assert "more.txt: not of the corpus" in both


@pytest.mark.filterwarnings("ignore")
def test_onnx_folders_run_through_onnx_runtime_from_their_files_alone(tmp_path: Path):
    onnxruntime = pytest.importorskip("onnxruntime")
    import onnx
    from onnx.backend.test.loader import load_model_tests

    written(tmp_path / "corpus", "onnx", r"^onnx (28|11) BitShift|^onnx 13 (Add|Max|Equal|Sub|Mul)|^onnx 18 Bitwise")
    cases = load_model_tests(str(tmp_path), "corpus")
    ran = 0
    for case in cases:
        assert case.model_dir is not None
        path = Path(case.model_dir)
        onnx.checker.check_model(str(path / "model.onnx"), full_check=True)
        try:
            session = onnxruntime.InferenceSession(path / "model.onnx", providers=["CPUExecutionProvider"])
        except Exception as error:  # no kernel for this type
            assert "NOT_IMPLEMENTED" in str(error) or "not implemented" in str(error).lower(), error
            continue
        data = path / "test_data_set_0"
        given = {}
        for k, value in enumerate(session.get_inputs()):
            given[value.name] = onnx.numpy_helper.to_array(onnx.load_tensor(data / f"input_{k}.pb"))
        want = onnx.numpy_helper.to_array(onnx.load_tensor(data / "output_0.pb"))
        (found,) = session.run(None, given)
        np.testing.assert_array_equal(found, want, err_msg=case.name)
        ran += 1
    assert ran > 30


def test_what_only_a_reading_decides_is_an_onnx_test_of_its_own(tmp_path: Path):
    """Where the text is silent, a runtime that dies is within its rights; the rest of the set is still a test."""
    import onnx

    written(tmp_path, "onnx", r"^onnx 14 Div \(int32")
    (silent,) = tmp_path.glob("test_*_O3")
    places = [silent.with_name(silent.name.removesuffix("_O3")), silent]
    a, b = (
        [onnx.numpy_helper.to_array(onnx.load_tensor(place / "test_data_set_0" / f"input_{k}.pb")) for place in places]
        for k in (0, 1)
    )
    assert (b[0] != 0).all()
    assert not ((a[0] == -(2**31)) & (b[0] == -1)).any()
    assert len(a[1]) > 5
    assert ((b[1] == 0) | ((a[1] == -(2**31)) & (b[1] == -1))).all()


def test_coverage_names_what_is_reached():
    (vectors,) = Selection(r"^tosa_1_0_ARITHMETIC_RIGHT_SHIFT_int8_.*True", None).sets()
    lines = list(coverage(vectors))
    listed = {line.strip().rsplit(": ", 1)[0]: line.rsplit(": ", 1)[1] for line in lines if line.startswith("  ")}
    for kinds in ("negative x 7 x 1", "negative x 1 to 6 x 1", "positive x 1 to 6 x 0", "highest x 0 x none"):
        assert int(listed[kinds]) > 0, kinds
    assert "requirement 0 <= input2 <= 7: both sides of its edge" in "\n".join(lines)
    value, count = (column.patterns for column in vectors.columns)
    rounds = sum(
        1 <= c <= 127 and (v - 256 if v > 127 else v) >> (c - 1) & 1 for v, c in zip(value, count, strict=True)
    )
    assert int(listed["1"]) == rounds
