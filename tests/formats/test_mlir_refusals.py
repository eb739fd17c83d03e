"""MLIR text that is refused: with file, line and rule, in bounded time and memory."""

from __future__ import annotations

import contextlib
import random
import sys
import time
from pathlib import Path

import pytest

import lanewise as lw
from tests.formats.test_mlir_text import GENERIC, PRETTY, body, load, refused

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
         "model (TOSA 1.1): tensor 'b' is declared int32[5], but line 2, %b (ADD) computes int32[4]"),
        (body("  %b:2 = tosa.add %a, %a : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)"),
         "model, line 2: tosa.add has 2 results; it gives 1"),
        (body("  %c = tosa.identity %b : (tensor<4xi32>) -> tensor<4xi32>\n"
              "  %b = tosa.identity %a : (tensor<4xi32>) -> tensor<4xi32>"),
         "model (TOSA 1.1), line 2, %c (IDENTITY) of 'b': IDENTITY: input1 is 'b', which no earlier node, input or "
         "constant defines"),
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
    started = time.process_time()  # its own time: others may keep the machine busy
    message = refused(text, lw.LanewiseError)
    assert time.process_time() - started < 10
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
