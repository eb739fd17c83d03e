"""MLIR text of the tosa dialect: read in both forms, written as tosa-opt reads it, refused with file, line and rule."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise.formats import mlir_data, mlir_text
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
    %low_1 = tosa.minimum %wide, %_k_wide {nan_mode = IGNORE} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
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


CONST = "  %c = {} : () -> tensor<2xi32>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "model, line 1: Could not parse entire input!"),
        (b"module {\n\xff}", "model, line 2: the text is not UTF-8"),
        ("module {}", "model: has no func.func, so no graph"),
        ("func.func @main(", "model, line 1: "),
        ("module {\n  foo\n}", "model, line 2: foo is no operation"),
        ('module {\n  "abc\n}', "model, line 2: a string does not end, or has an unknown escape"),
        (body("  %b = tosa.add %a, %z : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "values used but not defined"),
        (body("  %b = tosa.add %a, %a : (tensor<4xi32>) -> tensor<4xi32>"), "model, line 2: expected 1 operand types"),
        (body("  %b = tosa.add %a, %a : (tensor<5xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2: operand is used"),
        (body("  %b = tosa.add %a, %a {a = 1, a = 2} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2: an attribute is given twice"),
        (body("  %b = tosa.add %a : (tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %b (ADD): lists 1 operands; it has 2: input1, input2"),
        (body("  %b = tosa.add %a, %a {round = true} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %b (ADD): ADD: unknown attribute 'round'; it has: none"),
        (body("  %b = tosa.maximum %a, %a {nan_mode = LOSE} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %b (MAXIMUM): MAXIMUM: attribute nan_mode is 'LOSE'; allowed: 'PROPAGATE', 'IGNORE'"),
        (body("  %b = tosa.maximum %a, %a {nan_mode = [1]} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %b (MAXIMUM): attribute nan_mode is [1 : i64]"),
        (body("  %b = tosa.clamp %a {min_val = 1 : i16, max_val = 2 : i16} : (tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %b (CLAMP): attribute min_val is 1 : i16; the first operand is int32[4]"),
        (body("  %b = tosa.cast %a {output_type = true} : (tensor<4xi32>) -> tensor<4xi8>"),
         "model, line 2, %b (CAST): unknown attribute 'output_type'"),
        (body("  %b = tosa.add %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<5xi32>"),
         "model: tensor 'b' is declared int32[5], but the graph computes int32[4]"),
        (body("  %b:2 = tosa.add %a, %a : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)"),
         "model, line 2: tosa.add has 2 results; it gives 1"),
        (body("  %c = tosa.identity %b : (tensor<4xi32>) -> tensor<4xi32>\n"
              "  %b = tosa.identity %a : (tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %c (IDENTITY): IDENTITY: input1 is 'b', which no earlier node, input or constant defines"),
        (body("  %b = tosa.reshape %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2, %b (RESHAPE): shape is tensor<4xi32>; it is a !tosa.shape"),
        (body("", "%a: tensor<*xi32>", "%a : tensor<*xi32>"),
         "model, line 1: %a is tensor<*xi32>: its rank is not known"),
        (body("", "%a: tensor<4x0xi32>", "%a : tensor<4x0xi32>"),
         "model, line 1: %a is tensor<4x0xi32>; every dimension is at least 1"),
        (body("", f"%a: tensor<{'1x' * 65}i32>", f"%a : tensor<{'1x' * 65}i32>"),
         "model, line 1: %a has rank 65; the limit is 64"),
        (body(CONST.format('"tosa.const"()')), "%c (CONST): has the attributes (none); it has values"),
        (body(CONST.format('"tosa.const"() {values = 5 : i32}')), "%c (CONST): values is 5 : i32; it is dense<…>"),
        (body(CONST.format('"tosa.const"() {values = dense<1> : tensor<3xi32>}')),
         "%c (CONST): values is tensor<3xi32>, the result tensor<2xi32>"),
        (body(CONST.format('"tosa.const"() {values = dense<1.0> : tensor<2xi32>}')),
         "%c (CONST): values: 1.0 is no value of int32"),
        (body("  %c = tosa.const_shape {values = dense<4> : tensor<1xi32>} : () -> !tosa.shape<1>"),
         "%c (CONST_SHAPE): values is tensor<1xi32>, the result !tosa.shape<1>; tensor<Nxindex> gives !tosa.shape<N>"),
        ("func.func @main(%a: tensor<4xi32>) -> tensor<5xi32> {\n  return %a : tensor<4xi32>\n}",
         "model, line 2: the types of the results are not those that the function declares"),
        ("func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {\n}",
         "model, line 1: the function does not end in a return"),
        ('func.func @main(%a: tensor<4xi32> {tosa.tensor_name = "x"}, %x: tensor<4xi32>) {\n  return\n}',
         "model, line 1: graph input 'x' is listed twice"),
    ],
)  # fmt: skip
def test_invalid(text: str | bytes, message: str):
    assert message in refused(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (body("  %b = arith.addi %a, %a : tensor<4xi32>"),
         "model, line 2: arith.addi is not one of lanewise's operations"),
        (body("  %b = tosa.conv2d %a, %a : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2: tosa.conv2d is not one of lanewise's operations"),
        (body('  %b = "tosa.cond_if"(%a) ({}, {}) : (tensor<4xi32>) -> tensor<4xi32>'),
         "model, line 2: tosa.cond_if is not one of lanewise's operations"),
        (body('  %b = "tosa.add"(%a, %a) ({}) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>'),
         "model, line 2: tosa.add with regions inside a function"),
        (body("  %b = func.call @f(%a) : (tensor<4xi32>) -> tensor<4xi32>"),
         "model, line 2: func.call is not one of lanewise's operations"),
        (body("", "%a: tensor<4x!quant.any<i8>>", "%a : tensor<4xi8>"), "model, line 1: type !quant.any is not one of"),
        (body("", "%a: tensor<4xui8>", "%a : tensor<4xui8>"), "%a is tensor<4xui8>; element types are i1, i4"),
        (body("", "%a: tensor<4xf64>", "%a : tensor<4xf64>"), "%a is tensor<4xf64>; element types are i1, i4"),
        (body("", "%a: tensor<4xi99999999999>", "%a : i32"), "model, line 1: an integer type of 99999999999 bits"),
        (body("", "%a: memref<4xi32>", "%a : memref<4xi32>"), "%a is memref<4xi32>; lanewise has tensors"),
        (body("", "%a: tensor<4xi32, 5 : i32>", "%a : tensor<4xi32, 5 : i32>"), "lanewise has no encodings"),
        (body(CONST.format('"tosa.const"() {values = dense_resource<far> : tensor<2xi32>}')),
         "%c (CONST): values is dense_resource<far> : tensor<2xi32>; lanewise reads dense<…> only"),
        ("func.func private @f()\nfunc.func private @g()",
         "model: has several functions, and not one that is named main"),
        ("func.func private @f()", "model: function f has 0 blocks; lanewise runs one"),
        ('module {\n  %c = "tosa.const"() {values = dense<1> : tensor<2xi32>} : () -> tensor<2xi32>\n}',
         "model, line 2: tosa.const outside a function; lanewise runs one"),
    ],
)  # fmt: skip
def test_unsupported(text: str, message: str):
    assert message in refused(text, lw.UnsupportedError)


def test_versions():
    text = body("")
    stated = f'module attributes {{tosa.target_env = #tosa.target_env<specification_version = "1.0">}} {{\n{text}}}'
    assert load(text).version == "1.1"
    assert load(text, version="1.0").version == "1.0"
    assert load(stated).version == "1.0"
    assert load(stated.replace("1.0", "1.1.draft")).version == "1.1"
    assert refused(stated, version="1.1") == "model: states TOSA 1.0; version 1.1 is asked for"
    message = "model: TOSA version 2.0; MLIR's dialect is read as 1.0, 1.1"
    assert refused(stated.replace("1.0", "2.0"), lw.UnsupportedError) == message
    assert "version 0.23.0" in refused(text, lw.UnsupportedError, version="0.23.0")
    with pytest.raises(lw.InvalidError, match="only an MLIR text may leave its version open"):
        lw.load(b"", format="onnx", version="1.0")


def test_what_is_not_written(tmp_path: Path):
    old = lw.Builder(tosa="0.23.0")
    x = old.input("x", "int32", (1,))
    old.output("y", old.node("IDENTITY", x))
    with pytest.raises(lw.UnsupportedError, match="TOSA 0.23.0; MLIR's dialect has the operators of 1.0 and later"):
        old.model().save(tmp_path / "m.mlir")
    onnx = lw.Builder(onnx=28)
    x = onnx.input("x", "int32", (1,))
    onnx.output("y", onnx.node("Identity", x))
    with pytest.raises(lw.UnsupportedError, match="an ONNX graph does not go into MLIR's tosa"):
        onnx.model().save(tmp_path / "m.mlir")
    assert not list(tmp_path.iterdir())


def test_without_xdsl(monkeypatch: pytest.MonkeyPatch):
    for module in [name for name in sys.modules if name.startswith("xdsl") or name.endswith(".mlir_dialect")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr("lanewise.formats.mlir_dialect", raising=False)
    monkeypatch.setitem(sys.modules, "xdsl", None)
    assert refused(body(""), lw.UnsupportedError) == "MLIR text needs the package xdsl: pip install 'lanewise[mlir]'"


MANY = 200_000


@pytest.mark.parametrize(
    "text",
    [
        "a" * MANY, " " * MANY, "(" * MANY, "{" * MANY, '"' + "a" * MANY, '"a" ' * MANY, "%a, " * MANY, "^" * MANY,
        "module {" * MANY, "module {" * 300 + "}" * 300, "//\n" * MANY, "module {} loc(" + "(" * MANY,
        "module attributes {a.b = " + "[" * MANY, "module attributes {a.b = [" + "1, " * MANY,
        "module attributes {a.b = array<i32: " + "1, " * MANY, "module attributes {a.b = " + "tensor<" * MANY,
        "module attributes {a.b = 0x" + "f" * MANY + "}", "module attributes {a.b = " + "9" * MANY + "}",
        "module attributes {a.b = #tosa.x<" + "<" * MANY, "func.func @f(%a: tensor<" + "1x" * MANY,
        "func.func @f(" + "%a: i32, " * MANY, "module {\0}", "#a = #a\nmodule {}",
        "func.func @f() {\n" + "\n".join(f"^bb{i}:" for i in range(MANY)),
        body('  %c = "tosa.const"() {values = dense<' + "[" * MANY + "> : tensor<4xi32>} : () -> tensor<4xi32>"),
        body('  %c = "tosa.const"() {values = dense<' + "9" * MANY + "> : tensor<4xi32>} : () -> tensor<4xi32>"),
        body('  %0 = "tosa.add"(%a, %a) (' + "{}, " * MANY), body('  %0 = "tosa.add"(%a, %a) ({' * MANY),
    ],
)  # fmt: skip
def test_hostile_texts_are_refused_soon(text: str):
    started = time.monotonic()
    message = refused(text, lw.LanewiseError)
    assert time.monotonic() - started < 10
    assert len(message) < 400


def test_too_many_operations():
    line = "  %{} = tosa.identity %a : (tensor<4xi32>) -> tensor<4xi32>\n"
    text = body("".join(line.format(k) for k in range(20)))
    assert len(load(text, max_nodes=20).nodes) == 20
    assert refused(text, max_nodes=19) == "model: more than 19 operations, the limit (max_nodes)"


@pytest.mark.parametrize("share", range(4))
def test_mutated_texts_are_refused_or_read(share: int):
    source = random.Random(share)
    words = [
        *'<>(){}[]=:,%#!"x?*-',
        "tensor",
        "dense",
        "loc(",
        "0x",
        "9999999999",
        "tosa.",
        "i1",
        "\n",
        "\0",
        "é",
        "^bb",
    ]
    for _ in range(150):
        text = source.choice((PRETTY, GENERIC))
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(text))
            kind = source.randrange(4)
            if kind == 0:
                text = text[:at]
            elif kind == 1:
                text = text[:at] + text[at + source.randint(1, 9) :]
            elif kind == 2:
                text = text[:at] + source.choice(words) + text[at:]
            else:
                text = text[:at] + text[(start := source.randrange(len(text))) : start + 40] + text[at:]
            text = text or " "
        with contextlib.suppress(lw.LanewiseError):
            load(text, max_tensor_bytes=1 << 24)
