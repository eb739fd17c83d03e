"""MLIR text of the tosa dialect: read in both forms, written as tosa-opt reads it, refused with file, line and rule."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.formats import mlir_data, mlir_text, mlir_writer
from lanewise.language.sorts import BY_NAME
from lanewise.operators import catalogue
from tests.graph.random_graphs import Generator

TOSA_OPT = os.environ.get("LANEWISE_TOSA_OPT") or shutil.which("tosa-opt")
EVERYTHING = (
    "--tosa-attach-target=specification_version=1.1.draft level=none profiles=pro_int,pro_fp "
    "extensions=int16,int4,int64,bf16,dynamic,doubleround,inexactround"
)


def load(text: str | bytes, **more: Any) -> lw.Model:
    return lw.load(text.encode() if isinstance(text, str) else text, format="mlir", **more)


def refused(text: str | bytes, error: type[Exception] = lw.InvalidError, **more: Any) -> str:
    with pytest.raises(error) as caught:
        load(text, **more)
    return str(caught.value)


def body(lines: str, arguments: str = "%a: tensor<4xi32>", result: str = "%a : tensor<4xi32>") -> str:
    kind = result.partition(" : ")[2]
    return f"func.func @main({arguments}) -> {kind} {{\n{lines}\n  return {result}\n}}\n"


def lines_of(model: lw.Model) -> list[str]:
    return str(model).splitlines()[1:]


# As tosa-opt prints them, which is the pretty form but for constants, and with --mlir-print-op-generic.
PRETTY = """\
module {
  func.func @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x1xi32>, %arg2: tensor<3xi8>, %arg3: tensor<?x4xf32>) \
-> (tensor<2x3xi32>, tensor<3x2xi32>, tensor<3xi8>, tensor<?x4xf32>, tensor<2x3xi8>, tensor<3xi16>, tensor<3xi8>) {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.mul %arg0, %arg1, %0 : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<1xi8>) -> tensor<2x3xi32>
    %2 = tosa.arithmetic_right_shift %1, %arg1 {round = true} : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %3 = tosa.const_shape  {values = dense<[3, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %4 = tosa.reshape %2, %3 : (tensor<2x3xi32>, !tosa.shape<2>) -> tensor<3x2xi32>
    %5 = tosa.clamp %arg2 {max_val = 5 : i8, min_val = -5 : i8} : (tensor<3xi8>) -> tensor<3xi8>
    %6 = tosa.clamp %arg3 {max_val = 0x7F800000 : f32, min_val = -5.000000e-01 : f32, nan_mode = IGNORE} \
: (tensor<?x4xf32>) -> tensor<?x4xf32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = tosa.rescale %arg0, %7, %8, %9, %0 {input_unsigned = false, output_unsigned = false, per_channel = false, \
rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, \
tensor<1xi8>) -> tensor<2x3xi8>
    %11 = tosa.cast %arg2 : (tensor<3xi8>) -> tensor<3xi16>
    %12 = tosa.negate %arg2, %0, %0 : (tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3xi8>
    return %2, %4, %5, %6, %10, %11, %12 : tensor<2x3xi32>, tensor<3x2xi32>, tensor<3xi8>, tensor<?x4xf32>, \
tensor<2x3xi8>, tensor<3xi16>, tensor<3xi8>
  }
}
"""
GENERIC = """\
#loc9 = loc("model.mlir":9:1)
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x1xi32>, tensor<3xi8>, tensor<?x4xf32>) -> \
(tensor<2x3xi32>, tensor<3x2xi32>, tensor<3xi8>, tensor<?x4xf32>, tensor<2x3xi8>, tensor<3xi16>, tensor<3xi8>), \
sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3xi32>, %arg1: tensor<2x1xi32>, %arg2: tensor<3xi8>, %arg3: tensor<?x4xf32>):
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc(#loc1)
    %1 = "tosa.mul"(%arg0, %arg1, %0) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<1xi8>) -> tensor<2x3xi32>
    %2 = "tosa.arithmetic_right_shift"(%1, %arg1) <{round = true}> : (tensor<2x3xi32>, tensor<2x1xi32>) \
-> tensor<2x3xi32> loc(callsite("a)" at fused["b", #loc9]))
    %3 = "tosa.const_shape"() <{values = dense<[3, 2]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %4 = "tosa.reshape"(%2, %3) : (tensor<2x3xi32>, !tosa.shape<2>) -> tensor<3x2xi32>
    %5 = "tosa.clamp"(%arg2) <{max_val = 5 : i8, min_val = -5 : i8, nan_mode = #tosa.nan_mode<PROPAGATE>}> \
: (tensor<3xi8>) -> tensor<3xi8>
    %6 = "tosa.clamp"(%arg3) {max_val = 0x7F800000 : f32, min_val = -5.000000e-01 : f32, \
nan_mode = #tosa<nan_mode<IGNORE>>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %7 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.rescale"(%arg0, %7, %8, %9, %0) <{input_unsigned = false, output_unsigned = false, \
per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x3xi32>, \
tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
    %11 = "tosa.cast"(%arg2) : (tensor<3xi8>) -> tensor<3xi16>
    %12 = "tosa.negate"(%arg2, %0, %0) : (tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3xi8>
    "func.return"(%2, %4, %5, %6, %10, %11, %12) : (tensor<2x3xi32>, tensor<3x2xi32>, tensor<3xi8>, \
tensor<?x4xf32>, tensor<2x3xi8>, tensor<3xi16>, tensor<3xi8>) -> ()
  }) : () -> ()
}) : () -> () loc(unknown)
#loc1 = loc("model.mlir":1:1)
"""
READ = """\
  input  arg0: int32[2, 3]
  input  arg1: int32[2, 1]
  input  arg2: int8[3]
  input  arg3: float32[?, 4]
  const  0: int8[1] = [0]
  const  3: int64[2] = [3, 2]
  const  7: int32[1] = [1073741824]
  const  8: int8[1] = [30]
  const  9: int32[1] = [0]
  1 = MUL(arg0, arg1, 0) : int32[2, 3]
  2 = ARITHMETIC_RIGHT_SHIFT(1, arg1) {round=True} : int32[2, 3]
  4 = RESHAPE(2, 3) : int32[3, 2]
  5 = CLAMP(arg2) {min_val=-5, max_val=5, nan_mode=PROPAGATE} : int8[3]
  6 = CLAMP(arg3) {min_val=-0.5, max_val=inf, nan_mode=IGNORE} : float32[?, 4]
  10 = RESCALE(arg0, 7, 8, 9, 0) {scale32=True, rounding_mode=SINGLE_ROUND, per_channel=False, input_unsigned=False, \
output_unsigned=False, output_type=int8} : int8[2, 3]
  11 = CAST(arg2) {output_type=int16, input_unsigned=False} : int16[3]
  12 = NEGATE(arg2, 0, 0) : int8[3]
  output result0 = 2: int32[2, 3]
  output result1 = 4: int32[3, 2]
  output result2 = 5: int8[3]
  output result3 = 6: float32[?, 4]
  output result4 = 10: int8[2, 3]
  output result5 = 11: int16[3]
  output result6 = 12: int8[3]
""".splitlines()


@pytest.mark.parametrize("text", [PRETTY, GENERIC], ids=["pretty", "generic"])
def test_both_forms(text: str, tmp_path: Path):
    model = load(text)
    assert lines_of(model) == READ
    inputs = {
        "arg0": np.array([[1, -2, 3], [4, 5, 600]], np.int32),
        "arg1": np.array([[1], [2]], np.int32),
        "arg2": np.array([-128, 3, 127], np.int8),
        "arg3": np.array([[-1, np.nan, 7, np.inf]], np.float32),
    }
    outputs = model.run(inputs).outputs
    assert outputs["result0"].tolist() == [[1, -1, 2], [2, 3, 300]]
    assert outputs["result1"].shape == (3, 2)
    assert outputs["result2"].tolist() == [-5, 3, 5]
    assert outputs["result3"].tolist() == [[-0.5, -0.5, 7, np.inf]]
    assert outputs["result4"].tolist() == [[1, -2, 3], [4, 5, 127]]
    assert outputs["result6"].tolist() == [127, -3, -127]
    model.save(tmp_path / "again.mlir")
    assert lines_of(lw.load(tmp_path / "again.mlir")) == READ
    generic = mlir_writer.model_bytes(model, generic=True).decode()
    assert lines_of(load(generic)) == READ
    assert not re.search(r"= tosa\.", generic)  # every operator stands in quotes


def test_what_is_written(tmp_path: Path):
    graph = lw.Builder(tosa="1.0")
    x = graph.input("x", "int8", (2, 3))
    k = graph.constant(np.arange(3, dtype=np.int8).reshape(1, 3), name="k")
    low = graph.node("MINIMUM", graph.node("CAST", x, output_type="float32", name="wide"), graph.node(
        "CAST", k, output_type="float32", name="k/wide"), nan_mode="IGNORE", name="low_1")  # fmt: skip
    graph.output("the low", low)
    graph.output("k", k)
    graph.model().save(tmp_path / "m.mlir")
    assert (
        (tmp_path / "m.mlir").read_text()
        == """\
builtin.module attributes {tosa.target_env = #tosa.target_env<specification_version = "1.0", level = none, \
profiles = [pro_int, pro_fp], extensions = [int16, int4, bf16, fp8e4m3, fp8e5m2, fft, variable, controlflow, dynamic, \
doubleround, inexactround]>} {
  func.func @main(%x: tensor<2x3xi8> {tosa.tensor_name = "x"}) -> (tensor<2x3xf32> {tosa.tensor_name = "the low"}, \
tensor<1x3xi8> {tosa.tensor_name = "k"}) {
    %k = "tosa.const"() <{values = dense<[[0, 1, 2]]> : tensor<1x3xi8>}> : () -> tensor<1x3xi8>
    %wide = tosa.cast %x : (tensor<2x3xi8>) -> tensor<2x3xf32>
    %_k_wide = tosa.cast %k : (tensor<1x3xi8>) -> tensor<1x3xf32>
    %low_1 = "tosa.minimum"(%wide, %_k_wide) <{nan_mode = #tosa.nan_mode<IGNORE>}> : \
(tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    func.return %low_1, %k : tensor<2x3xf32>, tensor<1x3xi8>
  }
}
"""
    )


def same(ours: lw.Model, read: lw.Model) -> None:
    """The same graph, number for number; -5 and -5.0 are the same bound of a float."""
    for a, b in zip(ours.nodes, read.nodes, strict=True):
        assert (a.operator, a.inputs, a.output, dict(a.attributes), a.from_attributes) == (
            b.operator, b.inputs, b.output, dict(b.attributes), b.from_attributes,
        )  # fmt: skip
    assert dict(ours.types) == dict(read.types)
    assert list(ours.outputs) == list(read.outputs)
    assert {name: (c.sort, c.array.tobytes()) for name, c in ours.constants.items()} == {
        name: (c.sort, c.array.tobytes()) for name, c in read.constants.items()
    }


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("share", range(4))
def test_random_graphs(version: str, share: int, tmp_path: Path):
    path = tmp_path / "m.mlir"
    for seed in range(share, 60, 4):
        model, inputs = Generator("tosa", seed, version).model(1 + seed % 10)
        model.save(path)
        again = lw.load(path)
        same(model, again)
        clamps = [line for line in lines_of(model) if "min_val" in line]
        assert [s for s in lines_of(model) if s not in clamps] == [s for s in lines_of(again) if "min_val" not in s]
        first, second = model.run(inputs), again.run(inputs)
        assert first.status is second.status
        assert all(first.outputs[name].tobytes() == second.outputs[name].tobytes() for name in first.outputs)


def tosa_opt(content: bytes, *options: str) -> bytes:
    assert TOSA_OPT is not None
    done = subprocess.run([TOSA_OPT, *options], input=content, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[:2000]
    return done.stdout


@pytest.mark.skipif(TOSA_OPT is None, reason="no tosa-opt: neither on PATH nor in LANEWISE_TOSA_OPT")
@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("share", range(4))
def test_tosa_opt_takes_what_is_written(version: str, share: int, tmp_path: Path):
    path = tmp_path / "m.mlir"
    target = [EVERYTHING] if version == "1.1" else []
    for seed in range(share, 40, 4):
        model, inputs = Generator("tosa", seed, version, modelled=True).model(1 + seed % 10)
        model.save(path)
        wanted = model.run(inputs)
        for form in ([], ["--mlir-print-op-generic"], ["--mlir-print-debuginfo"]):
            printed = tosa_opt(path.read_bytes(), *target, "--tosa-validate", *form)
            got = load(printed).run(inputs)
            assert got.status is wanted.status
            assert all(got.outputs[name].tobytes() == wanted.outputs[name].tobytes() for name in wanted.outputs)


def test_every_operator_is_read_and_none_is_named_here():
    records = catalogue.versions_of("tosa")
    assert all(mlir_text.known_words(name.lower()) is not None for name in records)
    assert mlir_text.known_words("ADD") is None  # names of the dialect are lower case


def test_splats_take_no_memory():
    text = body(
        '  %c = "tosa.const"() {values = dense<-3> : tensor<500000000xi32>} : () -> tensor<500000000xi32>\n'
        '  %k = "tosa.const"() {values = dense<7> : tensor<4xi32>} : () -> tensor<4xi32>\n'
        "  %s = tosa.add %a, %k : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>",
        result="%s : tensor<4xi32>",
    )
    model = load(text)
    assert model.constants["c"].array.strides == (0,)
    for engine in ("native", "exact"):
        assert model.run(np.arange(4, dtype=np.int32), engine=engine).outputs["result0"].tolist() == [7, 8, 9, 10]
    assert refused(text, max_tensor_bytes=1_000_000) == (
        "model, line 2, %c (CONST): the result is tensor<500000000xi32>: 500,000,000 elements; "
        "the limit is 1,000,000 bytes (max_tensor_bytes)"
    )
    assert refused(text, max_tensor_bytes=1_000_000_000) == (
        "model, line 2, %c (CONST): values needs 2,000,000,000 bytes; the limit is 1,000,000,000 (max_tensor_bytes)"
    )


@pytest.mark.parametrize("name", ["bool", "int4", "int8", "int16", "int32", "int48", "int64", "float16", "bfloat16",
                                  "float32"])  # fmt: skip
@pytest.mark.parametrize("shape", [(), (1,), (3, 2), (5, 7, 9)])
def test_literals(name: str, shape: tuple[int, ...]):
    from lanewise.engines.exact_kernel import from_patterns

    sort = BY_NAME[name]
    size = int(np.prod(shape, dtype=np.int64))
    patterns = [int(p) * 2 % (1 << sort.width) for p in np.random.default_rng(size).integers(0, 1 << 63, size)]
    array = from_patterns(patterns, sort).reshape(shape)
    read = mlir_data.decode(mlir_data.encode(array, sort), sort, shape, 1 << 20, "c")
    assert (read.dtype, read.shape, read.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize(
    ("body", "name", "shape", "values"),
    [
        ("[255, -1, 0x7f, -128]", "int8", (4,), [-1, -1, 127, -128]),  # no sign: 255 and -1 are one i8
        ('"0xFF7F"', "int8", (2,), [-1, 127]),
        ('"0x0500"', "int16", (3,), [5, 5, 5]),  # bytes of one element: a splat
        ('"0x05"', "bool", (8,), [True, False, True, False, False, False, False, False]),  # eight to a byte, once
        ("[true, false, 1, -1]", "bool", (4,), [True, False, True, True]),
        ("[1., -0.5e+1, 0xC000]", "float16", (3,), [1.0, -5.0, -2.0]),
        ("1.0e39", "float32", (), float("inf")),
        ("1.0039062500000002", "bfloat16", (), 1.0078125),  # just past the middle: rounded once, not by way of float32
        ('"0xFFFFFFFFFF7F"', "int48", (1,), [140737488355327]),
        ("", "int64", (0,), []),
    ],
)
def test_literals_by_hand(body: str, name: str, shape: tuple[int, ...], values: Any):
    assert mlir_data.decode(body, BY_NAME[name], shape, 1 << 20, "c").tolist() == values


@pytest.mark.parametrize(
    ("body", "name", "shape", "message"),
    [
        ("[1, 2]", "int8", (3,), "c: shape [3] needs 3 numbers; the text has 2"),
        ("[[1, 2, 3]]", "int8", (3,), "c: the literal is no number, and no list of numbers with shape [3]"),
        ("[1, 2, 3", "int8", (3,), "c: the literal is no number, and no list of numbers with shape [3]"),
        ("[1 2 3]", "int8", (3,), "c: the literal is no number, and no list of numbers with shape [3]"),
        ("[1, 2, x]", "int8", (2,), "c: the literal is no number, and no list of numbers with shape [2]"),
        ("256", "int8", (3,), "c: 256 does not fit 8 bits"),
        ("-129", "int8", (3,), "c: -129 does not fit 8 bits"),
        ("9" * 1500, "int8", (3,), f"c: {'9' * 40} is no value of int8"),
        ("1.5", "int8", (3,), "c: 1.5 is no value of int8"),
        ("true", "int8", (3,), "c: true is no value of int8"),
        ("1", "float32", (3,), "c: 1 is no value of float32"),
        ("0x10000", "float16", (3,), "c: 0x10000 is no bit pattern of 16 bits"),
        ('"0x0"', "int8", (3,), 'c: bytes are written "0x…", two digits each'),
        ('"0x0g"', "int8", (3,), 'c: bytes are written "0x…", two digits each'),
        ('"0x0000"', "int8", (3,), "c: 3 elements of int8 take 3 bytes; it has 2"),
        ("", "int8", (3,), "c: shape [3] needs 3 numbers; the text has 0"),
    ],
)
def test_wrong_literals(body: str, name: str, shape: tuple[int, ...], message: str):
    with pytest.raises(lw.InvalidError) as caught:
        mlir_data.decode(body, BY_NAME[name], shape, 1 << 20, "c")
    assert str(caught.value) == message
