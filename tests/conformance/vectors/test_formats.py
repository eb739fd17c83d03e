"""Every format, read back by other means than those that wrote it, and run where something runs it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lanewise.conformance.vectors import c_header, folder
from lanewise.conformance.vectors.corpus import VectorSet
from lanewise.conformance.vectors.folder import Selection
from lanewise.engines.exact import number
from lanewise.engines.exact_kernel import patterns
from lanewise.formats.tensors import read_tensors
from lanewise.language.sorts import Sort, bf16, u16
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
            assert tuple(patterns(found[column.name], stored(column.sort))) == column.patterns
        assert tuple(patterns(found["result"], stored(vectors.row.output))) == vectors.results
        assert found["unpredictable"].tolist() == [bool(reason) for reason in vectors.broken]


def stored(sort: Sort) -> Sort:
    """The type of an array in an archive: NumPy's own."""
    return u16 if sort == bf16 else sort


def test_npz_loads_with_numpy_alone_and_the_index_says_what_bits_stand_for(tmp_path: Path):
    out = written(tmp_path / "out", "npz", r"^tosa 1.1 (ADD|CAST) \((bfloat16|float32|int8)")
    sets = json.loads((out / "index.json").read_text())["sets"]
    checked = 0
    for entry in sets:
        with np.load(out / f"{entry['name']}.npz") as archive:
            assert all(array.dtype.kind in "biuf" for array in archive.values()), entry["name"]
            for name, how in entry["stored_as"].items():
                assert (entry["types"][name], how) == ("bfloat16", "uint16 bit patterns")
                assert archive[name].dtype == np.uint16
        if entry["operator"] == "ADD" and entry["stored_as"]:
            with np.load(out / f"{entry['name']}.npz") as archive:
                a, b, total = ((archive[n].astype(np.uint32) << 16).view(np.float32) for n in entry["types"])
            with np.errstate(all="ignore"):
                exact = a.astype(np.float64) + b
            close = np.isfinite(total) & (abs(total) > 1e-30)
            assert close.sum() > 50
            assert np.allclose(total[close], exact[close], rtol=2**-8)
            checked += 1
    assert checked == 1


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


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_table_is_written_with_its_vectors(tmp_path: Path, corpus: dict[str, VectorSet], format: str):
    """From the files alone: the result of an int8 TABLE is the entry that the input selects."""
    out = written(tmp_path / "out", format, r"^tosa 1.0 TABLE \(int8")
    sets = json.loads((out / "index.json").read_text())["sets"]
    assert len(sets) == 6
    for entry in sets:
        if format == "csv":
            with (out / f"{entry['name']}_table.csv").open(newline="") as file:
                lines = list(csv.DictReader(file))
            assert [int(line["index"]) for line in lines] == list(range(256))
            assert all(int(line["table_hex"], 16) == int(line["table"]) % 256 for line in lines)
            table = [int(line["table"]) for line in lines]
            with (out / f"{entry['name']}.csv").open(newline="") as file:
                pairs = [(int(line["input1"]), int(line["result"])) for line in csv.DictReader(file)]
        else:
            found = json.loads((out / f"{entry['name']}.json").read_text())
            assert found["types"] == {"input1": "int8", "table": "int8", "result": "int8"}
            table, given, results = (
                [(int(text, 16) ^ 128) - 128 for text in texts]
                for texts in (found["fixed"]["table"], found["operands"][0]["hex"], found["result"])
            )
            pairs = list(zip(given, results, strict=True))
        assert len(pairs) > 20
        assert all(table[value + 128] == result for value, result in pairs)


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
    prefixes = {e["name"]: e["prefix"] for e in json.loads((out / "index.json").read_text())["sets"]}
    for name, vectors in ((prefixes[name], vectors) for name, vectors in corpus.items()):
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


def test_c_names_differ_in_the_characters_that_every_compiler_reads():
    """63 characters, by C99's 5.2.4.1; of all sets' headers together, as one file may include them all."""
    taken: dict[str, str] = {}
    long = 0
    for vectors in Selection(r"RESCALE \(int(8|48)|ARITHMETIC|CLAMP|SELECT|Clip|Squeeze", None).sets():
        (content,) = (content.decode() for _, content in c_header.files(vectors))
        names = re.findall(r"^static const uint\d+_t (\w+)\[|^#define (\w+)", content, re.MULTILINE)
        for name in map("".join, names):
            assert taken.setdefault(name[:63], vectors.name) == vectors.name, name
            assert len(name) <= 63, name
        assert f"#define {c_header.prefix(vectors)}_COUNT" in content
        long += len(vectors.name) > 63
    assert long > 100
    (short,) = Selection(r"^tosa_1_0_CLZ_int32", None).sets()
    assert c_header.prefix(short) == short.name


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


def test_onnx_folders_are_what_the_loader_and_the_checker_take(tmp_path: Path):
    import onnx
    from onnx.backend.test.loader import load_model_tests

    written(tmp_path / "corpus", "onnx", r"^onnx (28|11) BitShift|^onnx 13 (Add|Max|Equal|Sub|Mul)|^onnx 18 Bitwise")
    cases = load_model_tests(str(tmp_path), "corpus")
    assert len(cases) > 30
    for case in cases:
        assert case.model_dir is not None
        onnx.checker.check_model(str(Path(case.model_dir) / "model.onnx"), full_check=True)


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


def test_what_decides_about_subnormal_numbers_is_an_onnx_test_of_its_own(tmp_path: Path):
    """A runtime that takes them for zeros passes the rest; where floats are only moved, nothing is open."""
    import onnx

    rows = r"^onnx (14 (Add|Div)|13 (Max|Identity)) \(float32|^onnx 16 Where \(bool, float32"
    written(tmp_path, "onnx", rows)
    tests = {path.name: path / "test_data_set_0" for path in tmp_path.glob("test_*")}

    def tensors(name: str) -> list[np.ndarray]:
        return [onnx.numpy_helper.to_array(onnx.load_tensor(file)) for file in sorted(tests[name].glob("*.pb"))]

    def subnormal(array: np.ndarray) -> np.ndarray:
        return (array != 0) & (np.abs(array) < np.finfo(np.float32).tiny)

    def flushed(array: np.ndarray) -> np.ndarray:
        return np.where(subnormal(array), np.copysign(np.float32(0), array), array)

    add = "test_onnx_14_Add_float32_float32_to_float32_00"
    for name, expected in ((add, True), (f"{add}_O9", False)):
        a, b, result = tensors(name)
        with np.errstate(all="ignore"):
            assert np.array_equal(flushed(flushed(a) + flushed(b)), result, equal_nan=True) is expected
    assert "test_onnx_14_Div_float32_float32_to_float32_00_O9" in tests
    for name in ("_O6", "_O9", "_O6_O9"):  # what both decide is neither's alone
        assert f"test_onnx_13_Max_float32_to_float32_00{name}" in tests
    moved = [name for name in tests if "Identity" in name or "Where" in name]
    assert moved and not any(name.endswith("O9") for name in moved)
    assert any(subnormal(tensors(name)[0]).any() for name in moved)
